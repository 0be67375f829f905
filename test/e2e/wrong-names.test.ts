import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BIN, closeHome, type Home, makeHome, rouse } from "../support/hosts.js";

let home: Home;

beforeEach(() => {
  home = makeHome("on");
});

afterEach(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toMatchObject({ processes: [] });
});

it.each([
  ["run", ["run", "--kind", "claude-cod", "--", "true"]],
  ["spawn", ["spawn", "--kind", "claude-cod", "--", "true"]],
  ["replay", ["replay", "--kind", "claude-cod", "nowhere"]],
])("an unknown kind is refused by %s, with the known kinds", async (_, args) => {
  const { status, stderr } = await rouse(home, args);
  expect(status).toBe(2);
  expect(stderr).toContain(
    'unknown kind "claude-cod"; did you mean claude-code? available: claude-code, codex, gemini, opencode, goose, copilot, generic',
  );
});

it.each([
  [
    "an unknown policy",
    ["run", "--policy", "agressive", "--", "true"],
    'unknown policy "agressive"; did you mean aggressive?',
  ],
  ["a tag of two words", ["spawn", "--tag", "a b", "--", "true"], "A tag is one word"],
  ["a task that is too long", ["run", "--task", "x".repeat(5000), "--", "true"], "a task has at most 4000 characters"],
  [
    "too many tags",
    ["spawn", ...Array.from({ length: 101 }, (_, at) => ["--tag", `t${at}`]).flat(), "--", "true"],
    "an agent has at most 100 tags",
  ],
  ["a command of another tool", ["ps"], "unknown command ps; did you mean rouse status?"],
  ["an unknown command", ["frobnicate"], "rouse: unknown command frobnicate; `rouse --help` lists the commands\n"],
  ["help for an unknown command", ["help", "nope"], "rouse: unknown command nope;"],
  ["an unknown subcommand", ["alert", "tset", "--help"], "did you mean rouse alert test?"],
  ["an unknown option", ["alert", "list", "--lmit"], "`rouse alert list --help` lists the options"],
  ["an invalid value", ["alert", "list", "--limit", "x"], "It must be a number from 1 to 1000."],
  ["a payload that is not an object", ["messages", "send", "--payload", "[1]"], "It must be a JSON object"],
])("%s is refused with the error and what to do", async (_, args, text) => {
  const { status, stdout, stderr } = await rouse(home, args);
  expect({ status, stdout, begin: stderr.slice(0, 7) }).toEqual({ status: 2, stdout: "", begin: "rouse: " });
  expect(stderr).toContain(text);
});

it("a command that is too long to store is not spawned, and runs unwatched", async () => {
  const words = ["true", "x".repeat(100_001)];
  const why = "an argument of a command has at most 100000 characters";
  const spawned = await rouse(home, ["spawn", "--", ...words]);
  expect(spawned).toMatchObject({ status: 1, stdout: "", stderr: `rouse: not started: ${why}\n` });
  expect(await rouse(home, ["run", "--", ...words])).toMatchObject({
    status: 0,
    stderr: `rouse: true runs unwatched: ${why}\n`,
  });
});

const REFUSED = [
  [["why", ""], "It must be a name."],
  [["health", ""], "It must be a name."],
  [["recover", ".."], "It must be a name."],
  [["incidents", ""], "It must be a name."],
  [["ack", ""], "It must be a name."],
  [["alert", "test", ""], "It must be a name."],
  [["silence", "", "--for", "1h"], "It must be a name."],
  [["silence", "x", "--off", "--for", "1h"], "--off cannot be combined with --for"],
  [["allow", ""], "It must be a name."],
  [["allow", "a\u001b[31mb"], "A name has no control characters."],
  [["messages", "--tag", ""], "It must be a tag"],
  [["messages", "send", "--type", "a b", "x"], "A type starts with a lowercase letter"],
  [["watch", ""], "It must be a name."],
  [["watch", "--tag", "a b"], "A tag is one word"],
  [["watch", "--none", "pane1"], "--none cannot be combined"],
  [["token", "create", "me", "--right", ""], "The rights are read, report, report_any, control, admin."],
  [["spawn", "--name", "-x", "--", "true"], "A name starts with a letter or digit"],
] as [string[], string][];

