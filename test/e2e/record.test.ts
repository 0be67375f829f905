import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import type { Signal } from "../../src/core/signal.js";
import { openCase } from "../../src/replay/case-folder.js";
import { findSession } from "../../src/terminal/registry.js";
import { fakeAgent } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, rouseInTerminal, until } from "../support/hosts.js";

/** Assembled at run time: a complete one in a file would trigger secret scanners. */
const SECRET = `sk-ant-api03-${"aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY".repeat(3)}`;

let home: Home;

beforeEach(() => {
  home = makeHome();
});

afterEach(async () => {
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

function write(name: string, text: string, mode = 0o755): string {
  const path = join(home.path, name);
  writeFileSync(path, text, { mode });
  return path;
}

/** One case of a recording: its files with their contents. */
function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const bytes = readFileSync(join(folder, name));
      return [name, (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")];
    }),
  );
}

const onlyFolder = (out: string): string => join(out, readdirSync(out)[0] ?? "");

async function spawnAgent(...command: string[]): Promise<string> {
  const { stdout, stderr, status } = await rouse(home, ["spawn", "--name", "worker", "--", ...command]);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.trim();
}

describe("rouse record", () => {
  it("records a terminal until its agent ends, without its secrets, in the format that replay reads", async () => {
    const go = join(home.path, "go");
    const agent = write(
      "agent.sh",
      `echo "key ${SECRET}"; while [ ! -e ${go} ]; do sleep 0.1; done; echo last words; exit 3`,
    );
    await spawnAgent("sh", agent);
    const out = join(home.path, "out");
    const recording = rouse(home, ["record", "worker", "--out", out, "--json"]);
    await until("the recording to start", () => existsIn(out, "session.cast.gz"));
    writeFileSync(go, "");
    const { stdout, stderr, status } = await recording;
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    const [recorded] = JSON.parse(stdout).recordings;
    expect(recorded).toMatchObject({ name: "worker", ended: true });
    const files = filesOf(recorded.folder);
    expect(Object.keys(files).sort()).toEqual(["meta.json", "process.jsonl", "session.cast.gz"]);
    expect(files["session.cast.gz"]).toContain("last words");
    expect(files["session.cast.gz"]).toContain(`key ${"*".repeat(SECRET.length)}`);
    expect(Object.values(files).join("")).not.toContain(SECRET.slice(0, 30));
    expect(JSON.parse(files["meta.json"] ?? "")).toMatchObject({
      agent: "generic",
      mode: "tui",
      exit: 3,
      signal: null,
    });
    expect(JSON.parse(files["process.jsonl"]?.split("\n")[0] ?? "")).toMatchObject({ alive: true });
    expect(statSync(recorded.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(recorded.folder, "session.cast.gz")).mode & 0o777).toBe(0o600);
    const replayed = await rouse(home, ["replay", recorded.folder, "--json"]);
    expect(replayed).toMatchObject({ status: 0, stderr: "" });
    const { timeline } = JSON.parse(replayed.stdout);
    expect(timeline.at(-1)).toMatchObject({ state: "gone", cause: "exit_code" });
  });

  it("records the transcript with the times at which it grew", async () => {
    const folder = join(home.path, "claude-home");
    const go = join(home.path, "go");
    const record = (type: string, text: string) =>
      JSON.stringify({
        type,
        uuid: "u",
        sessionId: "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d",
        timestamp: "2026-03-02T09:00:00.000Z",
        message: { role: type, content: [{ type: "text", text }] },
      });
    mkdirSync(join(folder, "projects"), { recursive: true });
    const agent = write(
      "claude",
      `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path");
const dir = path.join(process.env.CLAUDE_CONFIG_DIR, "projects", process.cwd().replace(/[^a-zA-Z0-9]/g, "-"));
fs.mkdirSync(dir, { recursive: true });
const file = path.join(dir, "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d.jsonl");
fs.appendFileSync(file, ${JSON.stringify(`${record("user", "go on")}\n`)});
console.log("ready");
const timer = setInterval(() => {
  if (!fs.existsSync(${JSON.stringify(go)})) return;
  fs.appendFileSync(file, ${JSON.stringify(`${record("assistant", `the key is ${SECRET}`)}\n`)});
  clearInterval(timer);
  setInterval(() => {}, 1000);
}, 50);
`,
    );
    home.env.CLAUDE_CONFIG_DIR = folder;
    await spawnAgent(agent);
    const out = join(home.path, "out");
    const recording = rouse(home, ["record", "--all", "--out", out, "--for", "20s"]);
    const text = (name: string): string =>
      existsIn(out, name) ? readFileSync(join(onlyFolder(out), name), "utf8") : "";
    await until("the first record", () => text("transcript-1.jsonl").includes("go on"));
    writeFileSync(go, "");
    await until("the second record", () => text("transcript-1.jsonl").includes("the key is"));
    await rouse(home, ["stop", "worker", "--grace", "1"]);
    const { status, stdout } = await recording;
    expect(status).toBe(0);
    expect(stdout).toMatch(/worker-[\d-]+: terminal, 1 transcript, \d+ process samples?; \d+ s, until it ended/);
    const files = filesOf(onlyFolder(out));
    expect(Object.values(files).join("")).not.toContain(SECRET.slice(0, 30));
    expect(
      files["transcript-1.jsonl"]
        ?.trim()
        .split("\n")
        .map((line) => JSON.parse(line).type),
    ).toEqual(["user", "assistant"]);
    const times = (files["transcript-times.jsonl"] ?? "")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(times.map(({ lines }) => lines[0].type)).toEqual(["user", "assistant"]);
    expect(times[1].t).toBeGreaterThan(times[0].t);
    const replayed = await rouse(home, ["replay", onlyFolder(out), "--sources", "transcript", "--json"]);
    expect(replayed.status).toBe(0);
    expect(JSON.parse(replayed.stdout).timeline.map(({ state }: { state: string }) => state)).toContain("working");
  });

  it.each([
    ["the keys that were pressed, without text", [], "********\r"],
    ["also the text if requested, except known secrets", ["--keys"], "hunter2!\r"],
  ])("records %s", async (_, options, typed) => {
    // Without echo, as programs ask for passwords: text in the recording then comes from the keys.
    await spawnAgent("sh", "-c", "stty -echo; echo password:; read first; read second; echo thanks; sleep 100");
    const out = join(home.path, "out");
    const recording = rouse(home, ["record", "worker", "--out", out, ...options]);
    await until("the recording to start", () => existsIn(out, "session.cast.gz"));
    await rouse(home, ["type", "--unchecked", "worker", "hunter2!"]);
    await rouse(home, ["type", "--unchecked", "worker", SECRET]);
    await rouse(home, ["stop", "worker", "--grace", "1"]);
    expect((await recording).status).toBe(0);
    const cast = filesOf(onlyFolder(out))["session.cast.gz"] ?? "";
    const lines = cast
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const keys = lines.filter((line) => line[1] === "i").map((line) => line[2]);
    expect(keys.join("")).toBe(`${typed}${"*".repeat(SECRET.length)}\r`);
  });

  it("records process samples, and replay reads them", async () => {
    const script = { steps: [{ do: "tool" }] };
    await spawnAgent(...fakeAgent(home, "worker", script));
    const out = join(home.path, "out");
    const recording = rouse(home, ["record", "worker", "--out", out]);
    const samples = (): string =>
      existsIn(out, "process.jsonl") ? readFileSync(join(onlyFolder(out), "process.jsonl"), "utf8") : "";
    await until("a sample with a child", () => samples().includes('"children":1'));
    await rouse(home, ["stop", "worker", "--grace", "1"]);
    expect((await recording).status).toBe(0);
    const signals: Signal[] = [];
    const { inputs, lost, startAt } = await openCase(onlyFolder(out), new Set(["process"]));
    for await (const input of inputs) if (input.kind === "signals") signals.push(...input.signals);
    expect(lost()).toBe(0);
    const child = signals.find((signal) => signal.kind === "process" && signal.children === 1);
    expect(child).toMatchObject({ source: "process", alive: true });
    expect(child?.at).toBeGreaterThanOrEqual(startAt);
    const replayed = await rouse(home, ["replay", onlyFolder(out), "--json"]);
    expect(replayed).toMatchObject({ status: 0, stderr: "" });
  });

  it("ends on Ctrl-C with a complete recording, and leaves the agent alone", async () => {
    await spawnAgent("sh", "-c", "echo up; sleep 100");
    const terminal = rouseInTerminal(home, ["record", "worker", "--out", join(home.path, "out")]);
    await terminal.shows("press Ctrl-C to stop");
    await until("some output", () => existsIn(join(home.path, "out"), "session.cast.gz"));
    terminal.write("\u0003");
    expect(await terminal.exited).toMatchObject({ code: 130 });
    expect(filesOf(onlyFolder(join(home.path, "out")))["session.cast.gz"]).toContain("up");
    expect((await rouse(home, ["stop", "worker", "--grace", "1"])).status).toBe(0);
  });

  it("ends on Ctrl-C during its start with a complete recording", async () => {
    await rouse(home, ["spawn", "--name", "yonder", "--", "sleep", "100"]);
    await spawnAgent("sh", "-c", "echo up; sleep 100");
    const yonder = findSession(rousePaths(home.env), "yonder");
    // The newest comes first; waits for the other one.
    process.kill(yonder?.hostPid ?? 0, "SIGSTOP");
    const out = join(home.path, "out");
    const terminal = rouseInTerminal(home, ["record", "--all", "--out", out]);
    await until("some output", () => existsIn(out, "session.cast.gz"));
    terminal.write("\u0003");
    expect(await terminal.exited).toMatchObject({ signal: null });
    process.kill(yonder?.hostPid ?? 0, "SIGCONT");
    expect(filesOf(onlyFolder(out))["session.cast.gz"]).toContain("up");
    for (const name of ["worker", "yonder"]) await rouse(home, ["stop", name, "--grace", "1"]);
  });

  it("leaves a usable recording when it is killed", async () => {
    await spawnAgent("sh", "-c", "echo up; sleep 100");
    const out = join(home.path, "out");
    const terminal = rouseInTerminal(home, ["record", "worker", "--out", out]);
    await until(
      "the recording to reach the disk",
      () => existsIn(out, "session.cast.gz") && sizeIn(out, "session.cast.gz") > 40,
    );
    process.kill(terminal.pty.pid, "SIGKILL");
    await terminal.exited;
    await rouse(home, ["stop", "worker", "--grace", "1"]);
    const replayed = await rouse(home, ["replay", onlyFolder(out), "--json"]);
    expect(replayed.status).toBe(0);
    expect(JSON.parse(replayed.stdout).timeline.length).toBeGreaterThan(0);
  });

  it("records the other agents if the host of one does not answer", async () => {
    await spawnAgent("sleep", "100");
    await rouse(home, ["spawn", "--name", "silent", "--", "sleep", "100"]);
    const paths = rousePaths(home.env);
    const silent = findSession(paths, "silent");
    renameSync(silent?.hostSocket ?? "", join(home.path, "elsewhere.sock"));
    const { status, stdout, stderr } = await rouse(home, [
      "record",
      "--all",
      "--out",
      join(home.path, "out"),
      "--for",
      "1s",
    ]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/the process that holds silent .* does not answer/),
    });
    expect(stdout).toMatch(/worker-[\d-]+: .*; \d+ s\n$/);
    renameSync(join(home.path, "elsewhere.sock"), silent?.hostSocket ?? "");
    for (const name of ["worker", "silent"]) await rouse(home, ["stop", name, "--grace", "1"]);
  });

  it("explains the error if there is no agent, no agent with that name, or no name", async () => {
    expect(await rouse(home, ["record", "worker"])).toMatchObject({
      status: 1,
      stderr: 'rouse: no agent named "worker"; no agents are running; start one with `rouse spawn`\n',
    });
    expect((await rouse(home, ["record"])).status).toBe(2);
    expect((await rouse(home, ["record", "worker", "--all"])).status).toBe(2);
    expect((await rouse(home, ["record", "worker", "--for", "soon"])).status).toBe(2);
    await spawnAgent("sleep", "100");
    expect((await rouse(home, ["record", "other"])).stderr).toBe('rouse: no agent named "other"; available: worker\n');
    // Node.js never returns from creating folders below /proc.
    for (const out of ["/proc/rouse", "/dev/null"]) {
      const { status, stderr } = await rouse(home, ["record", "worker", "--out", out]);
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /^rouse: cannot record into "\/\w+\/\w+" \(.*\): give --out a writable folder\n$/,
        ),
      });
    }
    await rouse(home, ["stop", "worker", "--grace", "1"]);
  });
});

function named(out: string): Record<string, true> {
  const folder = onlyFolder(out);
  return Object.fromEntries(folder === out ? [] : readdirSync(folder).map((name) => [name, true as const]));
}

const sizeIn = (out: string, name: string): number => statSync(join(onlyFolder(out), name)).size;

function existsIn(out: string, name: string): boolean {
  try {
    return name in named(out);
  } catch {
    return false;
  }
}
