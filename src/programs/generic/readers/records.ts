/**
 * Records of an unknown program: JSON lines of a conversation, in a transcript or on standard output.
 *
 * Programs differ in their envelopes, not in the content: a role, text, tool calls, their results, tokens, an error. So
 * this reader searches for those by the names of the model providers (Anthropic's blocks, OpenAI's `tool_calls`,
 * Google's `parts`), anywhere in the first levels of a record. It presumes the end of a turn from a reply without
 * calls, and never treats an error as final unless a closing `result` does.
 */

import { digest } from "../../../core/digest.js";
import { closingOf } from "../../../core/judgement/closing.js";
import type { Signal } from "../../../core/signal.js";
import {
  arrayAt,
  asRecord,
  booleanAt,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
} from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { contentText, resultText, textHead } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { geminiResult } from "../../gemini/readers/result.js";

type Role = "user" | "assistant" | "tool" | "system";

const ROLES: ReadonlyMap<string, Role> = new Map([
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["agent", "assistant"],
  ["ai", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
  ["tool_result", "tool"],
  ["system", "system"],
  ["developer", "system"],
]);
const ENVELOPES = ["message", "payload", "item", "data"] as const;
const CALLS = new Set(["tool_use", "tool_call", "function_call", "toolCall", "tool-call"]);
const RESULTS = new Set(["tool_result", "function_call_output", "tool_call_output", "toolResult", "tool-result"]);
const ID_NAMES = ["tool_use_id", "tool_call_id", "call_id", "callId", "toolCallId", "id"] as const;
const INPUT_NAMES = ["prompt_tokens", "input_tokens", "promptTokenCount", "input"] as const;
const OUTPUT_NAMES = ["completion_tokens", "output_tokens", "candidatesTokenCount", "output"] as const;

export class GenericRecordReader implements RecordReader {
  readonly skipped: SkipCounter = new SkipCounter();
  readonly #thread: Thread;
  readonly #reported = new RecentMap<string>();
  /** Calls without an id of their own; a result that names only the tool belongs to the oldest open one. */
  readonly #unnamed = new RecentMap<string[]>(64);
  #count = 0;

  constructor({ source = "transcript", ...options }: ReaderOptions & { source?: "transcript" | "stream" } = {}) {
    this.#thread = new Thread(source, options);
  }

  read(record: unknown, at: number): Signal[] {
    const line = asRecord(record) ?? {};
    return this.#thread.collect(at, () => this.#line(line));
  }

  #line(record: JsonRecord): void {
    const type = stringAt(record, "type") ?? "";
    const inner = ENVELOPES.map((name) => recordAt(record, name)).find((found) => found !== undefined) ?? record;
    const role =
      ROLES.get(stringAt(inner, "role") ?? "") ?? ROLES.get(type) ?? (isReply(inner) ? "assistant" : undefined);
    this.#thread.learns({
      id: stringAt(record, "sessionId") ?? stringAt(record, "session_id"),
      version: stringAt(record, "version"),
      cwd: stringAt(record, "cwd"),
      model: stringAt(inner, "model") ?? stringAt(record, "model"),
    });
    if (type === "result") this.#result(record);
    else if (type === "error" || (role === undefined && Object.hasOwn(record, "error"))) this.#error(record);
    else if (isPart(inner)) this.#parts([inner], role ?? "assistant", record, inner);
    else if (role !== undefined) this.#parts(partsOf(inner), role, record, inner);
    else this.skipped.count(`record ${type}`);
  }

  #parts(parts: readonly unknown[], role: Role, record: JsonRecord, inner: JsonRecord): void {
    const id = stringAt(inner, "id") ?? stringAt(record, "uuid") ?? stringAt(record, "id");
    const before = this.#count;
    const hasResult = parts.some((part) => resultIn(part) !== undefined) || role === "tool";
    const text = contentText(
      parts.filter((part) => !isPart(part) && !booleanAt(part, "thought") && stringAt(part, "type") !== "thinking"),
    );
    const isNew = text !== "" && this.#reported.changes(id ?? "last", `${role} ${digest(text)}`);
    if (role === "user" && isNew && !hasResult) this.#thread.prompted(text, true);
    if (role === "assistant" && isNew) {
      this.#thread.turnRuns();
      this.#thread.says("assistant", text);
    }
    for (const part of [...parts, ...arrayAt(inner, "tool_calls")]) this.#part(part, id);
    for (const call of arrayAt(inner, "toolCalls")) this.#callWithResult(call, id);
    if (role === "tool" && parts.every((part) => !isPart(part))) this.#ended(inner, text);
    this.#tokens(record, inner, id);
    const hasCalls = this.#count > before;
    // Anthropic's form has the stop reason of a reply; without one, more of the reply may follow.
    const isOpen = inner.stop_reason === null;
    const endsTurn = role === "assistant" && isNew && !hasCalls && !isOpen && closingOf(text) !== "promise";
    if (endsTurn) this.#thread.turnEnds({ presumed: true });
  }

  #part(part: unknown, round: string | undefined): void {
    const call = callIn(part);
    if (call) {
      const tool = stringAt(call, "name") ?? stringAt(call, "tool") ?? stringAt(call, "function", "name") ?? "";
      const given =
        call.args ?? call.input ?? call.arguments ?? call.parameters ?? recordAt(call, "function")?.arguments;
      this.#count++;
      const id = idOf(call) ?? this.#nameless(tool);
      if (this.#reported.changes(`call ${id}`, "")) this.#thread.turnRuns();
      this.#thread.toolStarts({ id, tool, args: parsed(given), round });
    }
    const result = resultIn(part);
    if (result) this.#ended(result, resultText(result.response ?? result.content ?? result.output ?? result.result));
  }

  /** Forks of Gemini CLI report success after they have reported the error. */
  #callWithResult(call: unknown, round: string | undefined): void {
    this.#part({ type: "tool_call", ...asRecord(call) }, round);
    const id = idOf(call);
    const status = stringAt(call, "status");
    const hasEnded = status !== undefined && /^(?:success|error|cancelled)$/.test(status);
    if (id !== undefined && hasEnded) this.#thread.toolEnds(id, geminiResult(status, asRecord(call)?.result));
  }

  #ended(result: JsonRecord, text: string): void {
    const id = idOf(result) ?? this.#unnamed.get(stringAt(result, "name") ?? "")?.shift();
    if (id === undefined) return;
    const isFailed =
      booleanAt(result, "is_error") ||
      booleanAt(result, "isError") ||
      /^(?:error|failed|cancelled)$/.test(stringAt(result, "status") ?? "");
    this.#thread.toolEnds(id, { ok: !isFailed && stringAt(result, "response", "error") === undefined, text });
  }

  #nameless(tool: string): string {
    const id = `${tool} ${this.#count}`;
    this.#unnamed.set(tool, [...(this.#unnamed.get(tool) ?? []).slice(-15), id]);
    return id;
  }

  #tokens(record: JsonRecord, inner: JsonRecord, id: string | undefined): void {
    const usage =
      recordAt(inner, "usage") ??
      recordAt(record, "usage") ??
      recordAt(record, "usageMetadata") ??
      recordAt(record, "tokens");
    if (!usage) return;
    const first = (names: readonly string[]) =>
      names.map((name) => numberAt(usage, name)).find((n) => n !== undefined) ?? 0;
    this.#thread.uses(id ?? `${this.#count}`, { input: first(INPUT_NAMES), output: first(OUTPUT_NAMES) });
  }

  #result(record: JsonRecord): void {
    const isFailed =
      booleanAt(record, "is_error") ||
      /error|fail/.test(stringAt(record, "subtype") ?? stringAt(record, "status") ?? "");
    const text = contentText(record.error ?? record.result ?? record.message);
    // Forks of Gemini CLI report success after they have reported the error.
    if (isFailed || /^\[?API Error: /.test(text)) this.#thread.fails({ text });
    else this.#thread.turnEnds();
  }

  #error(record: JsonRecord): void {
    const text = textHead(contentText(record.error ?? record.message ?? record));
    this.#thread.emit({ kind: "error", cause: "api", final: false, digest: digest(text), text });
  }
}

