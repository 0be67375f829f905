/** `rouse status --line` in use: in tmux's status line and above the prompts of shells. */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import type { LineView } from "../../src/daemon/views/line.js";
import { BIN, closeHome, type Home, hasTmux, makeHome, rouse, TestTerminal, until } from "../support/hosts.js";

const SNIPPETS = join(import.meta.dirname, "..", "..", "examples", "status-line");
const CALL = "1 needs you: api-fix (asks)";

const has = (program: string): boolean => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

let home: Home;

async function ran(args: readonly string[]): Promise<void> {
  const { status, stderr } = await rouse(home, args);
  if (status !== 0) throw new Error(`rouse ${args[0]} ended with ${status}: ${stderr}`);
}

beforeAll(async () => {
  home = makeHome("on");
  // The snippets call `rouse` by the name of the installed command.
  const bin = join(home.path, "bin");
  mkdirSync(bin);
  symlinkSync(BIN, join(bin, "rouse"));
  home.env.PATH = `${bin}:${home.env.PATH}`;
  home.env.HOME = home.path;
  home.env.LC_ALL = "C.UTF-8";
  delete home.env.TMUX;
  for (const name of ["api-fix", "docs"]) await ran(["spawn", "--name", name, "--", "sleep", "600"]);
  await until("both to be known", async () => {
    const line = (await askDaemon(rousePaths(home.env).daemonSocket, "GET", "/v1/line").catch(() => null)) as LineView;
    return line !== null && line.ok + line.needs_you.length === 2;
  });
  await ran(["report", "working", "--name", "docs"]);
  await ran(["report", "needs_input", "which of the two?", "--name", "api-fix"]);
});

afterAll(async () => {
  await rouse(home, ["up"]);
  for (const name of ["api-fix", "docs"]) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
}, 120_000);

const terminal = (command: readonly string[]): TestTerminal => new TestTerminal(home, command, { cols: 160, rows: 24 });

it.skipIf(!existsSync("/dev/full"))("rouse status --line reports a failed write in one line", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [BIN, "status", "--line"], {
    env: home.env,
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^rouse: cannot write to standard output: ENOSPC[^\n]*\n$/),
  ]);
});

/** A daemon that is slow at one prompt is asked again at the next. */
async function calls(shell: TestTerminal): Promise<string> {
  for (let tries = 0; tries < 10 && !shell.text.includes(CALL); tries++) {
    if (tries > 0) shell.write("\r");
    await shell.shows(CALL).catch(() => {});
  }
  return shell.text;
}

describe("rouse status --line", { timeout: 120_000 }, () => {
  it("names the agents that need you, and with --quiet only those", async () => {
    const said = async (...more: string[]) => (await rouse(home, ["status", "--line", ...more])).stdout;
    await until("the report to count", async () => (await said("--quiet")) === `${CALL}\n`, 60_000);
    await until("both to be counted", async () => (await said()) === `1 ok · ${CALL}\n`, 60_000);
  });

  it("refuses options that cannot be combined with it", async () => {
    expect(await rouse(home, ["status", "--line", "--json"])).toMatchObject({ status: 2, stdout: "" });
    expect(await rouse(home, ["status", "--quiet"])).toMatchObject({ status: 2, stdout: "" });
  });

  it.skipIf(!hasTmux)("is shown in tmux's status line by the snippet", async () => {
    const conf = join(home.path, "tmux.conf");
    const often = "set -g status-interval 1\n";
    writeFileSync(conf, `set -g status-right ''\n${readFileSync(join(SNIPPETS, "tmux.conf"), "utf8")}${often}`);
    const server = ["tmux", "-u", "-f", conf, "-S", join(home.path, "tmux.sock")];
    const shown = terminal([...server, "new-session", "sleep 600"]);
    await until("the call in the status line", () => shown.text.includes(CALL), 60_000);
    expect(shown.text).not.toContain("#(");
    execFileSync("tmux", [...server.slice(1), "kill-server"], { env: home.env });
    await shown.exited;
  });

  it.skipIf(!has("bash"))(
    "is shown above bash's prompt by the snippet, after other PROMPT_COMMAND entries",
    async () => {
      const rc = join(home.path, "bashrc");
      const own = `PS1='ready> '\nPROMPT_COMMAND='echo "before:$?";'\n`;
      writeFileSync(rc, `${own}${readFileSync(join(SNIPPETS, "bash.sh"), "utf8")}`);
      const shell = terminal(["bash", "--noprofile", "--rcfile", rc, "-i"]);
      expect(await calls(shell)).toContain(CALL);
      await shell.shows("ready> ");
      shell.write("false\r");
      await shell.shows("before:1");
      shell.write("exit\r");
      await shell.exited;
      expect(shell.text).not.toMatch(/syntax error|command not found/);
    },
  );

  // Debian and macOS have packages of them; the snippet of a missing one is not tested.
  it.skipIf(!has("zsh"))("is shown above zsh's prompt by the snippet", async () => {
    writeFileSync(join(home.path, ".zshrc"), `PS1='ready> '\n${readFileSync(join(SNIPPETS, "zsh.zsh"), "utf8")}`);
    const shell = terminal(["zsh", "-d", "-i"]);
    expect(await calls(shell)).toContain(CALL);
    await shell.shows("ready> ");
    shell.write("exit\r");
    await shell.exited;
  });

  it.skipIf(!has("fish"))("is shown above fish's prompt by the snippet", async () => {
    const shell = terminal(["fish", "--no-config", "-i", "-C", `source ${join(SNIPPETS, "fish.fish")}`]);
    expect(await calls(shell)).toContain(CALL);
    shell.write("exit\r");
    await shell.exited;
  });

  it("is run by the starship snippet, which is valid TOML", () => {
    const { custom } = parse(readFileSync(join(SNIPPETS, "starship.toml"), "utf8")) as {
      custom: { rouse: { command: string } };
    };
    expect(custom.rouse.command).toBe("rouse status --line --quiet");
  });

  it("starts no daemon, and is silent if the user stopped it", async () => {
    expect((await rouse(home, ["down"])).status).toBe(0);
    const said = { status: 69, stderr: "" };
    expect(await rouse(home, ["status", "--line", "--quiet"])).toMatchObject({ ...said, stdout: "" });
    expect(await rouse(home, ["status", "--line"])).toMatchObject({
      ...said,
      stdout: "rouse: daemon not running or not responding\n",
    });
  });

  it("reports agents that no daemon watches", async () => {
    const alone = makeHome("off");
    const line = () => rouse(alone, ["status", "--line", "--quiet"]);
    expect(await line()).toMatchObject({ status: 69, stdout: "" });
    expect((await rouse(alone, ["spawn", "--name", "x", "--", "sleep", "600"])).status).toBe(0);
    expect(await line()).toMatchObject({ status: 69, stdout: "rouse: daemon not running or not responding\n" });
    await rouse(alone, ["stop", "x", "--grace", "0"]);
    expect(await line()).toMatchObject({ status: 69, stdout: "" });
    expect(await closeHome(alone)).toEqual({ processes: [], sockets: [] });
  });
});
