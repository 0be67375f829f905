import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { init as initAnything, useInitHome } from "../../test/support/init.js";
import { rousePaths } from "../config/paths.js";
import { startByService, unitPath, unitText } from "./service.js";

const home = useInitHome(() => ({ XDG_CONFIG_HOME: "" }));
const init = (...args: string[]): Promise<number> => initAnything("--service", ...args);

const unit = () => join(home.path, ".config", "systemd", "user", "rouse.service");
const said = (): string => {
  const text = home.output;
  home.forget();
  return text;
};

describe.runIf(process.platform === "linux")("rouse init --service", () => {
  it("shows the unit and changes nothing with --dry-run", async () => {
    expect(await init("--dry-run")).toBe(0);
    expect(said()).toContain("+Type=notify\n");
    expect(existsSync(unit())).toBe(false);
  });

  it("writes the unit, says how to start it and what lingering is, and does nothing the second time", async () => {
    expect(await init()).toBe(0);
    expect(said()).toMatch(/systemctl --user enable --now rouse\.service\n(.*\n)*.*loginctl enable-linger/);
    const text = readFileSync(unit(), "utf8");
    expect(text).toMatch(/^ExecStart="[^"]+node[^"]*" "[^"]+bin\/rouse" up --foreground$/m);
    for (const line of [
      "NotifyAccess=all",
      "WatchdogSec=60",
      "Restart=on-failure",
      `Environment="ROUSE_HOME=${home.path}/rouse"`,
    ])
      expect(text.split("\n")).toContain(line);
    expect(await init()).toBe(0);
    expect(said()).toBe(`${unit()}: nothing to do\n`);
  });

  it("updates a unit of its own", async () => {
    await init();
    vi.stubEnv("PATH", "/elsewhere");
    expect(await init()).toBe(0);
    expect(readFileSync(unit(), "utf8")).toContain('Environment="PATH=/elsewhere"');
  });

  it.each([[], ["--remove"], ["--dry-run"]])("keeps a unit that the user edited, and says so (%s)", async (...args) => {
    await init();
    const edited = readFileSync(unit(), "utf8").replace("WatchdogSec=60", "WatchdogSec=600");
    writeFileSync(unit(), edited);
    said();
    expect(await init(...args)).toBe(1);
    expect(said()).toContain(`${unit()} was edited or not written by rouse (unchanged)`);
    expect(readFileSync(unit(), "utf8")).toBe(edited);
  });

  it("keeps a unit that another program wrote", async () => {
    mkdirSync(dirname(unit()), { recursive: true });
    writeFileSync(unit(), "[Service]\nExecStart=/bin/true\n");
    expect(await init()).toBe(1);
    expect(readFileSync(unit(), "utf8")).toBe("[Service]\nExecStart=/bin/true\n");
  });

  it("removes the unit again", async () => {
    await init();
    expect(await init("--remove")).toBe(0);
    expect(said()).toContain("systemctl --user disable --now rouse.service");
    expect(existsSync(unit())).toBe(false);
  });

  it("cannot be combined with a program", async () => {
    await expect(init("codex")).rejects.toThrow("--service takes no program");
  });
});

describe("the unit", () => {
  it("quotes values that systemd would interpret", () => {
    const text = unitText({ HOME: home.path, PATH: '/a%b/"c"/\\d', CODEX_HOME: "/x\nExecStart=/bin/evil" });
    expect(text).toContain('Environment="PATH=/a%%b/\\"c\\"/\\\\d"');
    expect(text).not.toContain("evil");
    expect(text).toContain("UnsetEnvironment=XDG_STATE_HOME\n");
  });

  it("is in the folder that systemd reads", () => {
    expect(unitPath({ HOME: "/h" })).toBe("/h/.config/systemd/user/rouse.service");
    expect(unitPath({ HOME: "/h", XDG_CONFIG_HOME: "/c" })).toBe("/c/systemd/user/rouse.service");
  });
});

describe.runIf(process.platform === "linux")("a daemon that is needed", () => {
  it("is started by systemd only if the unit is for the same folders", async () => {
    const bin = join(home.path, "bin");
    mkdirSync(bin);
    const log = join(home.path, "log");
    const script = `#!${process.execPath}\nrequire("fs").writeFileSync(${JSON.stringify(log)}, process.argv.slice(2).join(" "))\n`;
    writeFileSync(join(bin, "systemctl"), script, { mode: 0o755 });
    vi.stubEnv("PATH", bin);
    const env = { HOME: home.path, ROUSE_HOME: join(home.path, "rouse") };
    expect(await startByService(env)).toBe(false);
    mkdirSync(dirname(unitPath(env)), { recursive: true });
    writeFileSync(unitPath(env), unitText({ ...env, ROUSE_HOME: join(home.path, "other") }));
    expect(await startByService(env)).toBe(false);
    expect(existsSync(log)).toBe(false);
    writeFileSync(unitPath(env), unitText(env));
    expect(readFileSync(unitPath(env), "utf8")).toContain(rousePaths(env).daemonSocket);
    expect(await startByService(env)).toBe(true);
    expect(readFileSync(log, "utf8")).toBe("--user --no-block start rouse.service");
  });
});
