import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { addChannel } from "./add-channel.js";
import { loadChannels } from "./channels.js";

let home: string;
const file = (): string => join(home, "config", "config.toml");
const read = (): string => readFileSync(file(), "utf8");

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-channel-"));
  vi.stubEnv("ROUSE_HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

function write(text: string): void {
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(file(), text, { mode: 0o644 });
}

describe("adding a channel", () => {
  it("creates the file, which only the user may read, and the daemon loads the channel from it", () => {
    expect(addChannel("phone", { type: "ntfy", topic: "secret" })).toMatchObject({ path: file() });
    expect(loadChannels().channels).toMatchObject([{ name: "phone", type: "ntfy", topic: "secret" }]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("keeps every byte of the file before it, comments included, and undo restores it", () => {
    const before = 'version = 1 # mine\n[watchdog]\npoll_interval_secs = 10\n\n[channels.old]\ntype = "desktop"';
    write(before);
    const added = addChannel("phone", { type: "desktop" });
    expect(read().startsWith(`${before}\n`)).toBe(true);
    expect(loadChannels().channels.map(({ name }) => name)).toEqual(["old", "phone"]);
    expect("undo" in added && added.undo()).toBe(true);
    expect(read()).toBe(before);
  });

  it("is not undone over a later change of the user", () => {
    const added = addChannel("phone", { type: "desktop" });
    writeFileSync(file(), `${read()}# later\n`);
    expect("undo" in added && added.undo()).toBe(false);
    expect(read()).toContain("# later");
  });

  it("writes through a link, so that a file in a repository of settings stays one", () => {
    write("version = 1\n");
    const real = join(home, "settings.toml");
    writeFileSync(real, read());
    rmSync(file());
    symlinkSync(real, file());
    addChannel("phone", { type: "desktop" });
    expect(readFileSync(real, "utf8")).toContain("[channels.phone]");
  });

  it.each([
    ["version = ", "desktop", "is not valid TOML"],
    ['[channels.phone]\ntype = "desktop"\n', "desktop", "a channel named phone exists"],
    ["channels = {}\n", "desktop", "add it by hand"],
    ["", "slack", "url is missing"],
    ["", "pager", "type must be one of"],
  ])("changes nothing in %j for a %s that does not fit", (before, type, problem) => {
    write(before);
    expect(addChannel("phone", { type })).toEqual({ problem: expect.stringContaining(problem) });
    expect(read()).toBe(before);
  });

  it("refuses a bad address and a bad name", () => {
    expect(addChannel("ops", { type: "slack", url: "notaurl" })).toEqual({ problem: "url must begin with https://" });
    expect(addChannel("a.b", { type: "desktop" })).toEqual({ problem: expect.stringContaining("the name must have") });
  });

  it("stores any secret exactly, or refuses it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "binary", maxLength: 40 }), (token) => {
        rmSync(join(home, "config"), { recursive: true, force: true });
        const added = addChannel("phone", { type: "ntfy", topic: "t", token });
        const [loaded] = loadChannels().channels;
        if ("problem" in added) expect(loaded).toBeUndefined();
        else expect(loaded).toMatchObject({ token });
      }),
      { numRuns: 60 },
    );
  });
});
