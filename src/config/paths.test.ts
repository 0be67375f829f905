import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { checkFolders, checkHome, makePrivateFolder, rousePaths } from "./paths.js";

const HOME = { HOME: "/home/ann" };

describe("rousePaths", () => {
  it("follows the XDG folders", () => {
    const env = { ...HOME, XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_RUNTIME_DIR: "/run/user/1" };
    expect(rousePaths(env)).toMatchObject({
      config: "/c/rouse",
      state: "/s/rouse",
      runtime: "/run/user/1/rouse",
      journal: "/s/rouse/journal.db",
      daemonSocket: "/run/user/1/rouse/daemon.sock",
      sessions: "/s/rouse/sessions",
    });
  });

  it("has a default path for each folder if the environment sets none", () => {
    expect(rousePaths(HOME)).toMatchObject({
      config: "/home/ann/.config/rouse",
      state: "/home/ann/.local/state/rouse",
      runtime: "/home/ann/.local/state/rouse/run",
    });
  });

  it("ignores relative XDG folders, which would differ per working directory", () => {
    expect(rousePaths({ ...HOME, XDG_STATE_HOME: "state", XDG_RUNTIME_DIR: "." })).toEqual(
      expect.objectContaining({ state: "/home/ann/.local/state/rouse", runtime: "/home/ann/.local/state/rouse/run" }),
    );
  });

  it("puts everything below ROUSE_HOME", () => {
    const paths = rousePaths({ ...HOME, XDG_STATE_HOME: "/s", ROUSE_HOME: "/t/r" });
    for (const path of [paths.config, paths.state, paths.runtime, paths.journal, paths.daemonSocket, paths.sessions])
      expect(path.startsWith("/t/r/")).toBe(true);
  });

  it("keeps every socket path short, in one folder, and one per session", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), fc.nat(300), (a, b, depth) => {
        const paths = rousePaths({ ROUSE_HOME: `/${"d".repeat(depth)}` });
        for (const path of [paths.daemonSocket, paths.hostSocket(a), paths.hostSocket(b)]) {
          expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
          expect(dirname(path)).toBe(paths.runtime);
        }
        expect(paths.hostSocket(a) === paths.hostSocket(b)).toBe(a === b);
        expect(paths.hostSocket(a)).not.toBe(paths.daemonSocket);
      }),
    );
  });
});

describe("makePrivateFolder", () => {
  const root = mkdtempSync(join(tmpdir(), "rouse-paths-"));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("creates a folder that no other user may enter", () => {
    makePrivateFolder(join(root, "a", "b"));
    expect(statSync(join(root, "a", "b")).mode & 0o777).toBe(0o700);
  });

  it("restricts access to a folder that was open to others", () => {
    const path = join(root, "open");
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755);
    makePrivateFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it("refuses a link in place of the folder", () => {
    mkdirSync(join(root, "real"), { recursive: true });
    symlinkSync(join(root, "real"), join(root, "link"));
    expect(() => makePrivateFolder(join(root, "link"))).toThrow("is not a folder");
  });

  // Node.js 20.20 retries forever here.
  it.runIf(process.platform === "linux")("throws if the file system cannot hold the folder", () => {
    expect(() => makePrivateFolder("/proc/rouse/state")).toThrow("ENOENT");
  });
});

describe("checkHome", () => {
  it.each([undefined, "", "/srv/rouse"])("accepts %s", (home) => {
    expect(checkHome({ ROUSE_HOME: home })).toBeNull();
  });

  it.each(["rouse", "./rouse", "~/rouse"])("refuses the relative path %s", (home) => {
    expect(checkHome({ ROUSE_HOME: home })).toContain(`must be an absolute path, found "${home}"`);
  });
});

describe("checkFolders", () => {
  const root = mkdtempSync(join(tmpdir(), "rouse-paths-"));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("returns null if the folders can be created", () => {
    expect(checkFolders(rousePaths({ ROUSE_HOME: join(root, "home") }))).toBeNull();
  });

  it("says what is wrong and what to do if a file is in the way", () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "file"), "");
    expect(checkFolders(rousePaths({ ROUSE_HOME: join(root, "file", "home") }))).toMatch(
      /^ENOTDIR: .*rouse keeps its files in .*file\/home\/state; make that folder writable, or set ROUSE_HOME to another one$/,
    );
  });
});