function partsOf(message: JsonRecord): readonly unknown[] {
  const parts = arrayAt(message, "parts");
  if (parts.length > 0) return parts;
  const text = stringAt(message, "content") ?? stringAt(message, "text");
  return text === undefined ? arrayAt(message, "content") : [{ type: "text", text }];
}

/** A message of a type named after the program, recognised by fields that only a model's reply has. */
function isReply(message: JsonRecord): boolean {
  return (
    Object.hasOwn(message, "content") &&
    ["toolCalls", "thoughts", "tokens"].some((name) => Object.hasOwn(message, name))
  );
}

function isPart(value: unknown): boolean {
  return callIn(value) !== undefined || resultIn(value) !== undefined;
}

function callIn(part: unknown): JsonRecord | undefined {
  if (CALLS.has(stringAt(part, "type") ?? "") || recordAt(part, "function")) return asRecord(part) ?? undefined;
  return recordAt(part, "functionCall");
}

function resultIn(part: unknown): JsonRecord | undefined {
  const isResult = RESULTS.has(stringAt(part, "type") ?? "") && idOf(part) !== undefined;
  return isResult ? (asRecord(part) ?? undefined) : recordAt(part, "functionResponse");
}

function idOf(value: unknown): string | undefined {
  return ID_NAMES.map((name) => stringAt(value, name)).find((id) => id !== undefined);
}

/** OpenAI writes arguments as JSON in a string. */
function parsed(args: unknown): unknown {
  if (typeof args !== "string" || args.length > 65_536) return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
