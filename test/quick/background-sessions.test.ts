/**
 * Background sessions of Claude Code, which its own supervisor runs: the state files of a real one as they changed
 * (`test/fixtures/claude-background`), read by the sensor, under the loop with its incidents and messages.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionJudge } from "../../src/core/session-judge.js";
import type { Signal } from "../../src/core/signal.js";
import { type IncidentView, incidentViews } from "../../src/daemon/views/incident-view.js";
import { SessionFileSensor } from "../../src/sensors/transcript/session-file.js";
import { agent, type Untimed } from "../support/loops.js";
import { NotifyingLoop } from "../support/notifier.js";

const FOLDER = join(import.meta.dirname, "..", "fixtures", "claude-background");
const MINUTE = 60;

/** The files at one moment, in seconds: that of the newest process, if it is there, and that of the session. */
interface Row {
  s: number;
  pid: number;
  process: object | null;
  job: Record<string, unknown>;
}

const EXIT: Untimed<Signal> = { kind: "exit", source: "process", code: null, signal: null, adopted: true };
const BEGIN: Untimed<Signal> = { kind: "turn", source: "transcript", phase: "start", byUser: true };
const said = (closing: "promise" | "result"): Untimed<Signal> => ({
  kind: "message",
  source: "transcript",
  role: "assistant",
  digest: "d",
  closing,
  preview: "its last words",
});

class Background {
  readonly test = new NotifyingLoop();
  readonly #home = mkdtempSync(join(tmpdir(), "rouse-background-"));
  readonly #rows: Row[];
  readonly #sensors = new Map<number, SessionFileSensor>();
  #s = 0;
  #pid = 0;

  constructor(name: string, cutAt: number) {
    const lines = readFileSync(join(FOLDER, `${name}.jsonl`), "utf8")
      .trim()
      .split("\n");
    this.#rows = lines.map((line) => JSON.parse(line) as Row).filter(({ s }) => s < cutAt);
    this.#s = Math.floor(this.#rows[0]?.s ?? 0);
    // Everything that could be done is permitted.
    this.test.can = ["nudge", "stop", "resume"];
  }

