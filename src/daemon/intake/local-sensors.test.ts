import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ClaudeLines } from "../../../test/support/claude-lines.js";
import { until } from "../../../test/support/hosts.js";
import { agent, TestLoop, WORKING } from "../../../test/support/loops.js";
import { START } from "../../../test/support/steps.js";
import type { AgentSession } from "../../core/agent.js";
import { MINUTE } from "../../core/text/time.js";
import { NO_CONTEXT } from "../../readers/records/record-reader.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import type { RecordedEnd } from "../../terminal/registry.js";
import { LocalSensors } from "./local-sensors.js";

let folder: string;
let test: TestLoop;
let sensors: LocalSensors;
let child: ChildProcess;
let ended: Promise<void>;
let claude: ChildProcess | null = null;
/** The record that the session's host left. */
let recorded: RecordedEnd | null;
/** Ended sessions whose hosts did not reach the daemon. */
let unreported: AgentSession[];

beforeEach(() => {
  recorded = null;
  unreported = [];
  folder = mkdtempSync(join(tmpdir(), "rouse-sensors-"));
  mkdirSync(join(folder, "tmux"));
  // Keeps the sensors away from the real tmux panes of this machine.
  vi.stubEnv("TMUX_TMPDIR", join(folder, "tmux"));
  test = new TestLoop();
  sensors = new LocalSensors(test.loop, {
    rules: { programs: false, tags: [], names: [] },
    tagsIn: () => [],
    pattern: null,
    profiles: () => [],
    accountKey: "key",
    readContext: NO_CONTEXT,
    positionsFile: join(folder, "positions.json"),
    ownFolders: [folder],
    workspace: { commit_words: ["{name}:"] },
    endOf: () => recorded,
    endedSince: (since, isSkipped) => unreported.filter(({ id, endedAt }) => (endedAt ?? 0) >= since && !isSkipped(id)),
    openDatabase: () => {
      throw new Error("there is none");
    },
  });
  child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  ended = new Promise((resolve) => child.once("exit", () => resolve()));
});

