/**
 * Turns neutral agent events into signals: the format of recorded loop cases and of any program with a simple event
 * log.
 *
 * An event is `{ t, kind, … }` with `t` in seconds: message (role, text, new_session), tool_call (id, name, args,
 * round), tool_result (id, ok, text, exit_code), error (id, text, infra), content and thought (text, cut anywhere),
 * retry (the reply starts again), compaction, heartbeat.
 */
import { digest } from "../../core/digest.js";
import { createTextTail, endText, feedText, type TextChange } from "../../core/judgement/evidence/text-loop.js";
import { errorKey, infraOf, normaliseResult } from "../../core/judgement/normalise.js";
import type { InfraClass, Signal } from "../../core/signal.js";
import { asRecord, booleanAt, type JsonRecord, numberAt, stringAt } from "./json.js";
import { isPoll } from "./poll.js";
import { SkipCounter } from "./record-reader.js";
import { spanOf } from "./span.js";
import { textHead } from "./text.js";
import { type RecordOrigin, ToolCalls } from "./tool-calls.js";

type EventChannel = "content" | "thought";
type Handler = (event: JsonRecord, origin: RecordOrigin) => Signal[] | undefined;

export class EventReader {
  /** Events that could not be read, by their kind. */
  readonly skipped: SkipCounter = new SkipCounter();
  #at = 0;
  #calls = new ToolCalls();
  #tails = { content: createTextTail(), thought: createTextTail() };

  readonly #handlers = new Map<string, Handler>([
    ["message", (event, origin) => this.#message(event, origin)],
    ["tool_call", (event, origin) => this.#toolCall(event, origin)],
    ["tool_result", (event, origin) => this.#toolEnd(event, origin, isOk(event))],
    ["error", (event, origin) => this.#error(event, origin)],
    ["content", (event, origin) => this.#text(event, origin, "content")],
    ["thought", (event, origin) => this.#text(event, origin, "thought")],
    ["retry", (_, origin) => this.#retry(origin)],
    ["compaction", (_, origin) => [{ kind: "compaction", ...origin, phase: "end" }]],
    ["heartbeat", (_, origin) => [{ kind: "report", ...origin, heartbeat: true }]],
  ]);

  read(event: unknown): Signal[] {
    const record = asRecord(event);
    const seconds = numberAt(record, "t");
    if (seconds !== undefined) this.#at = Math.round(seconds * 1000);
    const handler = this.#handlers.get(stringAt(record, "kind") ?? "");
    const signals = record ? handler?.(record, { at: this.#at, source: "stream" }) : undefined;
    if (!signals) this.skipped.count(stringAt(record, "kind") ?? "no kind");
    return signals ?? [];
  }

  #message(event: JsonRecord, origin: RecordOrigin): Signal[] | undefined {
    const role = stringAt(event, "role");
    const text = stringAt(event, "text") ?? "";
    const said = {
      kind: "message",
      ...origin,
      digest: digest(normaliseResult(text)),
      preview: textHead(text),
    } as const;
    this.#beginText();
    if (role === "user") {
      const newSession = booleanAt(event, "new_session") ? { newSession: true } : {};
      return [
        { kind: "turn", ...origin, phase: "start", byUser: true },
        { ...said, role, ...newSession },
      ];
    }
    if (role !== "agent" && role !== "assistant") return undefined;
    const tail = createTextTail();
    const changes = [...feedText(tail, text), ...endText(tail)];
    return [{ ...said, role: "assistant" }, ...repetitions(changes, origin, "content")];
  }

  #toolCall(event: JsonRecord, origin: RecordOrigin): Signal[] | undefined {
    const id = idOf(event.id);
    const tool = stringAt(event, "name");
    if (id === undefined || tool === undefined) return undefined;
    this.#beginText();
    const args = event.args;
    const span = spanOf(args);
    const facts = { ...(span ? { span } : {}), ...(isPoll(tool, args) ? { poll: true } : {}) };
    const signals = this.#calls.start(origin, { id, tool, args, round: idOf(event.round) });
    return signals.map((signal) => (signal.kind === "tool_start" ? { ...signal, ...facts } : signal));
  }

  #toolEnd(event: JsonRecord, origin: RecordOrigin, ok: boolean): Signal[] | undefined {
    const id = idOf(event.id);
    if (id === undefined || !this.#calls.isOpen(id)) return undefined;
    const text = stringAt(event, "text") ?? "";
    const signals = this.#calls.end(origin, { id, tool: "", args: undefined }, { ok, text });
    const infra = ok ? undefined : declaredInfra(event);
    return signals.map((signal) => (signal.kind === "tool_end" && infra ? { ...signal, infra } : signal));
  }

  /** An error of a call ends it; one without a call is the program's own. */
  #error(event: JsonRecord, origin: RecordOrigin): Signal[] | undefined {
    const id = idOf(event.id);
    if (id !== undefined) return this.#toolEnd(event, origin, false);
    const text = stringAt(event, "text") ?? "";
    const infra = declaredInfra(event) ?? infraOf(text);
    if (infra && infra !== "auth") return [{ kind: "retry", ...origin, infra, text: textHead(text) }];
    const cause = infra === "auth" ? "auth" : "api";
    return [{ kind: "error", ...origin, cause, final: false, digest: digest(errorKey(text)), text: textHead(text) }];
  }

  #text(event: JsonRecord, origin: RecordOrigin, channel: EventChannel): Signal[] {
    const text = stringAt(event, "text") ?? "";
    const changes = feedText(this.#tails[channel], text);
    return [{ kind: "delta", ...origin, channel, chars: text.length }, ...repetitions(changes, origin, channel)];
  }

  /** The reply starts again: its text, and its calls under their old ids. */
  #retry(origin: RecordOrigin): Signal[] {
    this.#beginText();
    this.#calls = new ToolCalls();
    return [{ kind: "retry", ...origin }];
  }

  #beginText(): void {
    this.#tails = { content: createTextTail(), thought: createTextTail() };
  }
}

function repetitions(changes: TextChange[], origin: RecordOrigin, channel: EventChannel): Signal[] {
  return changes.map((change) => ({
    kind: "repetition",
    ...origin,
    channel,
    period: change?.period ?? 0,
    repeats: change?.repeats ?? 0,
    ...(change ? { preview: change.preview } : {}),
  }));
}

function isOk(event: JsonRecord): boolean {
  const exitCode = numberAt(event, "exit_code");
  return typeof event.ok === "boolean" ? event.ok : exitCode === undefined || exitCode === 0;
}

function idOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}

/** `infra` is a flag or a word; a flag alone leaves the class to the text. */
function declaredInfra(event: JsonRecord): InfraClass | undefined {
  const infra = event.infra;
  if (infra === undefined || infra === null || infra === false || infra === "") return undefined;
  const word = typeof infra === "string" ? infra : "";
  return (
    infraOf(`error ${word}`) ??
    infraOf(stringAt(event, "text") ?? "") ??
    (/auth|login/i.test(word) ? "auth" : "network")
  );
}