  close(): void {
    this.test.close();
    rmSync(this.#home, { recursive: true });
  }

  get judge(): SessionJudge {
    return this.test.loop.find("api") as SessionJudge;
  }

  get incidents(): IncidentView[] {
    return incidentViews({ state: this.test.loop.state, now: this.test.loop.now() }, { all: true, since: null });
  }

  async tell(...signals: Untimed<Signal>[]): Promise<void> {
    const at = this.test.loop.now();
    await this.test.loop.ingest(
      this.judge.session.id,
      null,
      signals.map((signal) => ({ ...signal, at }) as Signal),
    );
  }

  async exits(): Promise<void> {
    await this.#read();
    await this.tell(EXIT);
    this.test.loop.register({ ...this.judge.session, endedAt: this.test.loop.now() });
  }

  /** Plays the files up to this second of the recording, with a tick every second. */
  async playTo(second: number): Promise<void> {
    for (; this.#s < second; this.#s++) {
      this.test.hand.pass(1000);
      const rows = this.#rows.filter(({ s }) => s > this.#s && s <= this.#s + 1);
      for (const row of rows) this.#write(row);
      if (this.#pid !== 0 && (rows.length > 0 || this.#s % 10 === 0)) await this.#read();
      for (const { session } of this.test.loop.sessions()) this.test.loop.recordLiveness(session.id, "sensor");
      this.test.loop.tick();
    }
  }

  #write({ pid, process, job }: Row): void {
    const own = join(this.#home, "sessions", `${pid}.json`);
    mkdirSync(join(own, ".."), { recursive: true });
    if (process) writeFileSync(own, JSON.stringify(process));
    else rmSync(own, { force: true });
    const state = join(this.#home, "jobs", String(job.daemonShort), "state.json");
    mkdirSync(join(state, ".."), { recursive: true });
    writeFileSync(state, JSON.stringify(job));
    if (this.#pid === pid) return;
    this.#pid = pid;
    const sensor = SessionFileSensor.of({ kind: "claude-code", configFolder: this.#home, pid, startedAt: Date.now() });
    this.#sensors.set(pid, sensor as SessionFileSensor);
    const startedAt = this.test.loop.now();
    this.test.loop.register(agent({ id: `s-${pid}`, pid, origin: "transcript", startedAt }));
  }

  async #read(): Promise<void> {
    const { id, pid } = this.judge.session;
    const signals = await this.#sensors.get(pid as number)?.read(this.test.loop.now());
    if (signals?.length) await this.test.loop.ingest(id, null, signals);
  }
}

let background: Background;
afterEach(() => background.close());

const play = (name: string, cutAt: number = Number.POSITIVE_INFINITY): Background => {
  background = new Background(name, cutAt);
  return background;
};

describe("a background session of Claude Code", () => {
  it("shows the question of its permission dialog word for word, and reports it once", async () => {
    const { test } = play("permission");
    await background.playTo(120);
    const asked = "approve Bash: node slow-test.mjs 1 > r.txt";
    expect(test.view()).toMatchObject({ state: "needs_input", cause: "permission", question: asked });
    expect(test.reported).toEqual(["worker.needs_input api"]);
    expect(test.payload(0)).toMatchObject({ prompt_type: "permission", prompt_preview: asked });
    expect(background.incidents[0]?.commands[0]).toBe("claude attach b2ef3e5f");
  });

  it("shows the question of its question tool, and is closed by its user with `claude stop`", async () => {
    const { test } = play("question-stopped");
    await background.playTo(66);
    expect(test.view()).toMatchObject({
      state: "needs_input",
      question: "answer: Which one? (The code · The test)",
    });
    await background.playTo(68);
    await background.exits();
    await background.playTo(68 + 5 * MINUTE);
    expect(test.says()).toBe("idle");
    expect(test.reported).toEqual(["worker.needs_input api", "worker.recovered api"]);
  });

  it("keeps its question when the supervisor ends the waiting process", async () => {
    const { test } = play("asks-at-end");
    await background.playTo(8);
    await background.tell(BEGIN);
    await background.playTo(9);
    // What the program takes for a question counts, however the text reads.
    await background.tell(said("result"));
    await background.playTo(62);
    expect(test.view()).toMatchObject({ state: "needs_input", question: "Should I change add or the test?" });
    await background.exits();
    await background.playTo(62 + 15 * MINUTE);
    expect(test.view()).toMatchObject({ state: "needs_input", question: "Should I change add or the test?" });
    expect(test.reported).toEqual(["worker.needs_input api"]);
    expect(background.incidents[0]?.commands[0]).toBe("claude attach 18a0b28c");
  });

  it("has stopped early if its turn ends with a promise and nothing is left that wakes it, also after its end", async () => {
    const { test } = play("parked");
    await background.playTo(8);
    const call = { id: "t1", tool: "Bash", class: "build", subject: "make" } as const;
    await background.tell(BEGIN, { kind: "tool_start", source: "transcript", ...call, call: "c" });
    const launched = { kind: "tool_end", source: "transcript", id: "t1", ok: true, outcome: "", raw: "" } as const;
    await background.tell({ ...launched, background: true }, said("promise"));
    await background.playTo(61);
    expect(test.says()).toBe("complete");
    await background.playTo(62);
    await background.exits();
    await background.playTo(62 + 10 * MINUTE);
    expect(test.says()).toBe("stuck/stopped_early");
    expect(test.reported).toEqual(["worker.stuck api"]);
  });

  it("waits for a command that it left running, and is complete after ten minutes, never working", async () => {
    const { test } = play("server");
    await background.playTo(8);
    await background.tell(BEGIN);
    await background.playTo(13);
    await background.tell(said("result"));
    await background.playTo(9 * MINUTE);
    expect(test.says()).toBe("waiting/background");
    await background.playTo(12 * MINUTE);
    expect(test.says()).toBe("complete");
    expect(test.changes.slice(test.changes.indexOf("api waiting/background"))).not.toContain("api working");
    expect(background.incidents).toEqual([]);
  });

  it("that is done stays complete when the supervisor ends its process", async () => {
    const { test } = play("done");
    await background.playTo(8);
    await background.tell(BEGIN);
    await background.playTo(9);
    await background.tell(said("result"));
    await background.playTo(62);
    await background.exits();
    await background.playTo(62 + 5 * MINUTE);
    expect(test.says()).toBe("complete");
    expect(background.incidents).toEqual([]);
  });

  it("is reported when its stream hangs, which the supervisor does not notice", async () => {
    const { test } = play("hang");
    await background.playTo(8);
    await background.tell(BEGIN, { kind: "request", source: "transcript" });
    await background.playTo(8 + 20 * MINUTE);
    expect(test.says()).toBe("stuck/silent_stream");
    expect(test.reported).toEqual(["worker.stuck api"]);
  });
});

describe("a crashed background session of Claude Code", () => {
  const crash = async (cutAt?: number): Promise<Background> => {
    play("crash", cutAt);
    await background.playTo(9);
    await background.tell(BEGIN);
    await background.playTo(17);
    await background.exits();
    return background;
  };
  const next = (): unknown => background.incidents[0]?.next;

  it("is left to its supervisor: rouse names when that acts, and reports nothing if it works again", async () => {
    const { test } = await crash();
    const exitAt = test.loop.now();
    await background.playTo(20);
    expect(test.says()).toBe("gone");
    expect(next()).toEqual({
      do: null,
      at: new Date(exitAt + 10_000).toISOString(),
      reason: "Claude Code's supervisor acts in 7 s",
    });
    expect(background.incidents[0]?.reasons.at(-1)).toBe("Claude Code's supervisor acts in 7 s");
    await background.playTo(31);
    expect(background.judge.session.pid).toBe(28906);
    await background.tell({ ...BEGIN, byUser: false });
    await background.playTo(31 + 3 * MINUTE);
    expect(test.says()).toBe("working");
    expect(background.incidents).toMatchObject([{ problem: "gone", phase: "closed", actions: [] }]);
    expect(test.reported).toEqual([]);
    expect(test.arrived).toEqual([]);
  });

  it("is reported once its supervisor has had the time to restart it and did not", async () => {
    const { test } = await crash(20);
    await background.playTo(17 + 54);
    expect(test.reported).toEqual([]);
    expect(next()).toMatchObject({ reason: "Claude Code's supervisor was due 44 s ago; its restart may take longer" });
    await background.playTo(17 + 60);
    expect(test.reported).toEqual(["worker.error api"]);
    expect(background.incidents[0]?.reasons.at(-1)).toBe("Claude Code's supervisor has not restarted it for 60 s");
  });

  it("is reported at once when its supervisor gives it up", async () => {
    const { test } = await crash(20);
    await background.tell({ kind: "supervisor", source: "session_file", id: "02300902", holds: false });
    await background.playTo(20);
    expect(test.reported).toEqual(["worker.error api"]);
  });
});
