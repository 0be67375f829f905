/**
 * The parts of OpenCode's messages: text, reasoning, tool (pending, running, completed, error), step-start and
 * step-finish (with tokens), retry, compaction. Others (patch, snapshot, file, agent, subtask) add nothing to the
 * tools. A part is written several times under its id; each fact in it is reported once.
 */
import { digest } from "../../../core/digest.js";
import { booleanAt, type JsonRecord, numberAt, recordAt, stringAt } from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import type { Thread } from "../../../readers/records/thread.js";
import type { ToolResult } from "../../../readers/records/tool-calls.js";

const REFUSED = /rejected|dismissed|denied|prevents you from using/i;
const ABORTED = /aborted|interrupted|cancelled/i;
/** Reasons to finish a reply after which OpenCode asks the model again. */
const GOES_ON = new Set(["tool-calls", "unknown"]);
const UNNEEDED = new Set(["patch", "snapshot", "file", "agent", "subtask"]);

export class OpenCodeParts {
  readonly #reported = new RecentMap<string>();
  readonly #lengths = new RecentMap<number>();
  readonly #roles = new RecentMap<string>();
  readonly #refused = new RecentMap<boolean>();
  #isOverflowing = false;

  readonly #thread: Thread;
  readonly #skip: (name: string) => void;

  constructor(thread: Thread, skip: (name: string) => void) {
    this.#thread = thread;
    this.#skip = skip;
  }

  /** The author of a message: the user, the assistant, or the summary that a compaction writes. */
  belongs(message: string, role: string): void {
    this.#roles.set(message, role);
  }

  /**
   * The context overflowed: the next reply is the summary that replaces it. A headless run does not show its author.
   */
  overflows(): void {
    this.#isOverflowing = true;
  }

  /** Did the user reject one of the message's calls? */
  wasRefused(message: string): boolean {
    return this.#refused.get(message) ?? false;
  }

  read(part: JsonRecord): void {
    const id = stringAt(part, "id") ?? "";
    const type = stringAt(part, "type") ?? "";
    if (type === "text") this.#text(part, id);
    else if (type === "reasoning") this.#reasoning(part, id);
    else if (type === "tool") this.#tool(part, id);
    else if (type === "step-start") this.#stepStarts(part, id);
    else if (type === "step-finish") this.#stepEnds(part, id);
    else if (type === "retry") this.#retry(part, id);
    else if (type === "compaction") this.#compaction(id);
    else if (!UNNEEDED.has(type)) this.#skip(`part ${type}`);
  }

  /** A piece of text for a part that is still being written. */
  delta(id: string, piece: string): void {
    if (piece === "") return;
    this.#lengths.set(id, (this.#lengths.get(id) ?? 0) + piece.length);
    this.#thread.writes(this.#reported.get(`reasoning ${id}`) === undefined ? "content" : "thought", piece);
  }

  #text(part: JsonRecord, id: string): void {
    const text = stringAt(part, "text") ?? "";
    // A prompt's text has no time of its own, which distinguishes the two if the message is not known yet.
    const role = this.#roles.get(stringAt(part, "messageID") ?? "") ?? (recordAt(part, "time") ? "assistant" : "user");
    if (booleanAt(part, "synthetic") || booleanAt(part, "ignored") || role === "summary") return;
    if (role === "user") {
      if (text !== "" && this.#reported.changes(`text ${id}`, "")) this.#thread.prompted(text, true);
      return;
    }
    this.delta(id, text.slice(this.#lengths.get(id) ?? 0));
    const isFinished = numberAt(part, "time", "end") !== undefined && text !== "";
    if (isFinished && this.#reported.changes(`text ${id}`, digest(text))) this.#thread.says("assistant", text);
  }

  #reasoning(part: JsonRecord, id: string): void {
    this.#reported.set(`reasoning ${id}`, "");
    this.delta(id, (stringAt(part, "text") ?? "").slice(this.#lengths.get(id) ?? 0));
    const isFinished = numberAt(part, "time", "end") !== undefined;
    if (isFinished && this.#reported.changes(`reasoning end ${id}`, "")) this.#thread.textEnds("thought");
  }

  #tool(part: JsonRecord, id: string): void {
    const status = stringAt(part, "state", "status");
    // While a call is pending, its arguments are still being written.
    if (status === "pending") return;
    const round = stringAt(part, "messageID");
    this.#thread.toolStarts({ id, tool: stringAt(part, "tool") ?? "", args: recordAt(part, "state", "input"), round });
    if (status === "running") return;
    const result = resultOf(part);
    if (result.refused && round !== undefined) this.#refused.set(round, true);
    this.#thread.toolEnds(id, result);
  }

  #stepStarts(part: JsonRecord, id: string): void {
    if (!this.#reported.changes(`step ${id}`, "")) return;
    const message = stringAt(part, "messageID") ?? "";
    if (this.#isOverflowing && this.#roles.get(message) === undefined) this.#roles.set(message, "summary");
    this.#isOverflowing = false;
    this.#thread.turnRuns();
  }

  #stepEnds(part: JsonRecord, id: string): void {
    if (!this.#reported.changes(`step ${id}`, "")) return;
    const tokens = recordAt(part, "tokens");
    const output = (numberAt(tokens, "output") ?? 0) + (numberAt(tokens, "reasoning") ?? 0);
    const cost = numberAt(part, "cost") ?? 0;
    const costUsd = cost > 0 ? { costUsd: cost } : {};
    if (tokens) this.#thread.emit({ kind: "tokens", input: numberAt(tokens, "input") ?? 0, output, ...costUsd });
    this.#finished(stringAt(part, "messageID") ?? "", stringAt(part, "reason"));
  }

  /** The last step of a message has finished: in a headless run, that is the only sign of the end of a turn. */
  #finished(message: string, reason = "unknown"): void {
    if (this.#roles.get(message) !== "summary" && endsTurn(reason)) this.#thread.turnEnds();
  }

  #retry(part: JsonRecord, id: string): void {
    const attempt = numberAt(part, "attempt");
    if (!this.#reported.changes(`retry ${id}`, `${attempt}`)) return;
    const failure = recordAt(part, "error", "data");
    this.#thread.tries({ status: numberAt(failure, "statusCode"), text: stringAt(failure, "message") }, { attempt });
  }

  #compaction(id: string): void {
    if (this.#reported.changes(`compaction ${id}`, "")) this.#thread.emit({ kind: "compaction", phase: "start" });
  }
}

/** Whether a reply that finished for this reason is the last of its turn. */
export function endsTurn(reason: string): boolean {
  return !GOES_ON.has(reason) && reason !== "content-filter";
}

/** A failed shell command is `completed`; its exit code is in the metadata. */
function resultOf(part: JsonRecord): ToolResult {
  const state = recordAt(part, "state");
  const failure = stringAt(state, "error");
  const text = failure ?? stringAt(state, "output") ?? "";
  if (failure === undefined) return { ok: (numberAt(state, "metadata", "exit") ?? 0) === 0, text };
  const words = failure.slice(0, 300);
  return { ok: false, text, refused: REFUSED.test(words), interrupted: ABORTED.test(words) };
}
