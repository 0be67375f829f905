import { describe, expect, it } from "vitest";
import { START, type Step, screen, walk } from "../../../test/support/steps.js";
import type { Signal } from "../signal.js";
import { PLAIN_TRAITS } from "../traits.js";
import { assess } from "./assess.js";
import { createEvidence, takeSignal } from "./evidence/evidence.js";

const begin = { kind: "turn", source: "hook", phase: "start", byUser: true } as const;
const end = { kind: "turn", source: "hook", phase: "end" } as const;
const exit = (code: number | null, signal: number | null = null) =>
  ({ kind: "exit", source: "process", code, signal }) as const;
const error = (cause: "api" | "auth", final = true) =>
  ({ kind: "error", source: "transcript", cause, final, digest: "e", text: "API Error" }) as const;
const prompt = (open: boolean) =>
  ({ kind: "prompt", source: "hook", open, prompt: "permission", question: "Run rm?" }) as const;
const limit = { kind: "limit", source: "transcript", level: "hit", text: "limit reached" } as const;
const tool = (id: string, cls: "shell" | "interactive" | "question") =>
  ({ kind: "tool_start", source: "hook", id, tool: "Bash", class: cls, call: id }) as const;

/** Each promise of the order of authority: gone > prompt > record > error row > activity > silence. */
const PROMISES: Record<string, Step[]> = {
  "an exit during a turn is gone, whatever was open": [
    { at: 0, signal: begin },
    { at: 1, signal: prompt(true), expect: "needs_input/permission" },
    { at: 2, signal: exit(1), expect: "gone/exit_code" },
  ],
  "an exit by signal is a crash": [
    { at: 0, signal: begin },
    { at: 5, signal: exit(null, 9), expect: "gone/crash" },
  ],
  "an exit is final even if rouse cannot see the agent": [
    { at: 0, signal: begin },
    { at: 5, signal: { kind: "sight", source: "process", seen: false, text: "no answer" }, expect: "unknown" },
    { at: 6, signal: exit(1), expect: "gone/exit_code" },
  ],
  "a result outlives the exit": [
    { at: 0, signal: begin },
    { at: 5, signal: end, expect: "complete" },
    { at: 9, signal: exit(0), expect: "complete" },
  ],
  "an error outlives the exit": [
    { at: 0, signal: begin },
    { at: 5, signal: error("auth") },
    { at: 6, signal: end, expect: "error/auth" },
    { at: 9, signal: exit(1), expect: "error/auth" },
  ],
  "an exit by the user is not a problem": [
    { at: 0, signal: begin },
    { at: 5, signal: { kind: "input", source: "human", by: "human", bytes: 1, quits: true } },
    { at: 6, signal: exit(130), expect: "idle" },
  ],
  "an open prompt outranks a running turn": [
    { at: 0, signal: begin, expect: "working" },
    { at: 1, signal: prompt(true), expect: "needs_input/permission" },
    { at: 2, signal: prompt(false), expect: "working" },
  ],
  "a permission request after a limit is a permission request": [
    { at: 0, signal: begin },
    { at: 1, signal: limit, expect: "rate_limited/limit" },
    { at: 2, signal: prompt(true), expect: "needs_input/permission" },
  ],
  "the menu of a limit is the limit, with a prompt open": [
    { at: 0, signal: begin },
    {
      at: 1,
      signal: screen({
        composer: "hidden",
        dialog: { prompt: "input", question: "What do you want to do?", limit: true },
      }),
      expect: "rate_limited/limit",
    },
  ],
  "a question tool needs input as long as it is open": [
    { at: 0, signal: begin },
    { at: 1, signal: tool("q", "question"), expect: "needs_input/input" },
    { at: 90_000, expect: "needs_input/input" },
  ],
  "a non-final error does not end a running turn": [
    { at: 0, signal: begin },
    { at: 1, signal: error("api"), expect: "working" },
  ],
  "a failure without a reason waits for one, because it may be a limit": [
    { at: 0, signal: { kind: "status", source: "program_status", status: "working" } },
    { at: 5, signal: { kind: "status", source: "program_status", status: "error" }, expect: "working" },
    { at: 6, signal: limit, expect: "rate_limited/limit" },
  ],
  "a failure that stays without a reason is still reported": [
    { at: 0, signal: { kind: "status", source: "program_status", status: "working" } },
    { at: 5, signal: { kind: "status", source: "program_status", status: "error" }, expect: "working" },
    { at: 7, expect: "error/api" },
  ],
  "a title that shows an open prompt waits for the text on the screen": [
    { at: 0, signal: { kind: "status", source: "title", status: "working" } },
    { at: 5, signal: { kind: "status", source: "title", status: "blocked" }, expect: "working" },
    { at: 6, signal: prompt(true), expect: "needs_input/permission" },
    { at: 7, signal: prompt(false), expect: "needs_input/confirmation" },
  ],
  "a state file that shows an unspecified dialog waits for the screen, too": [
    { at: 0, signal: { kind: "status", source: "session_file", status: "working" } },
    { at: 5, signal: { kind: "status", source: "session_file", status: "blocked", text: "dialog open" } },
    { at: 5, expect: "working" },
    { at: 5.5, signal: limit, expect: "rate_limited/limit" },
    { at: 9, signal: { kind: "status", source: "session_file", status: "working" } },
    { at: 20, signal: { kind: "limit", source: "stream", level: "cleared" } },
    { at: 30, signal: { kind: "status", source: "session_file", status: "blocked", prompt: "permission" } },
    { at: 30, expect: "needs_input/permission" },
  ],
  "an error row counts only above an idle composer": [
    { at: 0, signal: { kind: "input", source: "human", by: "human", bytes: 3, submits: true } },
    { at: 1, signal: screen({ busy: true, error: { cause: "api", text: "API Error: 500" } }), expect: "working" },
    { at: 9, signal: screen({ busy: false, error: { cause: "api", text: "API Error: 500" } }), expect: "error/api" },
  ],
  "a retry is a wait after an overload and an error after a rejected login": [
    { at: 0, signal: begin },
    {
      at: 1,
      signal: { kind: "retry", source: "stream", attempt: 1, max: 10, infra: "overload" },
      expect: "waiting/retry",
    },
    { at: 2, signal: { kind: "retry", source: "stream", attempt: 2, max: 10, infra: "auth" }, expect: "error/auth" },
  ],
  "work after an error clears the error": [
    { at: 0, signal: begin },
    { at: 1, signal: error("api") },
    { at: 2, signal: end, expect: "error/api" },
    { at: 9, signal: begin, expect: "working" },
  ],
  "the agent's own report holds until its next turn": [
    { at: 0, signal: begin },
    { at: 1, signal: end },
    {
      at: 2,
      signal: { kind: "report", source: "report", state: "needs_input", text: "which port?" },
      expect: "needs_input/input",
    },
    { at: 3, signal: begin, expect: "working" },
  ],
  "the agent's report of working after its turn is believed for the idle timeout": [
    { at: 0, signal: begin },
    { at: 1, signal: end, expect: "complete" },
    {
      at: 60,
      signal: { kind: "report", source: "report", state: "working", text: "in the background" },
      expect: "working",
    },
    { at: 900, expect: "working" },
    { at: 961, expect: "complete" },
  ],
  "the next end of a turn invalidates the agent's report of working": [
    { at: 0, signal: begin },
    { at: 1, signal: end },
    { at: 60, signal: { kind: "report", source: "report", state: "working" }, expect: "working" },
    { at: 70, signal: begin, expect: "working" },
    { at: 80, signal: end, expect: "complete" },
  ],
  "a heartbeat proves that the agent is alive, not that it makes progress": [
    { at: 0, signal: { kind: "turn", source: "stream", phase: "start" } },
    { at: 200, signal: { kind: "report", source: "report", heartbeat: true }, expect: "stuck/silent_stream" },
  ],
  "a question at the end of a turn needs input, an offer does not": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "message", source: "transcript", role: "assistant", digest: "m", closing: "question" } },
    { at: 2, signal: end, expect: "needs_input/input" },
    { at: 3, signal: begin },
    { at: 4, signal: { kind: "message", source: "transcript", role: "assistant", digest: "n", closing: "offer" } },
    { at: 5, signal: end, expect: "complete" },
  ],
  "a promise without a next step is an early stop, after a delay": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "message", source: "transcript", role: "assistant", digest: "m", closing: "promise" } },
    { at: 2, signal: end, expect: "complete" },
    { at: 70, expect: "stuck/stopped_early" },
  ],
  "a silent stream is reported after its clock expires, not before": [
    { at: 0, signal: { kind: "turn", source: "stream", phase: "start" }, expect: "working" },
    { at: 80, expect: "working" },
    { at: 120, expect: "stuck/silent_stream" },
    { at: 121, signal: { kind: "delta", source: "stream", channel: "content", chars: 4 }, expect: "working" },
  ],
  "an open tool explains silence": [
    { at: 0, signal: { kind: "turn", source: "stream", phase: "start" } },
    { at: 1, signal: tool("t", "shell"), expect: "working" },
    { at: 600, expect: "waiting/tool" },
  ],
  "a command that reads the terminal waits on stdin": [
    { at: 0, signal: begin },
    { at: 0.5, signal: screen({ busy: true }) },
    { at: 1, signal: tool("t", "interactive") },
    { at: 100, expect: "stuck/waiting_on_stdin" },
  ],
  "a new session is starting, then idle at its prompt": [
    { at: 0, signal: { kind: "session", source: "observer" }, expect: "starting" },
    { at: 1, signal: screen({}), expect: "idle" },
  ],
  "a turn after an interrupted one is a new turn, although the interruption is still on the screen": [
    { at: 0, signal: { kind: "input", source: "human", by: "human", bytes: 9, submits: true } },
    { at: 0, signal: { kind: "status", source: "title", status: "working" } },
    { at: 1, signal: screen({ busy: true }), expect: "working" },
    { at: 9, signal: { kind: "status", source: "title", status: "idle" } },
    { at: 9, signal: screen({ busy: false, interrupted: true }) },
    { at: 13, expect: "idle" },
    { at: 19, signal: { kind: "input", source: "human", by: "human", bytes: 9, submits: true } },
    { at: 20, signal: { kind: "status", source: "title", status: "working" } },
    { at: 21, signal: screen({ busy: true, interrupted: true }), expect: "working" },
    { at: 22, signal: screen({ reply: "b", busy: true, interrupted: true }), expect: "working" },
    { at: 30, signal: { kind: "status", source: "title", status: "idle" } },
    { at: 30, signal: screen({ reply: "c", busy: false, closing: "result" }) },
    { at: 35, expect: "complete" },
  ],
  "an interrupted turn is idle, because the user is present": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "turn", source: "hook", phase: "interrupted" }, expect: "idle" },
  ],
  "machine sleep makes no agent stuck": [
    { at: 0, signal: { kind: "turn", source: "stream", phase: "start" } },
    {
      at: 7200,
      signal: { kind: "gap", source: "observer", from: START + 10_000, to: START + 7_195_000 },
      expect: "working",
    },
  ],
};

