/**
 * Payloads of Claude Code's hooks: exact edges of prompt, tool, permission, stop and failure.
 *
 * No hook fires in a hang, in a retry, while a tool is stuck, or at a kill. None fires when a permission is given
 * either: an open prompt closes when its tool ends.
 */
import { canonicalJson, digest } from "../../../core/digest.js";
import type { Signal } from "../../../core/signal.js";
import type { PromptKind } from "../../../core/states.js";
import { arrayAt, asRecord, booleanAt, type JsonRecord, recordAt, stringAt } from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import { type ReaderOptions, type RecordReader, SkipCounter } from "../../../readers/records/record-reader.js";
import { resultText, textHead } from "../../../readers/records/text.js";
import { Thread } from "../../../readers/records/thread.js";
import { claudePermissions, claudeResult, isNotice } from "./content.js";

const SILENT = new Set([
  "ConfigChange",
  "CwdChanged",
  "FileChanged",
  "InstructionsLoaded",
  "PostToolBatch",
  "Setup",
  "TaskCompleted",
  "TaskCreated",
  "TeammateIdle",
  "UserPromptExpansion",
  "WorktreeCreate",
  "WorktreeRemove",
]);

/** Tools that are a question themselves: a permission request for one is its question. */
const QUESTIONS: ReadonlyMap<string, PromptKind> = new Map([
  ["AskUserQuestion", "input"],
  ["ExitPlanMode", "plan"],
]);

/** Notifications by their type, and by their words for releases without a type. */
const NOTIFICATIONS: readonly (readonly [type: string, words: string, prompt: PromptKind | "idle"])[] = [
  ["permission_prompt", "needs your permission", "permission"],
  ["elicitation_dialog", "needs your input", "input"],
  ["idle_prompt", "waiting for your input", "idle"],
];

const SILENT_NOTIFICATIONS = new Set([
  "auth_success",
  // Both are mostly about a background session, with the id of the session that lists it; the other one reports itself.
  "agent_completed",
  "agent_needs_input",
  "elicitation_complete",
  "elicitation_response",
]);
/** Reasons of an end that a user chose. */
const QUITS = new Set(["prompt_input_exit", "logout", "exit"]);

export class ClaudeHookReader implements RecordReader {
  readonly skipped = new SkipCounter();
  readonly #thread: Thread;
  /** Open calls by tool and arguments: a permission request does not name its call. */
  readonly #callIds = new RecentMap<string>(256);

  constructor(options: ReaderOptions = {}) {
    this.#thread = new Thread("hook", options);
  }

  read(value: unknown, at: number): Signal[] {
    const payload = asRecord(value);
    if (payload === null) return [];
    return this.#thread.collect(at, () => this.#report(payload));
  }

