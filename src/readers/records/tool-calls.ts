/**
 * Tool calls from structured sources. Each call starts once and ends once, no matter how often the program writes it
 * again, and a tool that asks the user opens a prompt while it runs.
 */

import { canonicalJson, digest } from "../../core/digest.js";
import { errorKey, infraOf, normaliseCall, normaliseResult } from "../../core/judgement/normalise.js";
import type { Signal, Source, ToolClass } from "../../core/signal.js";
import { todosOfCall } from "../../programs/shared/todos.js";
import { classifyTool } from "../../programs/shared/tools.js";
import { arrayAt, asRecord, stringAt } from "./json.js";
import { isPoll } from "./poll.js";
import { RecentMap } from "./recent.js";
import { spanOf } from "./span.js";
import { textHead } from "./text.js";

/** Time and source of a record. */
export interface RecordOrigin {
  at: number;
  source: Source;
}

export interface ToolCall {
  id: string;
  tool: string;
  args: unknown;
  round?: string | undefined;
  /** The reply that it belongs to is still being written. */
  partial?: boolean;
  /** It asks for a permission that the session does not have. */
  asks?: boolean;
  /** The program lets it run no longer than this. */
  limitMs?: number | undefined;
}

/** A timer that a call set: when it fires, counted from the end of the call, and whether it fires again and again. */
export interface TimerFacts {
  inMs?: number;
  repeats?: boolean;
}

export interface ToolResult {
  ok: boolean;
  text: string;
  /** The result without the lines that change in every run, if the program adds such lines itself. */
  stable?: string;
  refused?: boolean;
  interrupted?: boolean;
  timer?: TimerFacts;
}

const TOOL_NAME_MAX = 100;
const PROMPT_OF: Partial<Record<ToolClass, "input" | "plan">> = { question: "input", plan: "plan" };

export class ToolCalls {
  readonly #known = new RecentMap<{ class: ToolClass; ended: boolean }>();

  /** The signals of a call that starts; none if it is already known. */
  start(origin: RecordOrigin, call: ToolCall): Signal[] {
    if (this.#known.get(call.id)) return [];
    const { class: toolClass, ...facts } = classifyTool(call.tool, call.args);
    const span = spanOf(call.args);
    const asked = canonicalJson(withoutRemarks(call.args));
    const near = normaliseCall(asked);
    const todos = todosOfCall(call.tool, call.args);
    this.#known.set(call.id, { class: toolClass, ended: false });
    const signals: Signal[] = [
      {
        kind: "tool_start",
        ...origin,
        id: call.id,
        tool: textHead(call.tool, TOOL_NAME_MAX),
        class: toolClass,
        call: digest(call.tool + asked),
        ...(near === asked ? {} : { near: digest(call.tool + near) }),
        ...facts,
        ...(todos === null ? {} : { todos }),
        ...(span === undefined ? {} : { span }),
        ...(isPoll(call.tool, call.args) ? { poll: true } : {}),
        ...(call.round === undefined ? {} : { round: call.round }),
        ...(call.partial ? { partial: true } : {}),
        ...(call.asks ? { asks: true } : {}),
        ...(call.limitMs === undefined ? {} : { limitMs: Math.max(0, call.limitMs) }),
      },
    ];
    const prompt = PROMPT_OF[toolClass];
    if (prompt) signals.push({ kind: "prompt", ...origin, open: true, prompt, question: questionOf(call.args) });
    return signals;
  }

  /** The signals of a call that ended; none if its start is unknown or its end was already reported. */
  end(origin: RecordOrigin, call: ToolCall, result: ToolResult): Signal[] {
    const known = this.#known.get(call.id);
    if (!known || known.ended) return [];
    known.ended = true;
    const { ok, text, stable = text } = result;
    const infra = ok ? undefined : infraOf(stable);
    // A failure without an error text (a search without a match) has no key: it is not comparable to others.
    const error = ok ? "" : errorKey(stable);
    const signals: Signal[] = [
      {
        kind: "tool_end",
        ...origin,
        id: call.id,
        ok,
        outcome: digest(normaliseResult(stable)),
        raw: digest(text),
        ...(stable === text ? {} : { stable: digest(stable) }),
        ...(error === "" ? {} : { error: digest(error) }),
        ...(infra ? { infra } : {}),
        ...(result.refused ? { refused: true } : {}),
        ...(result.interrupted ? { interrupted: true } : {}),
        ...(text ? { preview: textHead(text) } : {}),
      },
    ];
    if (PROMPT_OF[known.class]) signals.push({ kind: "prompt", ...origin, open: false });
    return signals;
  }

  /** Whether the call has started. */
  isKnown(id: string): boolean {
    return this.#known.get(id) !== undefined;
  }

  /** Whether the call has started and not ended. */
  isOpen(id: string): boolean {
    return this.#known.get(id)?.ended === false;
  }
}

/** Arguments that only explain a call, or limit its output: calls that differ only in these are the same call. */
const REMARKS = new Set(["description", "instruction", "justification", "max_output_tokens", "yield_time_ms"]);

function withoutRemarks(args: unknown): unknown {
  const kept = Object.entries(asRecord(args) ?? {}).filter(([name]) => !REMARKS.has(name));
  return kept.length > 0 ? Object.fromEntries(kept) : args;
}

/** The text of a question tool: `question`, or the first of `questions`. */
function questionOf(args: unknown): string {
  const first = arrayAt(args, "questions")[0];
  return textHead(stringAt(args, "question") ?? stringAt(first, "question") ?? stringAt(args, "plan") ?? "");
}
