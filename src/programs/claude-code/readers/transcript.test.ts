import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { ClaudeTranscriptReader } from "./transcript.js";

const AT = Date.UTC(2030, 0, 2, 12, 0);

function read(
  records: unknown[],
  reader = new ClaudeTranscriptReader({ marker: "<promise>COMPLETE</promise>" }),
): Signal[] {
  return records.flatMap((record, i) => reader.read(record, AT + i * 1000));
}

/** The signals as short words, without the session facts. */
function words(records: unknown[], reader?: ClaudeTranscriptReader): string[] {
  return read(records, reader)
    .filter((signal) => signal.kind !== "session")
    .map((signal) => {
      switch (signal.kind) {
        case "turn":
          return `turn ${signal.phase}${signal.byUser ? " by user" : ""}${signal.presumed ? " presumed" : ""}`;
        case "message":
          return `${signal.role} says`;
        case "prompt":
          return signal.open ? `asks ${signal.prompt}` : "asks no more";
        case "error":
          return `error ${signal.cause}`;
        case "limit":
          return `limit ${signal.level}`;
        case "compaction":
          return `compaction ${signal.phase}`;
        default:
          return signal.kind;
      }
    });
}

const base = { isSidechain: false, sessionId: "s-1", version: "2.1.300", cwd: "/srv/project" };
const prompt = (content: unknown, more = {}) => ({
  ...base,
  type: "user",
  message: { role: "user", content },
  ...more,
});
const reply = (id: string, block: unknown, stop: string | null = "tool_use", more = {}) => ({
  ...base,
  type: "assistant",
  message: {
    id,
    model: "some-model",
    role: "assistant",
    content: [block],
    stop_reason: stop,
    usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 7 },
  },
  ...more,
});
const text = (words: string) => ({ type: "text", text: words });
const call = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown, more = {}) =>
  prompt([{ type: "tool_result", tool_use_id: id, content, ...more }]);
const failure = (words: string, more = {}) => ({
  ...reply("err", text(words), "stop_sequence", { isApiErrorMessage: true, ...more }),
});
const system = (subtype: string, more = {}) => ({ ...base, type: "system", subtype, ...more });

