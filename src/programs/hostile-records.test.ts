/** Promises that hold for every reader of records: no record breaks one, and no cut of the bytes changes a signal. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../core/signal.js";
import { parseRecord } from "../readers/records/json.js";
import { LineSplitter } from "../readers/records/lines.js";
import { NO_CONTEXT, type RecordReader } from "../readers/records/record-reader.js";
import { parseSignal } from "../readers/signal-schema.js";
import { ClaudeTranscriptReader } from "./claude-code/readers/transcript.js";
import { loadReaders, PROGRAMS } from "./registry.js";

const RUNS = process.env.ROUSE_FULL === "1" ? 20_000 : 500;

const SOURCES = ["transcript", "stream", "hook", "session_file"] as const;
const readersFor = await loadReaders();
const READERS: readonly (readonly [name: string, make: () => RecordReader])[] = [
  ...PROGRAMS.map(({ profile }) => profile.id),
  "some-program",
].flatMap((program) =>
  SOURCES.flatMap((source) => {
    const make = readersFor(program)[source];
    return make ? [[`the reader of ${program}'s ${source}`, () => make(NO_CONTEXT)] as const] : [];
  }),
);

/** Words that the readers react to, so that nonsense reaches their inner parts. */
const WORDS = `
  type subtype payload message content item event error status role id call_id user assistant system result
  text tool_use tool_result tool_use_id name input arguments output response_item event_msg function_call
  function_call_output reasoning token_count info rate_limits primary used_percent resets_at task_started
  task_complete stream_event content_block_delta delta thinking usage input_tokens isApiErrorMessage
  hook_event_name BeforeTool AfterTool BeforeAgent Notification ToolPermission details PreCompress tool_response PreToolUse PostToolUse Stop PermissionRequest tool_name tool_input api_error api_retry
  rate_limit_event resetsAt retryInMs stop_reason end_turn action item.started item.completed turn.failed
  command_execution command agent-turn-complete busy waiting waitingFor sessionId queue-operation attachment
  progress data api-request querySource timestamp tool step-start step-finish completed running pending tokens __proto__
  user.message assistant.message assistant.turn_start tool.execution_start tool.execution_complete permission.requested
  session.start session.error toolCallId toolName toolRequests permissionRequest
  job state tempo needs inFlight tasks queued updatedAt statusUpdatedAt blocked crashed stopped idle active shell
`
  .trim()
  .split(/\s+/);

const { node: value } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(...WORDS, null, true, false, 0, -1, 1e308, "", "{", "[Request interrupted by user]"),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.double(),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...WORDS), tie("node"), { maxKeys: 6, noNullPrototype: true }),
  ),
}));

const word = fc.constantFrom(...WORDS);
const block = fc.record(
  { type: word, id: word, name: word, input: value, text: value, content: value, tool_use_id: word, thinking: value },
  { requiredKeys: ["type"] },
);
const inner = fc.oneof(
  value,
  fc.record(
    {
      type: word,
      id: word,
      call_id: word,
      name: word,
      arguments: value,
      output: value,
      item: value,
      error: value,
      info: value,
      rate_limits: value,
    },
    { requiredKeys: ["type"] },
  ),
  fc.record({
    id: word,
    model: word,
    usage: value,
    stop_reason: word,
    content: fc.oneof(value, fc.array(block, { maxLength: 3 })),
  }),
);
/** Records that have the shape of real ones, and nonsense in every field. */
const record = fc.oneof(
  value,
  fc.record(
    {
      type: word,
      subtype: word,
      payload: inner,
      message: inner,
      item: inner,
      event: inner,
      error: value,
      status: value,
      data: inner,
      result: value,
    },
    { requiredKeys: ["type"] },
  ),
  fc.record(
    {
      table: fc.constantFrom("session", "message", "part"),
      id: word,
      message_id: word,
      session_id: word,
      data: fc.oneof(
        value,
        fc.record({ type: word, role: word, tool: word, state: value, tokens: value, error: value }),
      ),
    },
    { requiredKeys: ["table"] },
  ),
  fc.record({
    hook_event_name: word,
    tool_name: value,
    tool_input: value,
    tool_use_id: value,
    tool_response: value,
    prompt: value,
    message: value,
  }),
);