afterEach(async () => {
  await sensors.stop();
  child.kill("SIGKILL");
  claude?.kill("SIGKILL");
  claude = null;
  await ended;
  test.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function watch(origin: "transcript" | "spawn" | "run", fields: object = {}): void {
  const pid = child.pid as number;
  test.loop.register(agent({ origin, pid, pidStart: identityOf(pid), ...fields }));
}

/** A program that is taken for Claude Code, with its files in the folder of the test. */
async function startClaude(env: Record<string, string> = {}): Promise<ChildProcess> {
  const script = join(folder, "bin", "claude");
  mkdirSync(join(folder, "bin"));
  writeFileSync(script, 'console.log("up"); setInterval(() => {}, 1000);');
  claude = spawn(process.execPath, [script], {
    cwd: folder,
    env: { HOME: folder, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(claude.stdout as NonNullable<typeof claude.stdout>, "data");
  return claude;
}

const processOf = ({ pid = 0 }: ChildProcess) => ({ kind: "claude-code", pid, pidStart: identityOf(pid) });

/** Its state file names this conversation from now on. */
function openConversation({ pid }: ChildProcess, sessionId: string): void {
  const states = join(folder, ".claude", "sessions");
  mkdirSync(states, { recursive: true });
  writeFileSync(join(states, `${pid}.json`), JSON.stringify({ pid, sessionId, cwd: folder }));
}

function write(conversation: string, { text }: ClaudeLines): string {
  const project = join(folder, ".claude", "projects", "p");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${conversation}.jsonl`), text.trimStart());
  return join(project, `${conversation}.jsonl`);
}

const samples = () => {
  test.journal.flush();
  return [...test.journal.read("s1")].flatMap(({ signal }) => (signal.kind === "process" ? [signal] : []));
};
const endedAt = () => test.loop.find("s1")?.session.endedAt ?? null;
/** A check runs every two seconds of real time; the test moves the daemon's clock. */
const afterChecks = async (what: string, isSo: () => boolean): Promise<void> =>
  until(
    what,
    () => {
      test.hand.pass(500);
      return isSo();
    },
    30_000,
  );

describe.runIf(process.platform === "linux")("the daemon's own sensors", { timeout: 90_000 }, () => {
  it("find work in the configured files, and count only the agent's own commits", async () => {
    const work = mkdtempSync(join(tmpdir(), "rouse-sensors-work-"));
    const now = new Date(test.loop.now());
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", work, "-c", "user.name=x", "-c", "user.email=x@x", ...args], {
        env: { ...process.env, GIT_AUTHOR_DATE: now.toISOString(), GIT_COMMITTER_DATE: now.toISOString() },
      });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "somebody else's");
    git("commit", "-q", "--allow-empty", "-m", "a: its own");
    mkdirSync(join(work, "devlogs"));
    writeFileSync(join(work, "devlogs", "today.md"), "done");
    utimesSync(join(work, "devlogs", "today.md"), now, now);
    watch("transcript", { name: "a", workspace: work, startedAt: test.loop.now() - 60_000 });
    sensors.start();
    const seen = () => {
      test.journal.flush();
      return [...test.journal.read("s1")].map(({ signal }) => signal);
    };
    await until(
      "its devlog",
      () => seen().some((signal) => signal.kind === "file" && signal.role === "devlog"),
      30_000,
    );
    const subjects = seen().flatMap((signal) => (signal.kind === "commit" ? [signal.subject] : []));
    expect(subjects).toEqual(["a: its own"]);
    rmSync(work, { recursive: true, force: true });
  });

  it("store the results of one check of many agents in few commits", async () => {
    const sessions = Array.from({ length: 40 }, (_, n) => `s${n + 1}`);
    for (const session of sessions) watch("transcript", { id: session, name: session });
    const before = test.journal.stats().commits;
    sensors.start();
    await until(
      "a sample of each",
      () => sessions.every((session) => [...test.journal.read(session)].length > 0),
      30_000,
    );
    expect(test.journal.stats().commits - before).toBeLessThan(10);
  });

  it("sample an agent's process, and record that it is alive", async () => {
    watch("transcript");
    const before = test.loop.find("s1")?.lastAliveAt ?? 0;
    sensors.start();
    await until("a sample", () => samples().length > 0);
    expect(samples()[0]).toMatchObject({ alive: true });
    await afterChecks("a later sign of life", () => (test.loop.find("s1")?.lastAliveAt ?? 0) > before + 5000);
    expect(endedAt()).toBeNull();
  });

  it("take the user's own limit for a command from the environment of the program", async () => {
    const program = await startClaude({ BASH_DEFAULT_TIMEOUT_MS: "900000" });
    openConversation(program, "c1");
    write("c1", new ClaudeLines("2.1.210").prompt(0, "Build it.").calls(5, "b", "Bash", { command: "make" }));
    watch("transcript", { ...processOf(program), startedAt: 0 });
    sensors.start();
    const open = () => test.loop.find("s1")?.evidence.tools.open.get("b");
    await until("its call", () => open() !== undefined, 60_000);
    expect(open()?.limitMs).toBe(900_000);
  });

  it("take the records of another session as history when a running program resumes or forks its conversation", async () => {
    const program = await startClaude();
    openConversation(program, "own");
    const own = write("own", new ClaudeLines("2.1.210"));
    watch("transcript", { ...processOf(program), startedAt: START - 30 * MINUTE });
    sensors.start();
    await until("its own conversation", () => sensors.transcriptOf("s1") === own, 60_000);
    await afterChecks("later checks", () => (test.loop.find("s1")?.lastAliveAt ?? 0) > START + 20_000);
    const theirs = new ClaudeLines("2.1.210").prompt(-1200, "Build it.");
    const forked = write("forked", theirs.calls(-1195, "b", "Bash", { command: "make" }));
    openConversation(program, "forked");
    const evidence = () => test.loop.find("s1")?.evidence;
    await until("the records of the other session", () => evidence()?.session.id === "s1", 60_000);
    expect([evidence()?.tools.open.size, evidence()?.turn.statuses.transcript]).toEqual([0, undefined]);
    appendFileSync(forked, new ClaudeLines("2.1.210").prompt(90, "Go on.").text);
    await until("its own turn", () => evidence()?.turn.statuses.transcript?.status === "active", 60_000);
  });

  it("store refused signals once the disk has room again", async () => {
    const append = test.journal.append.bind(test.journal);
    let refused = 0;
    test.journal.append = () => {
      refused++;
      return Promise.reject(new Error("disk full"));
    };
    watch("transcript");
    sensors.start();
    await until("a try", () => refused > 0);
    expect(samples()).toEqual([]);
    test.journal.append = append;
    // Its process is unchanged, so there would be no new sample.
    await until("the sample that was refused", () => samples().length > 0, 30_000);
  });

  it("end a session without another watcher when its process has ended", async () => {
    watch("transcript");
    await test.send("s1", WORKING);
    sensors.start();
    await until("a sample", () => samples().length > 0);
    child.kill("SIGKILL");
    await ended;
    await afterChecks("the end", () => endedAt() !== null);
    expect(test.says()).toBe("gone");
  });

  it("treat a reused process number as another process", async () => {
    watch("transcript", { pidStart: "another start" });
    sensors.start();
    await afterChecks("the end", () => endedAt() !== null);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });

  it("wait for the host to report the end first", async () => {
    child.kill("SIGKILL");
    await ended;
    watch("spawn", { pidStart: "gone" });
    const startedAt = test.loop.now();
    sensors.start();
    await until("a sample", () => samples().some(({ alive }) => alive === false));
    expect(endedAt()).toBeNull();
    await afterChecks("the end", () => endedAt() !== null);
    expect((endedAt() as number) - startedAt).toBeGreaterThanOrEqual(20_000);
  });

  it("take the end from the record of a host that ended with its agent", async () => {
    child.kill("SIGKILL");
    await ended;
    recorded = { code: null, signal: 9, leftBy: null };
    watch("run", { pidStart: "gone" });
    await test.send("s1", WORKING);
    sensors.start();
    await until("the end", () => endedAt() !== null);
    expect(test.says()).toBe("gone/crash");
  });

  it.each(["human", "client"] as const)(
    "do not report a crash if the record says that a %s ended the session",
    async (leftBy) => {
      child.kill("SIGKILL");
      await ended;
      recorded = { code: null, signal: 15, leftBy };
      watch("spawn", { pidStart: "gone" });
      await test.send("s1", WORKING);
      sensors.start();
      await until("the end", () => endedAt() !== null);
      expect(test.says()).toBe("idle");
    },
  );

  it("take the exit from the record if the host reported only the end of its session", async () => {
    recorded = { code: 1, signal: null, leftBy: null };
    watch("run", { endedAt: test.loop.now() });
    expect(test.says()).toBe("starting");
    sensors.start();
    await afterChecks("the exit", () => test.says() === "gone/exit_code");
  });

  it("report an agent of a host that ended before the daemon answered", async () => {
    recorded = { code: 1, signal: null, leftBy: null };
    unreported = [agent({ id: "s7", name: "early", origin: "run", endedAt: test.loop.now() - 1000 })];
    sensors.start();
    await until("the agent", () => test.loop.find("early")?.assessment.state === "gone");
    expect(test.loop.find("early")?.assessment.cause).toBe("exit_code");
  });

  it("continue with the other agents if one fails", async () => {
    watch("transcript", { id: "bad", name: "bad", workspace: "\0nowhere" });
    watch("transcript");
    sensors.start();
    await until("a sample of the other", () => samples().length > 0);
    expect(test.loop.find("bad")?.session.endedAt).toBeNull();
  });

  describe("with a session that its program's own supervisor runs", () => {
    const JOB = "4a5f578d";
    const started: ChildProcess[] = [];
    afterEach(async () => {
      for (const one of started.splice(0)) {
        const gone = new Promise((resolve) => one.once("exit", resolve));
        if (one.kill("SIGKILL")) await gone;
      }
    });

    const write = (name: string, value: object): void => {
      mkdirSync(join(folder, ".claude", name, ".."), { recursive: true });
      writeFileSync(join(folder, ".claude", name), JSON.stringify(value));
    };
    const job = (state: string): void => write(`jobs/${JOB}/state.json`, { state, tempo: "active" });
    /** A process of the session, as the supervisor starts it. */
    const start = (): ChildProcess => {
      mkdirSync(join(folder, "work"), { recursive: true });
      const one = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
        argv0: "claude bg-spare",
        cwd: join(folder, "work"),
        env: { HOME: folder, CLAUDE_CODE_SESSION_KIND: "bg" },
        stdio: "ignore",
      });
      started.push(one);
      const { pid } = one;
      const session = { sessionId: "0b9f7c2e-0000-4000-8000-000000000001", kind: "bg", jobId: JOB };
      write(`sessions/${pid}.json`, { pid, ...session, cwd: join(folder, "work"), status: "busy" });
      return one;
    };
    const runs = (name: string, { pid }: ChildProcess): boolean => {
      const { session, evidence } = test.loop.find(name) ?? {};
      return session?.pid === pid && session?.endedAt === null && evidence?.supervisor?.holds === true;
    };
    const alive = (): number =>
      test.loop
        .sessions()
        .filter(({ session, evidence }) => session.endedAt === null && evidence.supervisor?.id === JOB).length;

    it("wait for its next process when one ended, and take that for the same agent, also under another name", async () => {
      job("working");
      const first = start();
      await sensors.watch({ programs: true, tags: [], names: [] });
      await until("the session", () => runs(`work-${JOB}`, first), 30_000);
      const session = test.loop.find(`work-${JOB}`)?.session as AgentSession;
      test.loop.register({ ...session, name: "mender" });
      first.kill("SIGKILL");
      await until("the end", () => test.says("mender") === "gone", 30_000);
      expect(test.loop.find("mender")?.assessment.supervisor).toMatchObject({ name: "Claude Code's supervisor" });
      const second = start();
      await until("the next process", () => runs("mender", second), 30_000);
      expect(alive()).toBe(1);
    });

    it("end its session if the next process is there before the end of the last one was seen", async () => {
      job("working");
      const first = start();
      await sensors.watch({ programs: true, tags: [], names: [] });
      await until("the session", () => runs(`work-${JOB}`, first), 30_000);
      first.kill("SIGKILL");
      const second = start();
      await until("the next process", () => runs(`work-${JOB}`, second), 30_000);
      expect(alive()).toBe(1);
    });

    it("see its supervisor give it up after the end of its process", async () => {
      job("working");
      const first = start();
      await sensors.watch({ programs: true, tags: [], names: [] });
      await until("the session", () => runs(`work-${JOB}`, first), 30_000);
      first.kill("SIGKILL");
      await until("the end", () => test.says(`work-${JOB}`) === "gone", 30_000);
      const session = test.loop.find(`work-${JOB}`)?.session.id ?? "";
      await until("a check after the end", () => sensors.transcriptOf(session) === null, 30_000);
      write(`jobs/${JOB}/state.json`, { state: "failed", tempo: "idle" });
      await until(
        "the end of its wait",
        () => test.loop.find(`work-${JOB}`)?.evidence.supervisor?.holds === false,
        30_000,
      );
    });
  });
});
