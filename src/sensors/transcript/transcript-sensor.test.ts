import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent } from "../../../test/support/loops.js";
import { assess } from "../../core/judgement/assess.js";
import { createEvidence, takeSignal } from "../../core/judgement/evidence/evidence.js";
import { SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { profileFor, traitsOf } from "../../programs/registry.js";
import { NO_CONTEXT } from "../../readers/records/record-reader.js";
import { SessionFileSensor } from "./session-file.js";
import { TranscriptSensor } from "./transcript-sensor.js";

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-transcript-"));
  path = join(root, "s.jsonl");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const NOON = Date.UTC(2026, 4, 4, 12);
const HOUR = 3_600_000;
let serial = 0;
const line = (at: number, record: Record<string, unknown>) =>
  `${JSON.stringify({ sessionId: "s1", cwd: "/w", version: "2.1.325", uuid: `u${serial++}`, timestamp: new Date(at).toISOString(), ...record })}\n`;
const prompt = (at: number, text: string) => line(at, { type: "user", message: { role: "user", content: text } });
const call = (at: number, id: string, command: string) =>
  line(at, {
    type: "assistant",
    message: { id: `m${id}`, role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input: { command } }] },
  });
const result = (at: number, id: string, text: string) =>
  line(at, {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] },
  });

const sensor = (more: object = {}) => new TranscriptSensor({ kind: "claude-code", path, root, ...NO_CONTEXT, ...more });

