/**
 * Payloads of Gemini CLI's hooks, as of 0.61. Its chat file has a call only after its end; the hooks show a running
 * call or an open question. They have no ids, so a call is identified by its tool, its arguments and its time, and is
 * reported as an edge only: its result is in the chat file, under an id of its own.
 *
 * `BeforeTool` fires before the question, `AfterTool` not at all for a refused call. `PreCompress` fires before each
 * request, even if nothing is compressed: by then an open question has been answered. Nothing fires when a turn is
 * cancelled or given up.
 */
import { canonicalJson, digest } from "../../../core/digest.js";
import type { Signal } from "../../../core/signal.js";
import type { PromptKind } from "../../../core/states.js";
import { asRecord, type JsonRecord, recordAt, stringAt } from "../../../readers/records/json.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { textHead } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { geminiResult } from "./result.js";

/** Events of each request or piece of a reply; rouse installs no hooks for them. */
const SILENT = new Set(["BeforeModel", "AfterModel", "BeforeToolSelection"]);
/** Questions by the type of the confirmation; any other is a permission. */
const QUESTIONS: ReadonlyMap<string, PromptKind> = new Map([
  ["ask_user", "input"],
  ["exit_plan_mode", "plan"],
]);
/** `exit` is also the end of a headless run. */
const QUITS = new Set(["prompt_input_exit", "logout"]);
const OPEN_MAX = 64;

interface OpenCall {
  id: string;
  call: string;
  input: JsonRecord | undefined;
}

export class GeminiHookReader implements RecordReader {
  readonly skipped = new SkipCounter();
  readonly #thread: Thread;
  #open: OpenCall[] = [];
  /** The call of the open question. */
  #asked: string | undefined;

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("hook", options);
  }

  read(value: unknown, at: number): Signal[] {
    const payload = asRecord(value);
    if (payload === null) return [];
    return this.#thread.collect(at, () => this.#report(payload, at)).map(edgeOnly);
  }

  #report(payload: JsonRecord, at: number): void {
    const event = stringAt(payload, "hook_event_name") ?? "";
    const handler = this.#handlers[event];
    if (handler === undefined) {
      if (!SILENT.has(event)) this.skipped.count(event);
      return;
    }
    this.#thread.learns({ id: stringAt(payload, "session_id"), cwd: stringAt(payload, "cwd") });
    handler(payload, at);
  }

  readonly #handlers: Readonly<Record<string, (payload: JsonRecord, at: number) => void>> = {
    __proto__: null as never,
    SessionStart: () => this.#forget(),
    BeforeAgent: (payload) => {
      this.#forget();
      this.#thread.prompted(stringAt(payload, "prompt") ?? "", true);
    },
    BeforeTool: (payload, at) => this.#toolStarts(payload, at),
    AfterTool: (payload) => this.#toolEnds(payload),
    Notification: (payload) => this.#notification(payload),
    PreCompress: () => this.#requests(),
    AfterAgent: (payload) => {
      this.#forget();
      this.#thread.says("assistant", stringAt(payload, "prompt_response") ?? "");
      this.#thread.turnEnds();
    },
    SessionEnd: (payload) => this.#sessionEnds(stringAt(payload, "reason") ?? ""),
  };

  #toolStarts(payload: JsonRecord, at: number): void {
    const tool = stringAt(payload, "tool_name");
    if (tool === undefined) return;
    const call = callOf(payload);
    const id = digest(`${call} ${stringAt(payload, "timestamp") ?? at} ${this.#open.length}`);
    const input = recordAt(payload, "tool_input");
    this.#open = [...this.#open, { id, call, input }].slice(-OPEN_MAX);
    this.#thread.turnRuns();
    this.#thread.toolStarts({ id, tool, args: input ?? {} });
  }

  #toolEnds(payload: JsonRecord): void {
    const call = callOf(payload);
    const found = this.#open.find((each) => each.call === call);
    if (found === undefined) return;
    const response = recordAt(payload, "tool_response");
    const status = response?.error ? "error" : "success";
    this.#ends(found.id, geminiResult(status, response?.llmContent));
  }

  #ends(id: string, result: Parameters<Thread["toolEnds"]>[1]): void {
    this.#open = this.#open.filter((each) => each.id !== id);
    if (this.#asked === id) this.#asked = undefined;
    this.#thread.toolEnds(id, result);
  }

  #notification(payload: JsonRecord): void {
    const type = stringAt(payload, "notification_type") ?? "";
    if (type !== "ToolPermission") {
      this.skipped.count(`Notification/${type}`);
      return;
    }
    const details = recordAt(payload, "details");
    const subject =
      stringAt(details, "command") ?? stringAt(details, "filePath") ?? stringAt(details, "fileName") ?? "";
    this.#asked = this.#open.find(({ input }) => subject !== "" && isAbout(input, subject))?.id;
    const question = `${stringAt(payload, "message") ?? "Tool permission"}: ${subject}`;
    this.#thread.asks(QUESTIONS.get(stringAt(details, "type") ?? "") ?? "permission", question, this.#asked);
  }

  /** A call with a question that has not ended by now was refused. */
  #requests(): void {
    if (this.#asked !== undefined) this.#ends(this.#asked, { ok: false, text: "", refused: true });
    this.#thread.closePrompt();
    if (this.#thread.isTurnOpen) this.#thread.emit({ kind: "request" });
  }

  #sessionEnds(reason: string): void {
    this.#forget();
    this.#thread.closePrompt();
    if (QUITS.has(reason)) this.#thread.emit({ kind: "input", by: "human", bytes: 0, quits: true });
    this.#thread.emit({ kind: "status", status: "clear", text: textHead(reason) });
  }

  #forget(): void {
    this.#open = [];
    this.#asked = undefined;
  }
}

function isAbout(input: JsonRecord | undefined, subject: string): boolean {
  const path = stringAt(input, "file_path");
  return stringAt(input, "command") === subject || path === subject || (path?.endsWith(`/${subject}`) ?? false);
}

function callOf(payload: JsonRecord): string {
  return digest((stringAt(payload, "tool_name") ?? "") + canonicalJson(payload.tool_input));
}

function edgeOnly(signal: Signal): Signal {
  return signal.kind === "tool_start" || signal.kind === "tool_end" ? { ...signal, edgeOnly: true } : signal;
}
