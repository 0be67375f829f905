import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { activitySourceOf } from "../../core/judgement/activity-sources.js";
import { createWorld, takeWorld } from "../../core/judgement/evidence/world.js";
import { isMeaningfulProgress } from "../../core/judgement/guard.js";
import type { Signal, SignalKind } from "../../core/signal.js";
import { type FolderOptions, WorkspaceFolder } from "./folder.js";
import { matchesName, matchesPath } from "./glob.js";
import { WorkspaceSensor } from "./workspace-sensor.js";

const HOUR = 3_600_000;
let base: string;
let work: string;
/** Checks take a time: it advances by itself, a little ahead of the files. */
let now: number;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "rouse-work-"));
  work = join(base, "work");
  mkdirSync(work);
  now = Date.now();
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function git(...args: string[]): string {
  const identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, "-C", work, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function write(path: string, text: string, at?: number): void {
  mkdirSync(join(work, path, ".."), { recursive: true });
  writeFileSync(join(work, path), text);
  if (at !== undefined) utimesSync(join(work, path), at / 1000, at / 1000);
}

function commit(subject: string): void {
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", subject);
}

const sensorAt = (path: string, options?: FolderOptions) =>
  new WorkspaceSensor({ folder: new WorkspaceFolder(path, options) });

async function check(sensor: WorkspaceSensor): Promise<Signal[]> {
  now += 1000;
  return sensor.check(now);
}

const of = <K extends SignalKind>(signals: Signal[], kind: K) =>
  signals.filter((signal): signal is Extract<Signal, { kind: K }> => signal.kind === kind);
const paths = (signals: Signal[]) => of(signals, "file").map((signal) => signal.path);

it("a workspace without changes is reported as watched once, and a missing one is not", async () => {
  const sensor = sensorAt(work);
  expect(await check(sensor)).toMatchObject([{ kind: "session", source: "workspace", at: now }]);
  expect(await check(sensor)).toEqual([]);
  expect(await check(sensorAt(join(base, "nowhere")))).toEqual([]);
});

describe("WorkspaceSensor in a repository", () => {
  beforeEach(() => {
    git("init", "-q");
    write("a.txt", "one\n");
    commit("begin");
  });

  it("reports commits of the lookback first, then each new one once", async () => {
    const sensor = sensorAt(work);
    expect(of(await check(sensor), "commit").map((c) => c.subject)).toEqual(["begin"]);
    commit("second");
    commit("third");
    const signals = of(await check(sensor), "commit");
    expect(signals.map((c) => c.subject)).toEqual(["second", "third"]);
    expect(signals[0]?.id).toMatch(/^[0-9a-f]{40}$/);
    expect(of(await check(sensor), "commit")).toEqual([]);
  });

  it("does not count a branch with old commits as work", async () => {
    git("checkout", "-q", "-b", "old");
    execFileSync(
      "git",
      ["-C", work, "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-m", "long ago"],
      {
        env: { ...process.env, GIT_COMMITTER_DATE: "2020-01-01T00:00:00Z", GIT_AUTHOR_DATE: "2020-01-01T00:00:00Z" },
      },
    );
    git("checkout", "-q", "-");
    const sensor = sensorAt(work);
    await check(sensor);
    git("checkout", "-q", "old");
    expect(of(await check(sensor), "commit")).toEqual([]);
  });

  it("counts only the agent's commits if commit words are configured", async () => {
    const sensor = new WorkspaceSensor({ folder: new WorkspaceFolder(work), authors: ["agent-7"] });
    await check(sensor);
    commit("by a human");
    commit("agent-7: a step");
    expect(of(await check(sensor), "commit").map((c) => c.subject)).toEqual(["agent-7: a step"]);
  });

  it("reports an edit, and its undo with the digest that the file had before", async () => {
    write("a.txt", "two\n");
    const sensor = sensorAt(work);
    const first = of(await check(sensor), "file");
    expect(first.map((f) => f.path)).toEqual(["a.txt"]);
    write("a.txt", "three!\n");
    const second = of(await check(sensor), "file");
    write("a.txt", "two\n", now + 5000);
    const third = of(await check(sensor), "file");
    expect(second[0]?.digest).not.toBe(first[0]?.digest);
    expect(third[0]?.digest).toBe(first[0]?.digest);
    expect(await check(sensor)).toEqual([]);
  });

  it("reports new, staged and removed files, and no ignored ones", async () => {
    write(".gitignore", "ignored\n");
    write("b.txt", "b\n");
    commit("more");
    const sensor = sensorAt(work);
    await check(sensor);
    write("new file.txt", "x");
    write("ignored", "x");
    write("a.txt", "staged\n");
    git("add", "a.txt");
    rmSync(join(work, "b.txt"));
    expect(paths(await check(sensor)).sort()).toEqual(["a.txt", "b.txt", "new file.txt"]);
  });

  it("runs no program that the repository configures, and takes no lock", async () => {
    const proof = join(base, "ran");
    const script = join(base, "run.sh");
    writeFileSync(script, `#!/bin/sh\necho ran >> ${proof}\ncat\n`, { mode: 0o755 });
    git("config", "core.fsmonitor", script);
    git("config", "filter.evil.clean", script);
    git("config", "filter.evil.process", script);
    git("config", "diff.external", script);
    git("config", "core.pager", script);
    git("config", "gpg.program", script);
    git("config", "log.showSignature", "true");
    write(".gitattributes", "*.txt filter=evil diff=evil\n");
    write("a.txt", "six\n");
    const sensor = sensorAt(work);
    writeFileSync(join(work, ".git", "index.lock"), "");
    expect(paths(await check(sensor))).toContain("a.txt");
    expect(existsSync(proof)).toBe(false);
    expect(existsSync(join(work, ".git", "index.lock"))).toBe(true);
  });

  it("reports at most fifty files at a time", async () => {
    const sensor = sensorAt(work);
    await check(sensor);
    for (let i = 0; i < 80; i++) write(`many/${i}.txt`, "x");
    expect(of(await check(sensor), "file")).toHaveLength(50);
    expect(of(await check(sensor), "file")).toHaveLength(30);
  });
});

describe("WorkspaceSensor in a plain folder", () => {
  const sensorOf = () => sensorAt(work);

  it("reports files that change, and no old ones", async () => {
    write("old.txt", "x", now - 5 * HOUR);
    write("fresh.txt", "x", now - 60_000);
    const sensor = sensorOf();
    const first = of(await check(sensor), "file");
    expect(first.map((f) => f.path)).toEqual(["fresh.txt"]);
    expect(first[0]?.at).toBe(now - 61_000);
    appendFileSync(join(work, "old.txt"), "y");
    expect(paths(await check(sensor))).toEqual(["old.txt"]);
  });

  it.each([
    [".pytest_cache/v/cache/lastfailed", "{}", '{"t.py::test_a": true}'],
    ["test-results/.last-run.json", '{"status":"passed"}', '{"status":"failed"}'],
    ["junit.xml", '<testsuite tests="2" failures="0" errors="0">', '<testsuite tests="2" failures="1" errors="0">'],
    [
      "node_modules/.vite/vitest/results.json",
      '{"results":[["a",{"failed":false}]]}',
      '{"results":[["a",{"failed":true}]]}',
    ],
  ])("reads %s as a test run", async (path, passed, failed) => {
    write(path, failed, now - 9 * HOUR);
    const sensor = sensorOf();
    expect(of(await check(sensor), "test")).toEqual([]);
    write(path, passed, now + 1000);
    const [green] = of(await check(sensor), "test");
    expect(green).toMatchObject({ ok: true, source: "workspace" });
    write(path, failed, now + 2000);
    expect(of(await check(sensor), "test")).toMatchObject([{ ok: false }]);
    write(path, passed, now + 3000);
    expect(of(await check(sensor), "test")[0]?.digest).toBe(green?.digest);
  });

  it("does not count a new timestamp of a status as activity", async () => {
    write("status.json", '{"state":"working","last_updated":"10:00"}', now - 9 * HOUR);
    const sensor = sensorOf();
    await check(sensor);
    write("status.json", '{"state":"working","last_updated":"11:00"}', now + 1000);
    expect(of(await check(sensor), "file").filter((f) => f.role === "status")).toEqual([]);
    write("status.json", '{"state":"done","last_updated":"12:00"}', now + 2000);
    expect(of(await check(sensor), "file").filter((f) => f.role === "status")).toHaveLength(1);
  });

  it("reports devlogs and contracts by their roles", async () => {
    const sensor = sensorAt(work, { sources: { devlog: ["notes/**/*.md"] } });
    await check(sensor);
    write("notes/2026/may/a.md", "did it");
    write("contracts/c1.json", "{}");
    const roles = of(await check(sensor), "file").map((f) => f.role);
    expect(roles).toEqual(expect.arrayContaining(["devlog", "contract"]));
  });

  it("counts neither a new timestamp of a status nor a new message as work", async () => {
    write("status.json", '{"state":"working","last_updated":"10:00"}');
    const sensor = sensorOf();
    await check(sensor);
    write("status.json", '{"state":"working","last_updated":"11:00"}', now + 1000);
    write("agent_workspaces/ann/inbox/m.md", "inactivity detected");
    write("message_queue.json", "[1]");
    write("devlogs/2026/a.md", "did it");
    write("src/a.ts", "1");
    const reported = await check(sensor);
    expect(of(reported, "file").map(({ path, role }) => `${role} ${path}`)).toEqual(
      expect.arrayContaining(["workspace src/a.ts", "devlog devlogs/2026/a.md"]),
    );
    expect(of(reported, "file")).toHaveLength(2);
  });

  it("reports new and handled messages", async () => {
    write("inbox/1.md", "a");
    write("message_queue/q.json", '{"messages":[1,2]}');
    const sensor = sensorOf();
    expect(of(await check(sensor), "queue")).toEqual([]);
    write("inbox/2.md", "b");
    expect(of(await check(sensor), "queue")).toMatchObject([{ op: "enqueue", depth: 2 }]);
    rmSync(join(work, "inbox"), { recursive: true });
    write("message_queue/q.json", '{"messages":[2]}');
    const left = of(await check(sensor), "queue");
    expect(left.map(({ op }) => op)).toEqual(["dequeue", "dequeue"]);
    expect(new Set(left.map(({ depth }) => depth))).toEqual(new Set([0, 1]));
  });

  it("follows no link and no path out of the folder", async () => {
    mkdirSync(join(base, "outside", "inbox"), { recursive: true });
    writeFileSync(join(base, "outside", "status.json"), '{"a":1}');
    writeFileSync(join(base, "outside", "x.md"), "x");
    symlinkSync(join(base, "outside"), join(work, "devlogs"));
    symlinkSync(join(base, "outside", "status.json"), join(work, "status.json"));
    const sensor = sensorAt(work, { sources: { contract: ["../outside/*"] } });
    expect(of(await check(sensor), "file")).toEqual([]);
  });

  it("bounds what it reads, and checks less often if that takes long", async () => {
    for (let i = 0; i < 300; i++) write(`d${i % 10}/${i}/f.txt`, "x");
    const sensor = sensorOf();
    expect(sensor.isDue(now)).toBe(true);
    expect(of(await check(sensor), "file")).toHaveLength(50);
    expect(sensor.isDue(now + 29_999)).toBe(false);
  });

  it("reports nothing for a missing folder", async () => {
    expect(await sensorAt(join(base, "nowhere")).check(now)).toEqual([]);
  });
});

describe("matches", () => {
  it.each([
    ["*", "a", true],
    ["*.md", "a.md", true],
    ["*.md", ".md", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*c", "a-c-b", false],
    ["a*b*c", "a-b-c", true],
    ["x", "xy", false],
  ])("for %j and %j returns %s", (pattern, name, expected) => {
    expect(matchesName(pattern, name)).toBe(expected);
  });

  it.each([
    ["status.json", "status.json", true],
    ["status.json", "a/status.json", false],
    ["devlogs/**/*.md", "devlogs/a.md", true],
    ["devlogs/**/*.md", "devlogs/2026/may/a.md", true],
    ["devlogs/**/*.md", "devlogs/2026/may/a.txt", false],
    ["**/**/**/**/**/x", `${"a/".repeat(2000)}y`, false],
    ["inbox/*", "inbox", false],
  ])("applies to whole paths: %s, %s", (pattern, path, expected) => {
    expect(matchesPath(pattern, path)).toBe(expected);
  });
});

describe("rouse's own folders in a workspace", () => {
  it("are never entered, with git and without", async () => {
    for (const withGit of [false, true]) {
      if (withGit) git("init", "-q");
      const sensor = sensorAt(work, { exclude: [join(work, "state")] });
      await sensor.check(now);
      write("state/journal.db", `signals ${withGit}`);
      write("statement.txt", `work ${withGit}`);
      const reported = await sensor.check(now + 60_000);
      const files = reported
        .filter((signal) => signal.kind === "file")
        .map((signal) => (signal as { path: string }).path);
      expect(files.join(" ")).toContain("statement.txt");
      expect(files.join(" ")).not.toContain("journal.db");
    }
  });
});

describe("readings of files", () => {
  /** Read at this time, long after its last change. */
  const read = (path: string, at: number): void => utimesSync(join(work, path), at / 1000, (now - HOUR) / 1000);

  it("are reported as a weak sign: the latest one of a check, once", async () => {
    write("a.txt", "one");
    write("b.txt", "two");
    const sensor = sensorAt(work);
    await check(sensor);
    read("a.txt", now + 20_000);
    read("b.txt", now + 30_000);
    now += 60_000;
    const found = of(await check(sensor), "file").filter(({ role }) => role === "access");
    expect(found).toEqual([{ kind: "file", at: now - 31_000, source: "workspace", path: "b.txt", role: "access" }]);
    expect(activitySourceOf(found[0] as Signal)).toBe("workspace_access");
    expect(of(await check(sensor), "file").filter(({ role }) => role === "access")).toEqual([]);
  });

  it("by rouse itself and by its own git leave no trace", async () => {
    git("init", "-q");
    write(".gitignore", "*.log\n");
    write("status.json", "{}");
    write("a.txt", "one");
    commit("begin");
    const sensor = sensorAt(work);
    await check(sensor);
    write("a.txt", "more");
    write("status.json", '{"step": 1}');
    // The files are read after the time of the check.
    now = Date.now() - 2000;
    expect(paths(await check(sensor))).toEqual(["a.txt", "status.json"]);
    now = Date.now() + 60_000;
    expect(paths(await check(sensor))).toEqual([]);
  });
});

describe("the events of a project's own telemetry", () => {
  const FILE = "runtime/agent_comms/activity_events.jsonl";
  const emit = (event: object): void => {
    mkdirSync(join(work, FILE, ".."), { recursive: true });
    appendFileSync(join(work, FILE), `${JSON.stringify(event)}\n`);
  };
  const agent = (name: string) => new WorkspaceSensor({ folder: new WorkspaceFolder(work), names: [name] });
  const times = (signals: Signal[]) =>
    of(signals, "file")
      .filter(({ role }) => role === "telemetry")
      .map(({ at }) => at);

  it("are tool and model calls at their own times, for the agent that they name", async () => {
    const sensor = agent("agent-7");
    emit({ agent: "Agent-7", type: "task_completed", timestamp: new Date(now - 3 * HOUR).toISOString() });
    emit({ agent: "Agent-7", type: "git_push", timestamp: new Date(now - 60_000).toISOString() });
    expect(times(await check(sensor))).toEqual([now - 61_000]);
    emit({ agent: "Agent-7", type: "validation", ts: (now + 500) / 1000 });
    emit({ agent_id: "agent-8", type: "validation", ts: (now + 500) / 1000 });
    emit({ event: "validation" });
    const found = await check(sensor);
    expect(times(found)).toEqual([now - 500, now]);
    expect(of(found, "file").map((signal) => activitySourceOf(signal))).toEqual(["telemetry_event", "telemetry_event"]);
    expect(times(await check(sensor))).toEqual([]);
  });

  it("are no heartbeats, no acknowledgements, no recovery prompts, and no torn or foreign lines", async () => {
    const sensor = agent("agent-7");
    await check(sensor);
    emit({ agent: "agent-7", type: "heartbeat" });
    emit({ agent: "agent-7", type: "message", summary: "Got it, resuming now." });
    emit({ agent: "agent-7", type: "message", summary: "[C2A] inactivity detected" });
    appendFileSync(join(work, FILE), 'no json\n[1]\n{"agent":"agent-7","ty');
    expect(await check(sensor)).toEqual([]);
    appendFileSync(join(work, FILE), 'pe":"test_run"}\n');
    expect(times(await check(sensor))).toHaveLength(1);
  });

  it("are activity and no change of the work: they neither end a loop nor prove a recovery", async () => {
    const sensor = agent("agent-7");
    await check(sensor);
    emit({ type: "task_completed" });
    const [event] = of(await check(sensor), "file");
    expect(event).toMatchObject({ role: "telemetry", path: FILE });
    expect(takeWorld(createWorld(), event as Signal)).toBe(false);
    expect(isMeaningfulProgress(event as Signal)).toBe(false);
  });

  it("are not followed through a link, and a file that grows without end costs a bounded reading", async () => {
    const sensor = agent("agent-7");
    await check(sensor);
    mkdirSync(join(work, "telemetry"));
    writeFileSync(join(base, "secret.jsonl"), '{"type":"x"}\n');
    symlinkSync(join(base, "secret.jsonl"), join(work, "telemetry", "a.jsonl"));
    expect(times(await check(sensor))).toEqual([]);
    write("telemetry/b.jsonl", '{"type":"x"}\n'.repeat(100_000));
    expect(times(await check(sensor)).length).toBeLessThanOrEqual(200);
  });
});
