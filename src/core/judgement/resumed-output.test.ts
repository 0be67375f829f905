/** A stall clock never starts before the turn it belongs to: the moment in which output resumes is not a stall. */
import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../test/support/steps.js";

type SignalOf = NonNullable<Step["signal"]>;

const busy = (reply: string, tokens?: number): SignalOf =>
  screen({ busy: true, moving: true, composer: "hidden", reply, ...(tokens === undefined ? {} : { tokens }) });
const begin = (source: "transcript" | "hook" | "stream"): SignalOf => ({
  kind: "turn",
  source,
  phase: "start",
  byUser: true,
});
const end = (source: "transcript" | "hook" | "stream"): SignalOf => ({ kind: "turn", source, phase: "end" });
const call: SignalOf = { kind: "tool_start", source: "transcript", id: "a", tool: "Read", class: "instant", call: "c" };
const done: SignalOf = { kind: "tool_end", source: "transcript", id: "a", ok: true, outcome: "o", raw: "r" };
const status = (word: "working" | "idle", source: "title" | "program_status" | "session_file" = "title"): SignalOf => ({
  kind: "status",
  source,
  status: word,
});

/** Ten minutes without anything before output resumes. */
const BEFORE: Record<string, readonly SignalOf[]> = {
  "a finished turn in the transcript": [begin("transcript"), call, done, end("transcript")],
  "a finished turn of hooks": [begin("hook"), end("hook")],
  "a finished turn by the title": [status("working"), status("idle")],
  "an idle screen": [busy("r1"), screen({ busy: false, reply: "r1" })],
  "a turn without an end in the transcript": [begin("transcript"), call, done],
  "a busy screen": [busy("r1", 5)],
  "a busy title over an idle transcript": [begin("transcript"), status("working"), end("transcript")],
};

const RESUMED: Record<string, SignalOf> = {
  "a prompt in the transcript": begin("transcript"),
  "a prompt in a hook": begin("hook"),
  "a busy title": status("working"),
  "a busy status": status("working", "program_status"),
  "a busy session file": status("working", "session_file"),
  "a new reply on the screen": busy("r2", 9),
  "a text": { kind: "delta", source: "transcript", channel: "content", chars: 10 },
  "a call": { ...call, id: "b", call: "d" } as SignalOf,
  "a message": { kind: "message", source: "transcript", role: "assistant", digest: "d", closing: "result" },
};

const CASES = Object.entries(BEFORE).flatMap(([before, signals]) =>
  Object.entries(RESUMED).flatMap(([after, signal]): [string, readonly SignalOf[], SignalOf][] => {
    const isMidTurn = before.includes("without an end") || before === "a busy screen" || before.includes("busy title");
    const isFlag = signal.kind === "status";
    // A flag that repeats what it said shows nothing new.
    return isMidTurn && isFlag ? [] : [[`${before}: ${after}`, signals, signal]];
  }),
);

describe("output that resumes after ten silent minutes is no stall", () => {
  it.each(CASES)("%s", (_, signals, resumed) => {
    const steps = [...signals.map((signal, n): Step => ({ at: n, signal })), { at: 610, signal: resumed, expect: "" }];
    const traits = { retriesSilently: false, versions: { from: "1", to: "1" } };
    const [said = ""] = walk(steps, traits).said;
    expect(said).not.toMatch(/stuck/);
    const [later = ""] = walk(
      [...steps.slice(0, -1), { at: 610, signal: resumed }, { at: 640, expect: "" }],
      traits,
    ).said;
    expect(later).not.toMatch(/stuck\/(?:silent|frozen|tool)/);
  });
});