describe("the order of authority", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });
});

describe("an assessment", () => {
  it("without evidence is unknown and gives a reason", () => {
    const assessment = assess(createEvidence(), START);
    expect(assessment).toMatchObject({ state: "unknown", confidence: 0, recheckAt: null });
    expect(assessment.reasons).not.toEqual([]);
  });

  it("returns the time at which it would change", () => {
    const evidence = createEvidence();
    takeSignal(evidence, { kind: "turn", source: "stream", phase: "start", at: START });
    const first = assess(evidence, START);
    expect(first.state).toBe("working");
    const at = first.recheckAt as number;
    expect(assess(evidence, at - 1).state).toBe("working");
    expect(assess(evidence, at)).toMatchObject({ state: "stuck", cause: "silent_stream" });
  });

  it("reports a suspicion early and permits action late, with two kinds of evidence", () => {
    const evidence = createEvidence();
    const at = START;
    takeSignal(evidence, { kind: "turn", source: "stream", phase: "start", at });
    takeSignal(evidence, { ...screen({ busy: true, moving: true, replying: true }), at });
    takeSignal(evidence, { kind: "output", source: "screen", bytes: 9, at: at + 400_000 });
    expect(assess(evidence, at + 150_000)).toMatchObject({ state: "stuck", level: "report" });
    expect(assess(evidence, at + 400_000)).toMatchObject({ state: "stuck", level: "act" });
  });

  it.each([
    { children: 0, level: "act", kinds: ["screen", "process"] },
    { children: 1, level: "report", kinds: ["screen"] },
  ])("is $level for a process tree with $children children", ({ children, level, kinds }) => {
    const evidence = createEvidence();
    const at = START;
    takeSignal(evidence, { kind: "status", source: "title", status: "working", at });
    takeSignal(evidence, { ...screen({ busy: true, moving: true, replying: true }), at });
    takeSignal(evidence, { kind: "process", source: "process", alive: true, children, cpuMs: 10, at });
    takeSignal(evidence, { kind: "output", source: "screen", bytes: 9, at: at + 400_000 });
    expect(assess(evidence, at + 400_000)).toMatchObject({ state: "stuck", cause: "silent_stream", level, kinds });
  });

  it.each([
    {
      program: "a program that it knows",
      traits: { ...PLAIN_TRAITS, versions: { from: "1.0.0", to: "2.0.0" } },
      minutes: 3,
    },
    { program: "any other program", traits: PLAIN_TRAITS, minutes: 16 },
  ])("gives $program up to $minutes min to show output", ({ traits, minutes }) => {
    const evidence = createEvidence(traits);
    takeSignal(evidence, { kind: "process", source: "process", alive: true, children: 0, cpuMs: 10, at: START });
    expect(assess(evidence, START + (minutes - 2) * 60_000).state).toBe("starting");
    expect(assess(evidence, START + minutes * 60_000)).toMatchObject({ state: "stuck", cause: "never_started" });
  });

  it.each([
    { what: "the cause that ended the last turn", again: false, says: { state: "error", cause: "auth" } },
    { what: "no row from before an aborted turn", again: true, says: { state: "gone", cause: null } },
  ])("lets $what outlive an exit of unknown status", ({ again, says }) => {
    const evidence = createEvidence();
    const shown = screen({ busy: false, composer: "empty", error: { cause: "auth", text: "401" } });
    takeSignal(evidence, { kind: "status", source: "title", status: "working", at: START });
    takeSignal(evidence, { kind: "status", source: "title", status: "idle", at: START + 9000 });
    takeSignal(evidence, { ...shown, at: START + 10_000 });
    if (again) takeSignal(evidence, { kind: "status", source: "title", status: "working", at: START + 30_000 });
    takeSignal(evidence, { kind: "exit", source: "process", code: null, signal: null, at: START + 32_000 });
    expect(assess(evidence, START + 60_000)).toMatchObject(says);
  });

  it("uses the row of the next limit until its record arrives, and a record until its reset", () => {
    const evidence = createEvidence();
    const text = "You've hit your usage limit";
    const row = (at: number, until: number) =>
      takeSignal(evidence, { ...screen({ busy: false, limit: { text, until: START + until } }), at: START + at });
    takeSignal(evidence, { kind: "limit", source: "transcript", level: "hit", until: START + 60_000, text, at: START });
    row(1000, 90_000);
    expect(assess(evidence, START + 1000).until).toBe(START + 60_000);
    takeSignal(evidence, { ...screen({ busy: true }), at: START + 70_000 });
    row(71_000, 3_600_000);
    expect(assess(evidence, START + 71_000).until).toBe(START + 3_600_000);
  });

  it("does not end a turn by an older row that was read while the turn was running", () => {
    const evidence = createEvidence();
    const limit = { text: "You've hit your usage limit. Try again at 11:37 AM.", until: START + 60_000 };
    const at = (ms: number, signal: Omit<Signal, "at">): string => {
      takeSignal(evidence, { ...signal, at: START + ms } as Signal);
      return assess(evidence, START + ms).state;
    };
    const status = (word: "working" | "done" | "error") =>
      ({ kind: "status", source: "program_status", status: word }) as const;
    at(0, status("working"));
    at(9000, status("error"));
    expect(at(10_000, screen({ busy: false, composer: "empty", limit }))).toBe("rate_limited");
    expect(at(120_000, status("working"))).toBe("working");
    // One check saw the reply grow; another has to agree that the row is gone.
    at(120_500, screen({ busy: false, composer: "empty", limit, reply: "recovered" }));
    expect(at(121_000, status("done"))).toBe("working");
    expect(at(122_500, screen({ busy: false, composer: "empty", reply: "recovered" }))).toBe("complete");
  });

  it("does not end a turn whose screen was never read by the row of the previous turn", () => {
    const evidence = createEvidence();
    const limit = { text: "You've hit your usage limit. Try again at 11:37 AM.", until: START + 60_000 };
    const status = (word: "working" | "done" | "error", at: number): void =>
      takeSignal(evidence, { kind: "status", source: "program_status", status: word, at: START + at });
    const says = (at: number): string => assess(evidence, START + at).state;
    status("working", 0);
    status("error", 9000);
    takeSignal(evidence, { ...screen({ busy: false, composer: "empty", limit }), at: START + 10_000 });
    expect(says(100_000)).toBe("rate_limited");
    status("working", 120_000);
    status("done", 122_000);
    expect(says(122_000)).toBe("working");
    takeSignal(evidence, { ...screen({ busy: false, composer: "empty", reply: "recovered" }), at: START + 123_000 });
    expect(says(123_000)).toBe("complete");
    // The same text again, or an unchanged screen: the limit holds.
    status("working", 200_000);
    takeSignal(evidence, { ...screen({ busy: true }), at: START + 201_000 });
    status("error", 202_000);
    takeSignal(evidence, { ...screen({ busy: false, composer: "empty", limit }), at: START + 203_000 });
    expect(says(203_000)).toBe("rate_limited");
    status("working", 300_000);
    status("done", 300_500);
    expect(says(310_000)).toBe("rate_limited");
  });
});