  #report(payload: JsonRecord): void {
    const event = stringAt(payload, "hook_event_name") ?? "";
    const handler = this.#handlers[event];
    if (handler === undefined) {
      if (!SILENT.has(event)) this.skipped.count(event);
      return;
    }
    this.#thread.learns({
      id: stringAt(payload, "session_id"),
      cwd: stringAt(payload, "cwd"),
      model: stringAt(payload, "model"),
      permissions: claudePermissions(stringAt(payload, "permission_mode")),
    });
    handler(payload);
  }

  readonly #handlers: Readonly<Record<string, (payload: JsonRecord) => void>> = {
    __proto__: null as never,
    SessionStart: (payload) => {
      if (stringAt(payload, "source") === "compact") this.#thread.emit({ kind: "compaction", phase: "end" });
    },
    UserPromptSubmit: (payload) => {
      const prompt = stringAt(payload, "prompt") ?? "";
      this.#thread.prompted(prompt, !isNotice(prompt));
    },
    MessageDisplay: (payload) => this.#display(payload),
    PreToolUse: (payload) => this.#ofMainThread(payload, () => this.#toolStarts(payload)),
    PostToolUse: (payload) => this.#ofMainThread(payload, () => this.#toolEnds(payload, true)),
    PostToolUseFailure: (payload) => this.#ofMainThread(payload, () => this.#toolEnds(payload, false)),
    PermissionRequest: (payload) => this.#permission(payload),
    PermissionDenied: () => this.#thread.closePrompt(),
    Elicitation: (payload) => this.#thread.asks("input", stringAt(payload, "message") ?? ""),
    ElicitationResult: () => this.#thread.closePrompt(),
    Notification: (payload) => this.#notification(payload),
    SubagentStart: () => this.#thread.lives(0),
    SubagentStop: () => this.#thread.lives(0),
    PreCompact: () => this.#thread.emit({ kind: "compaction", phase: "start" }),
    PostCompact: () => this.#thread.emit({ kind: "compaction", phase: "end" }),
    Stop: (payload) => this.#stop(payload),
    StopFailure: (payload) =>
      this.#thread.fails({ code: stringAt(payload, "error"), text: stringAt(payload, "last_assistant_message") }),
    SessionEnd: (payload) => this.#sessionEnds(stringAt(payload, "reason") ?? ""),
  };

  /** A subagent's own calls prove that it is alive; its permission requests stop the session like any other. */
  #ofMainThread(payload: JsonRecord, report: () => void): void {
    if (stringAt(payload, "agent_id") === undefined) report();
    else this.#thread.lives(0);
  }

  /** Text as it appears on the screen, in pieces. */
  #display(payload: JsonRecord): void {
    this.#thread.writes("content", stringAt(payload, "delta") ?? "");
    if (booleanAt(payload, "final")) this.#thread.textEnds("content");
  }

  #toolStarts(payload: JsonRecord): void {
    const id = stringAt(payload, "tool_use_id");
    if (id === undefined) return;
    this.#thread.turnRuns();
    this.#callIds.set(callOf(payload), id);
    this.#thread.toolStarts({
      id,
      tool: stringAt(payload, "tool_name") ?? "",
      args: recordAt(payload, "tool_input") ?? {},
    });
  }

  #toolEnds(payload: JsonRecord, ok: boolean): void {
    const id = stringAt(payload, "tool_use_id");
    if (id === undefined) return;
    const response = recordAt(payload, "tool_response");
    const text = ok ? resultText(payload.tool_response) : (stringAt(payload, "error") ?? "");
    const result = claudeResult(text, ok, response, stringAt(payload, "tool_name"));
    this.#thread.toolEnds(id, { ...result, interrupted: result.interrupted || booleanAt(payload, "is_interrupt") });
  }

  #permission(payload: JsonRecord): void {
    const tool = stringAt(payload, "tool_name") ?? "";
    const input = recordAt(payload, "tool_input");
    const subject = stringAt(input, "command") ?? stringAt(input, "file_path") ?? stringAt(input, "url") ?? "";
    this.#thread.asks(QUESTIONS.get(tool) ?? "permission", `${tool} ${subject}`, this.#callIds.get(callOf(payload)));
  }

  #notification(payload: JsonRecord): void {
    const type = stringAt(payload, "notification_type") ?? "";
    const message = stringAt(payload, "message") ?? "";
    const found = NOTIFICATIONS.find(([name, words]) => (type === "" ? message.includes(words) : name === type));
    if (found === undefined) {
      if (!SILENT_NOTIFICATIONS.has(type)) this.skipped.count(`Notification/${type}`);
    } else if (found[2] === "idle") {
      this.#thread.emit({ kind: "status", status: "idle", text: textHead(message) });
    } else {
      this.#thread.asks(found[2], message);
    }
  }

  #stop(payload: JsonRecord): void {
    this.#thread.says("assistant", stringAt(payload, "last_assistant_message") ?? "");
    const background = arrayAt(payload, "background_tasks").filter(isRunning).length;
    const scheduled = arrayAt(payload, "session_crons").length;
    // Older releases have neither list.
    this.#thread.turnEnds({
      ...(Array.isArray(payload.background_tasks) ? { background } : {}),
      ...(Array.isArray(payload.session_crons) ? { scheduled } : {}),
    });
  }

  #sessionEnds(reason: string): void {
    this.#thread.closePrompt();
    if (QUITS.has(reason)) this.#thread.emit({ kind: "input", by: "human", bytes: 0, quits: true });
    this.#thread.emit({ kind: "status", status: "clear", text: textHead(reason) });
  }
}

/** A task without a status is taken as running. */
const isRunning = (task: unknown): boolean => (stringAt(task, "status") ?? "running") === "running";

function callOf(payload: JsonRecord): string {
  return digest((stringAt(payload, "tool_name") ?? "") + canonicalJson(payload.tool_input));
}