/** Each needs its own process: a third of them, all in the full run. */
it.each(REFUSED.filter((_, i) => process.env.ROUSE_FULL === "1" || i % 3 === 0))(
  "%j is refused before any request is sent",
  async (args, text) => {
    const { status, stdout, stderr } = await rouse(home, args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(text);
  },
);

it.each([
  ["status", ["status"]],
  ["status --line", ["status", "--line"]],
  ["report", ["report", "working"]],
  ["run", ["run", "--", "true"]],
  ["doctor", ["doctor"]],
])("a ROUSE_HOME that is not an absolute path is refused in one line by %s", async (_, args) => {
  // If ROUSE_HOME were ignored, the folders of the user who runs the test would be used.
  const elsewhere = { HOME: home.path, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", XDG_RUNTIME_DIR: "" };
  const env = { ...home.env, ...elsewhere, ROUSE_DAEMON: "off", ROUSE_HOME: "here" };
  const { status, stdout, stderr } = await rouse({ ...home, env }, args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^rouse: ROUSE_HOME must be an absolute path, found "here"; .*\n$/);
});

it.each([
  ["up", ["up"]],
  ["spawn", ["spawn", "--", "true"]],
  ["watch", ["watch"]],
  ["init", ["init"]],
])("if rouse's folders cannot be created, %s reports it in one line", async (_, args) => {
  writeFileSync(join(home.path, "file"), "");
  const nowhere = { ...home, env: { ...home.env, ROUSE_HOME: join(home.path, "file", "below") } };
  const { status, stderr } = await rouse(nowhere, args);
  expect({ status, lines: stderr.trimEnd().split("\n") }).toEqual({
    status: 1,
    lines: [expect.stringMatching(/^rouse: ENOTDIR: .*`rouse doctor`/)],
  });
  const { status: found, stdout } = await rouse(nowhere, ["doctor"]);
  expect({ found, stdout }).toEqual({
    found: 1,
    stdout: expect.stringMatching(/FAIL {2}state folder .*is not writable/),
  });
});

it("if rouse's folders cannot be created, run reports it in one line, and the program runs as without rouse", async () => {
  writeFileSync(join(home.path, "file"), "");
  const nowhere = { ...home, env: { ...home.env, ROUSE_HOME: join(home.path, "file", "below") } };
  const { status, stdout, stderr } = await rouse(nowhere, ["run", "--", "sh", "-c", "cat; exit 3"], "typed\n");
  expect({ status, stdout, lines: stderr.trimEnd().split("\n") }).toEqual({
    status: 3,
    stdout: "typed\n",
    lines: [
      expect.stringMatching(
        /^rouse: sh runs unwatched: ENOTDIR: .* make that folder writable, or set ROUSE_HOME to another one$/,
      ),
    ],
  });
});

it.each([
  ["init", ["init"]],
  ["token", ["token", "create", "x"]],
])(
  "on a full disk, %s reports it in one line and leaves nothing behind but a line of the audit trail",
  async (_, args) => {
    const full = join(home.path, "full.mjs");
    writeFileSync(
      full,
      `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const write = fs.writeFileSync;
fs.writeFileSync = (path, text, options) => {
  write(path, "", options);
  throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
};
syncBuiltinESMExports();
`,
    );
    const env = {
      ...home.env,
      HOME: home.path,
      CODEX_HOME: home.path,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${full}`,
    };
    const { status, stderr } = await rouse({ ...home, env }, args);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^rouse: ENOSPC: .*: free some space.*\n$/),
    });
    for (const folder of ["config", "state"].map((name) => join(home.path, name)))
      if (existsSync(folder)) expect(readdirSync(folder).filter((name) => name !== "audit-spool.jsonl")).toEqual([]);
  },
);

it.each([24, 64])("with a limit of %d open files, up names the limit in one line", (limit) => {
  const script = `ulimit -n ${limit}; exec "$0" "$@"`;
  const { status, stderr } = spawnSync("bash", ["-c", script, process.execPath, BIN, "up", "--foreground"], {
    env: home.env,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "rouse: too many open files: raise the limit with `ulimit -n 1024` and try again\n",
  });
});

it("an unreadable configuration is reported by up, which starts the daemon anyway", async () => {
  mkdirSync(join(home.path, "config"), { recursive: true });
  writeFileSync(join(home.path, "config", "config.toml"), "[watchdog\n");
  const { status, stdout, stderr } = await rouse(home, ["up"]);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "Started the daemon.\n" });
  expect(stderr).toMatch(/^rouse: error: .*config\.toml:1:\d+: .*the file is not used\n$/);
});

it("a kind can be given by the name of its program", async () => {
  home.env.ROUSE_DAEMON = "off";
  expect((await rouse(home, ["run", "--kind", "claude", "--", "true"])).status).toBe(0);
});

it("an agent that has just started is listed, and an unknown name is answered with the known names", async () => {
  await rouse(home, ["spawn", "--name", "worker", "--", "sleep", "100"]);
  // Right after the start, as a user would check: the daemon may still be starting.
  const { stdout: table } = await rouse(home, ["status"]);
  expect(table).toContain("worker");
  for (const command of [["why"], ["health"], ["logs"], ["stop"], ["record"], ["type"]]) {
    const { status, stderr, stdout } = await rouse(home, [
      ...command,
      "wroker",
      ...(command[0] === "type" ? ["x"] : []),
    ]);
    expect({ command, status, stdout, stderr }).toEqual({
      command,
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^rouse: no agent named "wroker"; did you mean worker\? available: worker\n$/),
    });
  }
  expect((await rouse(home, ["stop", "worker", "--grace", "1"])).status).toBe(0);
  expect((await rouse(home, ["logs", "wroker"])).stderr).toContain('no agent named "wroker"');
});