describe("ClaudeTranscriptReader", () => {
  it("reports a plain turn from its prompt to its end, once", () => {
    expect(
      words([
        prompt("Mend the parser"),
        { type: "api-request", querySource: "repl_main_thread" },
        reply("m1", { type: "thinking", thinking: "hm" }),
        reply("m1", call("t1", "Read", { file_path: "/srv/project/a.ts" })),
        result("t1", "contents"),
        reply("m2", { type: "thinking", thinking: "done" }, "end_turn"),
        reply("m2", text("The parser is mended."), "end_turn"),
        system("turn_duration", { durationMs: 5 }),
      ]),
    ).toEqual([
      "turn start by user",
      "user says",
      "request",
      "tokens",
      "delta",
      "tool_start",
      "tool_end",
      "tokens",
      "delta",
      "assistant says",
      "turn end",
    ]);
  });

  it("reports session facts once, and again when they change", () => {
    const signals = read([
      prompt("a", { permissionMode: "default" }),
      prompt("b", { permissionMode: "default" }),
      { type: "permission-mode", permissionMode: "bypassPermissions", sessionId: "s-1" },
    ]).filter((signal) => signal.kind === "session");
    expect(signals).toMatchObject([
      { id: "s-1", version: "2.1.300", cwd: "/srv/project", permissions: "asking" },
      { permissions: "bypass" },
    ]);
  });

  it("counts the tokens of a reply once, although each of its blocks repeats them", () => {
    const tokens = read([reply("m1", text("a")), reply("m1", text("b")), reply("m2", text("c"))]).filter(
      (signal) => signal.kind === "tokens",
    );
    expect(tokens).toMatchObject([
      { input: 15, output: 7 },
      { input: 15, output: 7 },
    ]);
  });

  it.each([
    ["an instruction that the program adds", prompt("note", { isMeta: true })],
    ["the summary of a compaction", prompt("This session is continued", { isCompactSummary: true })],
    ["a command of the program", prompt("<command-name>/mcp</command-name>")],
    ["a command's output", prompt("<local-command-stdout>ok</local-command-stdout>")],
    ["the user's own shell", prompt("<bash-input>ls</bash-input>")],
    ["an empty message", prompt([])],
  ])("does not treat %s as a prompt", (_, record) => {
    expect(words([record])).toEqual([]);
  });

  it("does not treat a background notice as a user's prompt", () => {
    expect(words([prompt("<task-notification>task b1 completed</task-notification>")])).toEqual([
      "turn start",
      "user says",
    ]);
    expect(words([prompt("wake up", { origin: { kind: "cron" } })])).toEqual(["turn start", "user says"]);
  });

  it("opens a turn again when a hook sends the model back to work", () => {
    expect(
      words([prompt("go"), reply("m1", text("Done."), "end_turn"), reply("m2", text("More."), "end_turn")]).filter(
        (w) => w.startsWith("turn"),
      ),
    ).toEqual(["turn start by user", "turn end", "turn start", "turn end"]);
  });

  it("presumes an end if the release writes no stop reason, and withdraws it when the reply continues", () => {
    expect(
      words([prompt("go"), reply("m1", text("Looking."), null), reply("m1", call("t1", "Read", {}), null)]).filter(
        (w) => w.startsWith("turn"),
      ),
    ).toEqual(["turn start by user", "turn end presumed", "turn start"]);
  });

  it("does not presume the end of a truncated reply", () => {
    expect(
      words([
        prompt("go"),
        reply("m1", text("The cause is "), null, { isAbortedMidStream: true }),
        prompt([text("[Request interrupted by user]")]),
      ]).filter((w) => w.startsWith("turn")),
    ).toEqual(["turn start by user", "turn interrupted by user"]);
  });

  it("keeps a question open until it is answered", () => {
    const ask = call("q1", "AskUserQuestion", { questions: [{ question: "Which database?", options: [] }] });
    expect(words([prompt("go"), reply("m1", ask), result("q1", "SQLite")]).slice(3)).toEqual([
      "tool_start",
      "asks input",
      "tool_end",
      "asks no more",
    ]);
    expect(read([prompt("go"), reply("m1", ask)])).toContainEqual(
      expect.objectContaining({ kind: "prompt", question: "Which database?" }),
    );
  });

  it("gives the same call the same digest, regardless of its description", () => {
    const calls = read([
      reply("m1", call("t1", "Bash", { command: "npm test", description: "Run the tests" })),
      reply("m2", call("t2", "Bash", { description: "Run them again", command: "npm test" })),
      reply("m3", call("t3", "Bash", { command: "npm run lint" })),
    ]).filter((signal) => signal.kind === "tool_start");
    expect(calls[0]?.call).toBe(calls[1]?.call);
    expect(calls[0]?.call).not.toBe(calls[2]?.call);
    expect(calls.map((signal) => signal.round)).toEqual(["m1", "m2", "m3"]);
  });

  it("distinguishes a refusal, an interruption and a move to the background from a failure", () => {
    const open = ["a", "b", "c", "d"].map((id) => reply("m1", call(id, "Bash", { command: id })));
    const ends = read([
      ...open,
      result("a", "The user doesn't want to proceed with this tool use.", { is_error: true }),
      { ...result("b", "half"), toolUseResult: { interrupted: true } },
      { ...result("c", "moved"), toolUseResult: { backgroundTaskId: "b1" } },
      result("d", "Exit code 2\nno rule to make target", { is_error: true }),
      result("unseen", "from before"),
    ]).filter((signal) => signal.kind === "tool_end");
    expect(ends).toMatchObject([
      { ok: false, refused: true },
      { ok: true, interrupted: true },
      { ok: true, background: true },
      { ok: false },
    ]);
    expect(ends[3]).not.toHaveProperty("refused");
    expect(ends[3]?.error).toBeTypeOf("string");
  });

  it.each([
    ["error auth", failure("Invalid API key", { error: "authentication_failed", apiErrorStatus: 401 })],
    ["error billing", failure("Credit balance is too low", { error: "billing_error" })],
    ["error context_full", failure("Prompt is too long", { error: "invalid_request", apiErrorStatus: 400 })],
    [
      "error poisoned_context",
      failure("API Error: 400 messages.7.content.0: unexpected `tool_use_id`", { error: "invalid_request" }),
    ],
    ["error api", failure("API Error: Repeated 529 Overloaded errors", { error: "server_error", apiErrorStatus: 529 })],
    ["error unreachable", failure("API Error: Unable to connect to API (ConnectionRefused)", { error: "unknown" })],
    [
      "error policy_refusal",
      failure("unable to respond to this request, which appears to violate our Usage Policy", { error: "unknown" }),
    ],
    ["limit hit", failure("You've hit your session limit · resets 9:50pm (Asia/Saigon)", { error: "rate_limit" })],
    [
      "limit hit",
      failure('API Error: 429 {"message":"Usage limit reached. Your limit will reset at 2030-01-02 18:00:00"}', {
        error: "unknown",
      }),
    ],
    ["error policy_refusal", reply("m1", text("I cannot."), "refusal")],
  ])("ends the turn with %s", (word, record) => {
    const signals = words([prompt("go"), record]);
    expect(signals).toContain(word);
    expect(signals.at(-1)).toBe("turn end");
  });

  it("takes the end of a limit from its record, and keeps it in later signals", () => {
    const resetsAt = AT / 1000 + 7200;
    const limits = read([
      failure("You've hit your limit · resets 1am (UTC)", {
        error: "rate_limit",
        apiErrorParams: { rate_limit_info: { resetsAt } },
      }),
      system("informational", { content: "Usage limit reached · continuing automatically at 2pm" }),
      system("informational", { content: "Something else" }),
    ]).filter((signal) => signal.kind === "limit");
    expect(limits).toMatchObject([{ until: resetsAt * 1000 }, { until: resetsAt * 1000, resumesItself: true }]);
  });

  it("reads successive retries with their reasons", () => {
    const retry = (error: unknown, more = {}) =>
      system("api_error", { error, retryInMs: 4000, retryAttempt: 3, maxRetries: 10, ...more });
    const retries = read([
      retry({ status: 429, formatted: "429 slow down" }),
      retry({ status: 529 }),
      retry({ status: 401, message: "401 invalid key" }),
      retry({ cause: { code: "ECONNREFUSED" } }),
      retry({}),
    ]).filter((signal) => signal.kind === "retry");
    expect(retries.map((signal) => signal.infra)).toEqual(["rate", "overload", "auth", "refused", "network"]);
    expect(retries[0]).toMatchObject({ attempt: 3, max: 10, nextAt: AT + 4000 });
  });

  it("follows a queue", () => {
    const queue = (operation: string) => ({ type: "queue-operation", operation });
    const signals = read(["enqueue", "enqueue", "dequeue", "enqueue", "popAll", "remove"].map(queue));
    expect(signals.map((signal) => signal.kind === "queue" && signal.depth)).toEqual([1, 2, 1, 2, 0, 0]);
  });

  it("ends a compaction at its boundary, or at the next message if it failed", () => {
    const compact = prompt("<command-name>/compact</command-name>");
    expect(words([compact, system("compact_boundary")])).toEqual(["compaction start", "compaction end"]);
    expect(words([compact, prompt("go on")]).slice(0, 2)).toEqual(["compaction start", "compaction end"]);
  });

  it("reads a subagent's own file, but not a subagent's lines in the parent's", () => {
    const own = { isSidechain: true, agentId: "a1b2" };
    expect(words([prompt("explore", own), reply("m1", text("Found."), "end_turn", own)])).toContain("turn end");
    const side = { isSidechain: true };
    expect(words([prompt("go"), prompt("explore", side), reply("m1", text("Found."), "end_turn", side)])).toEqual([
      "turn start by user",
      "user says",
      "delta",
      "delta",
    ]);
  });

  it("does not treat a warm-up of its subagents before the first prompt as a turn", () => {
    const side = { isSidechain: true };
    const signals = words([prompt("Warmup", side), reply("m1", text("Ready."), "end_turn", side), prompt("go")]);
    expect(signals.filter((word) => word.startsWith("turn"))).toEqual(["turn start by user"]);
  });

  it("ignores copies of the conversation that side agents keep", () => {
    expect(words([prompt("old", { isSidechain: true, agentId: "acompact-12" })])).toEqual([]);
  });

  it("does not report again the history that a resumed session writes", () => {
    const timed = (record: object, minute: number) => ({
      ...record,
      timestamp: new Date(AT + minute * 60_000).toISOString(),
    });
    const old = [timed(prompt("go"), 0), timed(reply("m1", text("Done."), "end_turn"), 1)];
    const reader = new ClaudeTranscriptReader();
    const first = words([...old, timed(prompt("more"), 60)], reader);
    expect(first.filter((word) => word.startsWith("turn"))).toEqual([
      "turn start by user",
      "turn end",
      "turn start by user",
    ]);
    expect(words(old, reader)).toEqual([]);
    expect(words([timed(reply("m2", text("Done too."), "end_turn"), 61)], reader)).toContain("turn end");
    expect(reader.skipped.get("copy")).toBe(2);
  });

  it("continues when the clock is set back", () => {
    const reader = new ClaudeTranscriptReader();
    const timed = (record: object, hour: number) => ({
      ...record,
      timestamp: new Date(AT + hour * 3_600_000).toISOString(),
    });
    words([timed(prompt("go"), 9), timed(reply("m1", text("Done."), "end_turn"), 9)], reader);
    expect(words([timed(reply("m2", text("On."), "end_turn"), 1), timed(prompt("next"), 1.01)], reader)).toContain(
      "user says",
    );
  });

  it("finds the completion marker in an answer", () => {
    const message = read([reply("m1", text("All done.\n<promise>COMPLETE</promise>"), "end_turn")]).find(
      (signal) => signal.kind === "message",
    );
    expect(message).toMatchObject({ marker: true, role: "assistant" });
  });

  it("counts unknown kinds of records and continues", () => {
    const reader = new ClaudeTranscriptReader();
    words(
      [{ type: "brand-new" }, { type: "brand-new" }, system("novel"), { type: "summary" }, { type: "__proto__" }, {}],
      reader,
    );
    expect([...reader.skipped]).toEqual([
      ["brand-new", 2],
      ["system/novel", 1],
      ["__proto__", 1],
      ["", 1],
    ]);
  });
});