describe.each(READERS)("%s", (_, make) => {
  it("accepts any sequence of values without throwing, and gives dated signals that can be stored", () => {
    const reported = new Set<string>();
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), (records) => {
        const reader = make();
        for (const [i, record] of records.entries()) {
          for (const signal of reader.read(record, i)) {
            expect(signal.at).toBe(i);
            expect(parseSignal(signal), JSON.stringify(signal)).not.toBeNull();
            reported.add(signal.kind);
          }
        }
      }),
      { numRuns: RUNS, seed: 1 },
    );
    // The nonsense was accepted by the reader: otherwise this would prove nothing.
    expect(reported.size).toBeGreaterThan(0);
  });

  it("keeps texts bounded for fields of any length", () => {
    const long = "x".repeat(300_000);
    const reader = make();
    const records = [
      { type: "assistant", version: long, message: { id: long, model: long, content: [{ type: "text", text: long }] } },
      { type: "user", cwd: long, message: { content: long } },
      {
        type: "assistant",
        message: { id: long, content: [{ type: "tool_use", id: long, name: long, input: { command: long } }] },
      },
      { type: "user", message: { content: [{ type: "tool_result", tool_use_id: long, content: long }] } },
      { type: "assistant", error: long, message: { content: long } },
      { hook_event_name: "UserPromptSubmit", prompt: long },
      { hook_event_name: "PermissionRequest", tool_name: long, tool_input: { command: long } },
      { hook_event_name: "Notification", message: `needs your permission ${long}` },
      { hook_event_name: "SessionEnd", reason: long },
      { status: "waiting", waitingFor: long },
      { type: "event_msg", payload: { type: "task_complete", error: { message: long } } },
      { type: "event_msg", payload: { type: "user_message", message: long } },
      { type: "turn.failed", error: { message: long } },
      { type: "agent-turn-complete", "last-assistant-message": long },
      { type: "system", subtype: "informational", content: `continuing automatically ${long}` },
      { type: "rate_limit_event", rate_limit_info: { status: long, rateLimitType: long } },
    ];
    for (const record of records) {
      for (const signal of reader.read(record, 0))
        expect(JSON.stringify(signal).length, signal.kind).toBeLessThan(4096);
    }
  });
});

const LINES: readonly unknown[] = [
  { type: "user", message: { content: "Übersetze 🦊" } },
  {
    type: "assistant",
    message: { id: "m", content: [{ type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }] },
  },
  { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: "ä\nö" }] } },
  { type: "novel" },
  {
    type: "assistant",
    message: { id: "n", content: [{ type: "text", text: "Fertig – möchtest du A oder B?" }], stop_reason: "end_turn" },
  },
];
const BYTES = new TextEncoder().encode(
  `${LINES.map((line) => JSON.stringify(line)).join("\n")}\n\0\n{"type":"user","mess\n`,
);

function readCut(sizes: readonly number[]): { signals: Signal[]; skipped: unknown } {
  const reader = new ClaudeTranscriptReader();
  const splitter = new LineSplitter();
  const signals: Signal[] = [];
  for (let from = 0, i = 0; from < BYTES.length; i++) {
    const to = from + (sizes[i % sizes.length] ?? 1);
    for (const line of splitter.push(BYTES.slice(from, to))) {
      const record = parseRecord(line);
      if (record) signals.push(...reader.read(record, 0));
    }
    from = to;
  }
  return { signals, skipped: [...reader.skipped] };
}

describe("a transcript in pieces", () => {
  it("gives the same signals wherever it is cut", () => {
    const whole = readCut([BYTES.length]);
    expect(whole.signals).toHaveLength(6);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4096 }), { minLength: 1, maxLength: 6 }), (sizes) => {
        expect(readCut(sizes)).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });
});