describe("TranscriptSensor", () => {
  it("dates new records at the time of the check", async () => {
    const live = sensor();
    expect((await live.read(NOON)).refusal).toBe("missing");
    appendFileSync(path, prompt(NOON - HOUR, "mend the parser"));
    const { signals } = await live.read(NOON + 2000);
    expect(signals.length).toBeGreaterThan(0);
    expect(new Set(signals.map((s) => s.at))).toEqual(new Set([NOON + 2000]));
    expect(new Set(signals.map((s) => s.source))).toEqual(new Set(["transcript"]));
    await live.close();
  });

  it("uses a record's own time only if it lies between two distant checks", async () => {
    writeFileSync(path, "");
    const live = sensor();
    await live.read(NOON);
    appendFileSync(
      path,
      prompt(NOON - HOUR, "one") + prompt(NOON + 2 * HOUR, "two") + prompt(NOON + 9 * HOUR, "three"),
    );
    const { signals } = await live.read(NOON + 3 * HOUR);
    const prompts = signals.filter((s) => s.kind === "message");
    expect(prompts.map((s) => s.at)).toEqual([NOON, NOON + 2 * HOUR, NOON + 3 * HOUR]);
    await live.close();
  });

  it("reads an existing transcript as history, followed by a gap", async () => {
    writeFileSync(path, prompt(NOON - 5 * HOUR, "go") + call(NOON - 4 * HOUR, "t1", "make test"));
    const met = sensor();
    const { signals } = await met.read(NOON);
    expect(signals[0]).toEqual({
      kind: "gap",
      source: "observer",
      at: NOON - 5 * HOUR,
      from: NOON - 5 * HOUR,
      to: NOON,
    });
    expect(signals.find((s) => s.kind === "tool_start")?.at).toBe(NOON - 4 * HOUR);
    await met.close();
  });

  it("reads the whole first record, not only its identity", async () => {
    writeFileSync(path, call(NOON - HOUR, "t1", "make test"));
    const met = sensor();
    const { signals } = await met.read(NOON);
    expect(signals.filter((s) => s.kind === "tool_start")).toMatchObject([{ id: "t1", at: NOON - HOUR }]);
    await met.close();
  });

  it("raises no alarm for a silence before its first check, but one for a silence after it", async () => {
    writeFileSync(path, prompt(NOON - 9 * HOUR, "go") + call(NOON - 8 * HOUR, "t1", "make test"));
    const met = sensor();
    const evidence = createEvidence(traitsOf(profileFor("claude-code")));
    for (const signal of (await met.read(NOON)).signals) takeSignal(evidence, signal);
    expect(["working", "waiting"]).toContain(assess(evidence, NOON).state);
    // The program would have ended the command by then, so it probably waits for an approval.
    expect(assess(evidence, NOON + 12 * HOUR).state).toBe("needs_input");
    await met.close();
  });

  it("matches a result after a restart to its call, and reports nothing twice", async () => {
    writeFileSync(path, prompt(NOON, "go") + call(NOON, "t1", "make test"));
    const first = sensor();
    const before = (await first.read(NOON)).signals;
    const state = JSON.parse(JSON.stringify(first.state)) as typeof first.state;
    await first.close();
    appendFileSync(path, result(NOON + HOUR, "t1", "3 passed"));
    const second = sensor({ resume: state });
    const { signals } = await second.read(NOON + 2 * HOUR);
    await second.close();
    expect(before.some((s) => s.kind === "tool_start")).toBe(true);
    expect(signals.map((s) => s.kind)).toContain("tool_end");
    expect(signals.map((s) => s.kind)).not.toContain("tool_start");
    expect(signals.find((s) => s.kind === "tool_end")?.at).toBe(NOON + HOUR);
  });

  it("keeps no text of the transcript in its state", async () => {
    writeFileSync(path, prompt(NOON, "the launch code is 0000"));
    const live = sensor();
    await live.read(NOON);
    expect(JSON.stringify(live.state)).not.toContain("launch");
    expect(live.state.marks).toHaveLength(1);
    await live.close();
  });

  it("reads the identity from the head of a long transcript", async () => {
    const meta = JSON.stringify({
      timestamp: new Date(NOON).toISOString(),
      type: "session_meta",
      payload: { id: "c1", cwd: "/w", cli_version: "0.166.0" },
    });
    const filler = `${JSON.stringify({ timestamp: new Date(NOON).toISOString(), type: "world_state", payload: { text: "x".repeat(500) } })}\n`;
    writeFileSync(path, `${meta}\n${filler.repeat(100)}`);
    const met = new TranscriptSensor({ kind: "codex", path, root, ...NO_CONTEXT, windowBytes: 2000 });
    const { signals } = await met.read(NOON + 1000);
    expect(signals.find((s) => s.kind === "session")).toMatchObject({ id: "c1", cwd: "/w" });
    await met.close();
  });

  it("does not report copied lines again when the conversation continues in another file", async () => {
    const old = prompt(NOON - HOUR, "first") + call(NOON - HOUR, "t1", "ls") + result(NOON - HOUR, "t1", "a b");
    writeFileSync(path, old);
    const live = sensor();
    await live.read(NOON - HOUR);
    appendFileSync(path, prompt(NOON, "now"));
    await live.read(NOON);
    const next = join(root, "next.jsonl");
    writeFileSync(next, old + prompt(NOON + 1000, "second"));
    await live.follow(next);
    const { signals } = await live.read(NOON + 2000);
    expect(
      signals.filter((s): s is Signal & { kind: "message" } => s.kind === "message").map((s) => s.preview),
    ).toEqual(["second"]);
    await live.close();
  });

  it("judges a forked conversation once: the process that has a copy of an open call raises no alarm", async () => {
    const open = prompt(NOON, "mend the parser") + call(NOON + 1000, "t1", "make");
    writeFileSync(path, open);
    const copy = join(root, "copy.jsonl");
    writeFileSync(copy, open.replaceAll('"s1"', '"s2"'));
    const LATER = NOON + 10 * 60_000;
    const judged = async (file: string, startedAt: number): Promise<string> => {
      const judge = new SessionJudge(agent({ origin: "transcript", startedAt }), LATER);
      const own = sensor({ path: file, startedAt });
      judge.take((await own.read(LATER)).signals, LATER);
      await own.close();
      return judge.peek(LATER + 3 * HOUR).state;
    };
    expect([await judged(path, NOON - HOUR), await judged(copy, LATER - 1000)]).toEqual(["needs_input", "starting"]);
  });

  it.each([
    ["an empty file", ""],
    ["blank lines", "\n\n\n"],
    ["prose", "not json\n"],
    ["a list", "[1]\n"],
    ["fields of the wrong type", '{"type":7,"message":[]}\n'],
    ["a deep nest", `${"[".repeat(50_000)}\n`],
  ])("reports nothing for %s", async (_, text) => {
    writeFileSync(path, text);
    const live = sensor();
    expect((await live.read(NOON)).signals.filter((s) => s.kind !== "session")).toEqual([]);
    await live.close();
  });
});

