/**
 * One conversation between a program and its model.
 *
 * A reader calls the methods below for each record; the thread keeps the state that this needs (is a turn open, which
 * facts are known, which tokens are counted, was this failure reported) and collects the signals. A turn starts and
 * ends once, no matter in how many places a program writes about it.
 */
import { digest } from "../../core/digest.js";
import {
  createTextTail,
  endText,
  feedText,
  type TextChange,
  type TextTail,
} from "../../core/judgement/evidence/text-loop.js";
import { questionInOutput } from "../../core/judgement/terminal-question.js";
import type { SessionSignal, Signal, Source, TurnSignal } from "../../core/signal.js";
import type { PromptKind } from "../../core/states.js";
import { failureSignal, messageSignal, retrySignal } from "./conversation.js";
import { RecentMap } from "./recent.js";
import type { ReaderOptions } from "./record-reader.js";
import { textHead } from "./text.js";
import { type RecordOrigin, type ToolCall, ToolCalls, type ToolResult } from "./tool-calls.js";
import type { VendorError } from "./vendor-errors.js";

export type SessionFacts = Omit<SessionSignal, "kind" | "at" | "source" | "child">;

export interface Usage {
  input: number;
  output: number;
}

export interface RetryPlan {
  attempt?: number | undefined;
  max?: number | undefined;
  delayMs?: number | undefined;
}

/** `background`: the call returned, and what it started continues. `running`: the same, for a call that only waited. */
type LaunchResult = ToolResult & { background?: boolean; running?: boolean };

type TextChannel = "content" | "thought";

const FACT_MAX = 300;
const ID_MAX = 128;

export class Thread {
  #signals: Signal[] = [];
  #origin: RecordOrigin;
  readonly #facts: Record<string, string | undefined> = {};
  readonly #calls = new ToolCalls();
  /** Results that were written before their calls: by 0.1 s in 86 of 19,459 calls of Claude Code. */
  readonly #earlyResults = new RecentMap<LaunchResult>(8);
  readonly #usages = new RecentMap<Usage>(64);
  /** Unknown until the first edge: the first record of a turn may be its end. */
  #turnOpen: boolean | undefined;
  #isEndPresumed = false;
  #endAt = Number.NEGATIVE_INFINITY;
  /** The open question: the tool call that it is about, or none in particular. */
  #prompt: { about: string | undefined } | undefined;
  #lastFailure = "";
  #limitUntil: number | undefined;
  readonly #tails: Record<TextChannel, TextTail> = { content: createTextTail(), thought: createTextTail() };
  readonly #repeating: Record<TextChannel, boolean> = { content: false, thought: false };

  readonly #options: ReaderOptions;

  constructor(source: Source, options: ReaderOptions = {}) {
    this.#options = options;

    this.#origin = { at: 0, source };
  }

  get isTurnOpen(): boolean {
    return this.#turnOpen === true;
  }

  /** The signals that `report` produces. */
  collect(at: number, report: () => void): Signal[] {
    this.#origin = { at, source: this.#origin.source };
    this.#signals = [];
    report();
    return this.#signals;
  }

  emit(signal: DistributiveOmit<Signal, "at" | "source">): void {
    this.#signals.push({ ...signal, ...countedUp(signal), ...this.#origin } as Signal);
  }

