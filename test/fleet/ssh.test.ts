/** `rouse ssh`: another machine that has only Node.js and an sshd, which runs here as another user. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SessionView } from "../../src/daemon/views/view.js";
import { isMissing } from "../support/component.js";
import { CutProxy } from "../support/fleet.js";
import { BIN, closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { SSHD_AS_ROOT, startSshd, type TestSshd } from "../support/sshd.js";

/** Runs what it is given as a Node.js that says that it is another version. */
const OLD_NODE = `#!/bin/sh
shift; code="$1"; shift
exec node -e "Object.defineProperty(process,'versions',{value:{node:'18.20.4'}});Object.defineProperty(process,'version',{value:'v18.20.4'});$code" "$@"
`;

describe.skipIf(isMissing("sshd (or the tests do not run as root)", SSHD_AS_ROOT))("a machine by ssh", () => {
  let there: TestSshd;
  let home: Home;
  beforeAll(async () => {
    there = await startSshd();
  });
  afterAll(async () => there.stop());
  beforeEach(() => {
    home = makeHome();
    home.env.PATH = there.path;
  });
  afterEach(async () => {
    expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
  });

  const data = (): string => join(there.home, ".local", "share", "rouse");
  const versions = (): string => join(data(), "versions");
  const installed = (): string[] => (existsSync(versions()) ? readdirSync(versions()) : []);
  const ssh = (...args: string[]) => rouse(home, ["ssh", ...args]);

  it.each([
    [
      "an unknown host key",
      ["stranger"],
      /^rouse: the host key of stranger is not known: connect once with `ssh stranger`/,
    ],
    ["a changed host key", ["changed"], /^rouse: the host key of changed has changed; /],
    ["a refused login", ["refused"], /^rouse: refused refused the login: /],
    ["a closed port", ["closed"], /^rouse: cannot reach closed by ssh: .*refused/],
    [
      "no Node.js",
      ["--node", "nosuchnode", "box"],
      /^rouse: no Node\.js on box: nosuchnode was not found\. Install Node/,
    ],
    [
      "an old Node.js",
      ["--node", "old-node", "box"],
      /^rouse: Node\.js v18\.20\.4 on box is too old: rouse needs 20\.19/,
    ],
  ])("says in one line that there is %s, and leaves nothing there", async (_what, options, expected) => {
    there.program("old-node", OLD_NODE);
    const { status, stdout, stderr } = await ssh(...options, "--", "status");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr.trimEnd()).toMatch(expected);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(existsSync(data())).toBe(false);
  });

  it("runs no option of ssh that is given as a host", async () => {
    const file = join(there.home, "made");
    for (const host of [`-oProxyCommand=touch ${file}`, "-V", "a\nb", ""])
      expect(await rouse(home, ["ssh", "--", host, "status"])).toMatchObject({ status: 2 });
    expect(await ssh("--node", "node;touch made", "box", "--", "status")).toMatchObject({ status: 2 });
    expect(existsSync(file)).toBe(false);
  });

  it("leaves nothing if it cannot be installed, or the connection ends while it is copied", async () => {
    mkdirSync(join(there.home, ".local"));
    writeFileSync(join(there.home, ".local", "share"), "");
    const failed = await ssh("box", "--", "status");
    expect(failed).toMatchObject({ status: 1, stderr: expect.stringMatching(/rouse was not installed on box: /) });
    rmSync(join(there.home, ".local"), { recursive: true });

    const proxy = new CutProxy(there.port);
    await proxy.start();
    there.connectTo(proxy.port);
    const child = spawn(process.execPath, [BIN, "ssh", "box", "--", "status"], { env: home.env });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      if (said === "") proxy.set("refuse");
      said += chunk.toString();
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    there.connectTo(there.port);
    proxy.stop();
    expect(code).toBe(1);
    expect(said).toMatch(/\nrouse: cannot reach box by ssh: /);
    expect(installed()).toEqual([]);
  });

  it("copies rouse there once, runs commands there, and leaves agents running", async () => {
    const first = await ssh("box", "--", "--version");
    expect(first).toMatchObject({ status: 0, stdout: "0.1.0\n" });
    expect(first.stderr).toMatch(/^rouse: copying rouse to box \(\d+ MB\)\n$/);
    const [folder = ""] = installed();
    expect(installed()).toEqual([expect.stringMatching(/^0\.1\.0-[0-9a-f]{16}$/)]);
    expect(statSync(join(versions(), folder, "bin", "rouse")).uid).toBe(there.uid);

    const spawned = await ssh("box", "--", "spawn", "--name", "web", "--", "sh", "-c", 'echo "it\'s $0 !"; sleep 300');
    expect(spawned).toMatchObject({ status: 0, stdout: "web\n", stderr: "" });
    const { stdout } = await ssh("--cd", "/", "box", "--", "status", "--json");
    const { agents } = JSON.parse(stdout) as { agents: SessionView[] };
    expect(agents.map(({ name }) => name)).toEqual(["web"]);
    const logs = async (): Promise<boolean> => (await ssh("box", "--", "logs", "web")).stdout.includes("it's sh !");
    await until("the agent's output", logs, 60_000);
    expect(await ssh("--cd", "/nosuch", "box", "--", "status")).toMatchObject({
      status: 1,
      stderr: "rouse: cannot enter /nosuch: ENOENT\n",
    });
    expect(await ssh("box", "--", "stop", "web", "--grace", "0")).toMatchObject({ status: 0 });
    expect(await ssh("box", "--", "why", "nosuch")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/nosuch/),
    });
    expect(await ssh("box", "--", "down")).toMatchObject({ status: 0 });
    expect(installed()).toEqual([folder]);

    truncateSync(join(versions(), folder, "dist", "cli", "main.js"));
    expect((await ssh("box", "--", "--version")).stderr).toMatch(/copying/);
    expect(await ssh("box", "--", "--version")).toMatchObject({ status: 0, stdout: "0.1.0\n", stderr: "" });
    expect(installed()).toEqual([folder]);
  });
});