describe("SessionFileSensor", () => {
  it("reports each change of the file once, with its conversation", async () => {
    mkdirSync(join(root, "sessions"));
    const file = join(root, "sessions", "77.json");
    const write = (status: string) =>
      writeFileSync(file, JSON.stringify({ pid: 77, sessionId: "s1", cwd: "/w", status }));
    write("busy");
    const sensor = SessionFileSensor.of({
      kind: "claude-code",
      configFolder: root,
      pid: 77,
      startedAt: Date.now(),
    }) as SessionFileSensor;
    expect((await sensor.read(1)).find((s) => s.kind === "status")).toMatchObject({
      status: "working",
      source: "session_file",
    });
    expect((await sensor.read(2)).filter((s) => s.kind === "status")).toEqual([]);
    write("idle");
    expect((await sensor.read(3)).find((s) => s.kind === "status")).toMatchObject({ status: "idle", at: 3 });
    expect(sensor.session).toMatchObject({ sessionId: "s1", cwd: "/w" });
  });

  it("dates a status by the change of the file, between its last two checks", async () => {
    mkdirSync(join(root, "sessions"));
    const file = join(root, "sessions", "77.json");
    const write = (status: string, at: number) => {
      writeFileSync(file, JSON.stringify({ pid: 77, sessionId: "s1", cwd: "/w", status }));
      utimesSync(file, new Date(at), new Date(at));
    };
    const process = { kind: "claude-code", configFolder: root, pid: 77, startedAt: NOON };
    const sensor = SessionFileSensor.of(process) as SessionFileSensor;
    const statusAt = async (at: number) => (await sensor.read(at)).find(({ kind }) => kind === "status")?.at;
    write("busy", NOON);
    expect(await statusAt(NOON + 9000)).toBe(NOON + 9000);
    write("idle", NOON + 10_000);
    expect(await statusAt(NOON + 14_000)).toBe(NOON + 10_000);
    write("busy", NOON + 1000);
    expect(await statusAt(NOON + 16_000)).toBe(NOON + 14_000);
    write("idle", NOON + 99_000);
    expect(await statusAt(NOON + 18_000)).toBe(NOON + 18_000);
  });

  it("ignores a file of a dead process with the same pid", async () => {
    mkdirSync(join(root, "sessions"));
    const file = join(root, "sessions", "77.json");
    writeFileSync(file, JSON.stringify({ pid: 77, sessionId: "old", status: "waiting" }));
    utimesSync(file, new Date(NOON), new Date(NOON));
    const sensor = SessionFileSensor.of({
      kind: "claude-code",
      configFolder: root,
      pid: 77,
      startedAt: NOON + HOUR,
    }) as SessionFileSensor;
    expect(await sensor.read(1)).toEqual([]);
    expect(sensor.session).toBeNull();
  });

  describe("of a session in the background", () => {
    const JOB = "4a5f578d";
    const own = { pid: 77, sessionId: "s1", cwd: "/w", kind: "bg", jobId: JOB, status: "waiting" };
    const write = (name: string, value: unknown): string => {
      const path = join(root, name);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
      return path;
    };
    const state = { state: "working", tempo: "blocked", needs: "approve Bash: make", intent: "mend the test" };
    const open = (): SessionFileSensor => {
      const process = { kind: "claude-code", configFolder: root, pid: 77, startedAt: Date.now() };
      return SessionFileSensor.of(process) as SessionFileSensor;
    };
    const asked = (signals: Signal[]): (string | undefined)[] =>
      signals.flatMap((signal) => (signal.kind === "status" ? [signal.text] : []));

    it("also reads its supervisor's file, of which it keeps the required fields only", async () => {
      write("sessions/77.json", own);
      write(`jobs/${JOB}/state.json`, state);
      const sensor = open();
      expect(asked(await sensor.read(1))).toEqual(["approve Bash: make"]);
      const { intent: _, ...kept } = state;
      expect(sensor.session?.record.job).toEqual({ id: JOB, ...kept });
      expect(sensor.supervisedAs).toBe(JOB);
    });

    it("still reads that file when the file of the process is gone", async () => {
      const path = write("sessions/77.json", own);
      write(`jobs/${JOB}/state.json`, state);
      const sensor = open();
      await sensor.read(1);
      rmSync(path);
      write(`jobs/${JOB}/state.json`, { state: "stopped", tempo: "idle" });
      expect((await sensor.read(2)).map(({ kind }) => kind)).toEqual(["input", "supervisor"]);
    });

    it.each([
      ["a path in the id", () => write("secret/state.json", state), { ...own, jobId: "../secret" }],
      [
        "the id of another kind of session",
        () => write(`jobs/${JOB}/state.json`, state),
        { ...own, kind: "interactive" },
      ],
    ])("ignores %s", async (_, prepare, process) => {
      write("jobs/other/state.json", state);
      prepare();
      write("sessions/77.json", process);
      const sensor = open();
      expect(asked(await sensor.read(1))).toEqual([undefined]);
      expect(sensor.supervisedAs).toBeUndefined();
    });

    it.each<[string, () => void]>([
      ["a link", () => symlinkSync(write("secret.json", state), join(root, "jobs", JOB, "state.json"))],
      ["half a file", () => write(`jobs/${JOB}/state.json`, '{"state": "working", "tempo": "bl')],
      ["a huge file", () => write(`jobs/${JOB}/state.json`, { ...state, intent: "x".repeat(300_000) })],
    ])("survives %s in place of that file", async (_, place) => {
      mkdirSync(join(root, "jobs", JOB), { recursive: true });
      place();
      write("sessions/77.json", own);
      const sensor = open();
      expect(asked(await sensor.read(1))).toEqual([undefined]);
      expect(sensor.supervisedAs).toBe(JOB);
    });
  });
});