  /** Facts about the session; reported when new or changed. */
  learns(facts: { [K in keyof SessionFacts]: SessionFacts[K] | undefined }): void {
    const fresh: Record<string, string> = {};
    for (const [name, value] of Object.entries(facts)) {
      if (value === undefined || value === "" || this.#facts[name] === value) continue;
      this.#facts[name] = value;
      fresh[name] = textHead(value, FACT_MAX);
    }
    if (Object.keys(fresh).length > 0) this.emit({ kind: "session", ...(fresh as SessionFacts) });
  }

  turnStarts(byUser: boolean): void {
    this.closePrompt();
    this.#turnOpen = true;
    this.#isEndPresumed = false;
    this.#lastFailure = "";
    this.#limitUntil = undefined;
    this.emit({ kind: "turn", phase: "start", byUser });
  }

  /** A record that only an open turn produces: a hook sent the model back to work, or a notification woke it. */
  turnRuns(): void {
    if (!this.#turnOpen && !this.#isOlderThanEnd()) this.turnStarts(false);
  }

  /** Lines of one moment may be swapped: the last reply may follow the mark of its end. */
  #isOlderThanEnd(): boolean {
    return this.#turnOpen === false && !this.#isEndPresumed && this.#origin.at <= this.#endAt;
  }

  turnEnds(how: Pick<TurnSignal, "presumed" | "background" | "scheduled"> = {}): void {
    this.closePrompt();
    const isConfirmed = this.#isEndPresumed && how.presumed !== true;
    if (this.#turnOpen === false && !isConfirmed && how.background === undefined) return;
    this.#turnOpen = false;
    this.#endAt = this.#origin.at;
    this.#isEndPresumed = how.presumed === true;
    this.emit({ kind: "turn", phase: "end", ...how });
  }

  turnInterrupted(byUser: boolean): void {
    this.closePrompt();
    this.#turnOpen = false;
    this.#endAt = this.#origin.at;
    this.#isEndPresumed = false;
    this.emit({ kind: "turn", phase: "interrupted", byUser });
  }

  /** A finished message. If its text arrived in pieces, the pieces were already checked. */
  says(role: "user" | "assistant", text: string): void {
    if (text.trim() === "") return;
    if (role === "assistant") this.#wholeText("content", text);
    this.#signals.push(messageSignal(this.#origin, this.#options, role, text));
  }

  /** A finished thought; counts as progress only if it was not seen to grow. */
  thinks(text: string): void {
    if (this.#tails.thought.length === 0) this.lives(text.length, "thought");
    this.#wholeText("thought", text);
  }

  /** A prompt starts a turn, or goes into the open one. A prompt typed by rouse does not count as the user's. */
  prompted(text: string, byUser: boolean): void {
    const message = messageSignal(this.#origin, this.#options, "user", text);
    this.turnStarts(byUser && message.own !== true);
    this.#signals.push(message);
  }

  /** A piece of the text that the model is writing. */
  writes(channel: TextChannel, piece: string): void {
    this.lives(piece.length, channel);
    this.#feed(channel, piece);
  }

  /** Output of the model without text to check: a line of a subagent, an argument, a count. */
  lives(chars: number, channel: TextChannel = "content"): void {
    this.emit({ kind: "delta", channel, chars });
  }

  textEnds(channel: TextChannel): void {
    this.#repeats(channel, endText(this.#tails[channel]));
    this.#tails[channel] = createTextTail();
  }

  #wholeText(channel: TextChannel, text: string): void {
    if (this.#tails[channel].length === 0) this.#feed(channel, text);
    this.textEnds(channel);
  }

  #feed(channel: TextChannel, piece: string): void {
    // A new text has started; the judgement of the previous one no longer applies.
    if (this.#tails[channel].length === 0 && this.#repeating[channel]) this.#repeats(channel, [null]);
    this.#repeats(channel, feedText(this.#tails[channel], piece));
  }

  #repeats(channel: TextChannel, changes: readonly TextChange[]): void {
    for (const change of changes) {
      this.#repeating[channel] = change !== null;
      this.emit({ kind: "repetition", channel, ...(change ?? { period: 0, repeats: 0 }) });
    }
  }

  toolStarts(call: ToolCall): void {
    const id = shortId(call.id);
    const round = call.round === undefined ? undefined : shortId(call.round);
    const signals = this.#calls.start(this.#origin, { ...call, id, round });
    if (signals.some((signal) => signal.kind === "prompt")) this.#prompt = { about: id };
    this.#signals.push(...signals);
    const result = this.#earlyResults.get(id);
    if (result !== undefined) this.toolEnds(id, result);
  }

  /** The end of a call. Without a start it belongs to an unseen part of the conversation, or its start follows. */
  toolEnds(callId: string, result: LaunchResult): void {
    const id = shortId(callId);
    if (!this.#calls.isKnown(id)) this.#earlyResults.set(id, result);
    if (!this.#calls.isOpen(id)) return;
    const signals = this.#calls.end(this.#origin, { id, tool: "", args: null }, result);
    if (this.#prompt !== undefined && (this.#prompt.about === undefined || this.#prompt.about === id)) {
      if (signals.some((signal) => signal.kind === "prompt")) this.#prompt = undefined;
      else this.closePrompt();
    }
    for (const signal of signals) {
      const asks = result.background || result.running ? questionInOutput(result.text) : null;
      const more = {
        ...(result.background ? { background: true } : {}),
        ...(result.timer ? { timer: result.timer } : {}),
        ...(asks === null ? {} : { asks }),
      };
      this.#signals.push(signal.kind === "tool_end" ? { ...signal, ...more } : signal);
    }
  }

  /** What a call started in the background has ended. */
  backgroundEnds(callId: string, interrupted = false): void {
    const end = { ok: true, outcome: "", raw: "", edgeOnly: true, ...(interrupted ? { interrupted } : {}) };
    this.emit({ kind: "tool_end", id: shortId(callId), ...end });
  }

  /** Tokens of one reply. Programs repeat them on each part of it, and the output grows while it streams. */
  uses(replyId: string, { input, output }: Usage): void {
    const reply = shortId(replyId);
    const before = this.#usages.get(reply) ?? { input: 0, output: 0 };
    const now = { input: Math.max(input, before.input), output: Math.max(output, before.output) };
    if (now.input === before.input && now.output === before.output) return;
    this.#usages.set(reply, now);
    this.emit({ kind: "tokens", input: now.input - before.input, output: now.output - before.output });
  }

  /** A permission or another question that is not a tool call. It closes when its call or the turn ends. */
  asks(prompt: PromptKind, question: string, about?: string): void {
    if (this.#prompt !== undefined) return;
    this.#prompt = { about: about === undefined ? undefined : shortId(about) };
    this.emit({ kind: "prompt", open: true, prompt, question: textHead(question) });
  }

  closePrompt(): void {
    if (this.#prompt === undefined) return;
    this.#prompt = undefined;
    this.emit({ kind: "prompt", open: false });
  }

  tries(failure: VendorError, { attempt, max, delayMs }: RetryPlan): void {
    const nextAt = delayMs === undefined ? undefined : Math.round(this.#origin.at + delayMs);
    const said = { ...failure, text: failure.text || failure.code };
    const signal = retrySignal(this.#origin, this.#options, said, { attempt, nextAt });
    if (signal.kind !== "retry") {
      this.#signals.push(signal);
      return;
    }
    // A refused key is retried ten times too, and never succeeds: its cause must not be lost.
    const infra = signal.infra ?? (failure.status === 401 || failure.status === 403 ? "auth" : undefined);
    this.#signals.push({ ...signal, ...(max === undefined ? {} : { max }), ...(infra ? { infra } : {}) });
  }

  /**
   * The program gave up. Reported once, although it is written as a message, as a result and as the end of the turn.
   */
  fails(failure: VendorError, until?: number): void {
    const signal = failureSignal(this.#origin, this.#options, failure);
    const text = failure.text ?? failure.code ?? "";
    if (this.#lastFailure === "" || this.#lastFailure !== text) {
      if (signal.kind === "limit") this.limited({ until: until ?? signal.until, text });
      else this.#signals.push(signal);
    }
    this.#lastFailure = text;
    this.turnEnds();
  }

  /** A limit stops the program. Later records add to it and keep the known end. */
  limited(facts: { until?: number | undefined; resumesItself?: boolean; text: string }): void {
    const { resumesItself } = facts;
    this.#limitUntil = facts.until ?? this.#limitUntil;
    this.emit({
      kind: "limit",
      level: "hit",
      ...(this.#limitUntil === undefined ? {} : { until: this.#limitUntil }),
      ...(resumesItself === undefined ? {} : { resumesItself }),
      text: textHead(facts.text),
    });
  }
}

/** Ids are stored permanently; genuine ones have about forty characters. */
function shortId(id: string): string {
  return id.length <= ID_MAX ? id : digest(id);
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A record may contain a decreasing or negative count; the stored count never is. */
function countedUp(signal: DistributiveOmit<Signal, "at" | "source">): object {
  if (signal.kind === "delta") return { chars: Math.max(0, signal.chars) };
  if (signal.kind !== "tokens") return {};
  const { input, output, costUsd } = signal;
  const cost = costUsd === undefined ? {} : { costUsd: Math.max(0, costUsd) };
  return { input: Math.max(0, input), output: Math.max(0, output), ...cost };
}
