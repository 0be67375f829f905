/**
 * The OpenTelemetry export of an agent program, for one session. It has the content of the transcript some seconds
 * later, and the cost, which no transcript has. So it gives tokens and cost, liveness, prompts and failures. It gives
 * no turn edges (no program exports the end of a turn) and no tool calls (exported only after their end, without a
 * result). The names are data of each program.
 *
 * The events and the metrics contain the same tokens. The events count; the metrics count only until the first event,
 * and an event from a time that the metrics have already counted is not counted again.
 */
import { digest } from "../../core/digest.js";
import type { Signal } from "../../core/signal.js";
import { failureSignal } from "./conversation.js";
import { type Attributes, numericValue, type OtlpPoint, type OtlpRecord } from "./otlp.js";
import { RecentMap } from "./recent.js";
import { type ReaderOptions, SkipCounter } from "./record-reader.js";
import { Thread } from "./thread.js";
import type { VendorError } from "./vendor-errors.js";

/** A value of telemetry is hidden like this. */
const REDACTED = /^[<[]REDACTED[>\]]$/;

interface Usage {
  /** Attributes, added up. */
  input: readonly string[];
  output: readonly string[];
  cost?: string;
}

/** What an event of a program shows. Texts are names of attributes. */
export type TelemetryEvent =
  | { shows: "prompt"; text: string; id?: string }
  | ({ shows: "usage" } & Usage)
  /** The agent is alive: a number of characters, or a text. */
  | { shows: "life"; chars?: string; text?: string }
  | { shows: "compaction" }
  /** A request failed for good, all attempts included; one of a subagent does not end the session's turn. */
  | { shows: "failure"; text: string; status: string; asker: string; isMain: ReadonlySet<string> }
  /** A request, or a failed one that the program repeats by itself. */
  | { shows: "request"; failure: string; status: string; attempt: string }
  /** A part of a reply; its last one has the tokens. */
  | { shows: "reply"; failure: string; part: string; isWritten: RegExp; usage: Usage }
  /** Only the model and the version. */
  | { shows: "session" };

/** The names in the telemetry of one program: data, in its folder. */
export interface TelemetryNames {
  /** Some records have the name of an event without this. */
  prefix: string;
  events: Readonly<Record<string, TelemetryEvent>>;
  /** Known events that the judgement does not use. */
  unused: readonly string[];
  /** Metrics of tokens: the attribute that names the type, and which types count. A type that is part of another is left out. */
  tokens: Readonly<Record<string, { type: string; input: readonly string[]; output: readonly string[] }>>;
  /** Metric of the cost, if there is one. */
  cost: string | null;
}

type Tokens = "input" | "output" | "costUsd";

export class TelemetryReader {
  readonly skipped: SkipCounter = new SkipCounter();
  readonly #thread: Thread;
  #countsBy: "events" | "metrics" | null = null;
  /** The time up to which the metrics have counted. */
  #countedUntil = 0;
  /** The last value of each series that only grows. */
  readonly #totals = new RecentMap<number>(256);

  readonly #names: readonly TelemetryNames[];
  readonly #options: ReaderOptions;

  /** Several programs may run in one session, so all names are known. */
  constructor(names: readonly TelemetryNames[], options: ReaderOptions = {}) {
    this.#names = names;
    this.#options = options;
    this.#thread = new Thread("telemetry", options);
  }

  read(record: OtlpRecord, at: number): Signal[] {
    const event = this.#eventOf(record.name);
    if (event === null) return [];
    return this.#thread.collect(at, () => {
      this.#thread.learns({
        model: text(record.attributes, "model"),
        version: text(record.attributes, "app.version") ?? text(record.resource, "service.version"),
      });
      this.#take(event, record.attributes, at);
    });
  }

  /** Null if it shows nothing. */
  #eventOf(full: string): TelemetryEvent | null {
    for (const { prefix, events, unused } of this.#names) {
      const name = full.startsWith(prefix) ? full.slice(prefix.length) : full;
      if (Object.hasOwn(events, name)) return events[name] ?? null;
      if (unused.includes(name)) return null;
    }
    if (full !== "") this.skipped.count(full);
    return null;
  }

  /** The tokens of one batch of metrics. */
  count(points: readonly OtlpPoint[], at: number): Signal[] {
    const used = { input: 0, output: 0, costUsd: 0 };
    let until = 0;
    for (const point of points) {
      const what = this.#countedAs(point);
      if (what === null) continue;
      used[what] += Math.max(0, this.#growth(point));
      until = Math.max(until, point.at ?? at);
    }
    if (until === 0 || this.#countsBy === "events") return [];
    this.#countsBy = "metrics";
    this.#countedUntil = Math.max(this.#countedUntil, until);
    return this.#thread.collect(at, () => this.#thread.emit({ kind: "tokens", ...used }));
  }

  #countedAs({ name, attributes }: OtlpPoint): Tokens | null {
    for (const { tokens, cost } of this.#names) {
      if (name === cost) return "costUsd";
      const metric = Object.hasOwn(tokens, name) ? tokens[name] : undefined;
      const type = metric && text(attributes, metric.type);
      if (metric === undefined || type === undefined) continue;
      return metric.input.includes(type) ? "input" : metric.output.includes(type) ? "output" : null;
    }
    return null;
  }

  /** The increase of a point. The first total of a series is its starting value. */
  #growth({ name, attributes, value, isCumulative }: OtlpPoint): number {
    if (!isCumulative) return value;
    const series = digest(name + [...attributes].map(([key, of]) => `${key}=${String(of)}`).join());
    const before = this.#totals.get(series);
    this.#totals.set(series, value);
    return before === undefined ? 0 : value - before;
  }

  #take(event: TelemetryEvent, a: Attributes, at: number): void {
    const { shows } = event;
    if (shows === "prompt")
      this.#prompted(text(a, event.text) ?? "", event.id === undefined ? undefined : text(a, event.id), at);
    else if (shows === "usage") this.#uses(at, usageIn(event, a));
    else if (shows === "life")
      this.#thread.lives(event.chars === undefined ? textSize(a, event.text) : sum(a, event.chars));
    else if (shows === "compaction") this.#thread.emit({ kind: "compaction", phase: "end" });
    else if (shows === "failure") this.#gaveUp(event, a, at);
    else if (shows === "request") this.#asked(event, a);
    else if (shows === "reply") this.#streamed(event, a, at);
  }

  /** The text is present only if the user permits its export. */
  #prompted(prompt: string, id: string | undefined, at: number): void {
    if (prompt.trim() !== "" && !REDACTED.test(prompt)) this.#thread.says("user", prompt);
    else this.#thread.emit({ kind: "message", role: "user", digest: digest(id ?? String(at)) });
  }

  /** The program retries by itself, and does not export that it gave up. */
  #asked(event: TelemetryEvent & { shows: "request" }, a: Attributes): void {
    const message = text(a, event.failure);
    const status = sum(a, event.status);
    const attempt = sum(a, event.attempt);
    if (message !== undefined || status >= 400)
      this.#thread.tries(failureOf(status, message), attempt > 0 ? { attempt } : {});
    else this.#thread.emit({ kind: "request" });
  }

  /** The last part is written twice, the second time with the tokens. Only what a writing model sends proves life. */
  #streamed(event: TelemetryEvent & { shows: "reply" }, a: Attributes, at: number): void {
    const message = text(a, event.failure);
    if (message !== undefined) this.#thread.tries(failureOf(0, message), {});
    else if (event.usage.output.some((name) => a.has(name))) this.#uses(at, usageIn(event.usage, a));
    else if (event.isWritten.test(text(a, event.part)?.slice(0, 100) ?? "")) this.#thread.lives(0);
  }

  #uses(at: number, used: { input: number; output: number; costUsd?: number }): void {
    if (this.#countsBy === "metrics" && at <= this.#countedUntil) return;
    this.#countsBy = "events";
    this.#thread.emit({ kind: "tokens", ...used });
  }

  #gaveUp(event: TelemetryEvent & { shows: "failure" }, a: Attributes, at: number): void {
    const asker = text(a, event.asker);
    if (asker !== undefined && !event.isMain.has(asker)) return;
    const failure = failureOf(sum(a, event.status), text(a, event.text));
    this.#thread.emit(failureSignal({ at, source: "telemetry" }, this.#options, failure));
  }
}

function usageIn({ input, output, cost }: Usage, a: Attributes): { input: number; output: number; costUsd?: number } {
  return {
    input: sum(a, ...input),
    output: sum(a, ...output),
    ...(cost === undefined ? {} : { costUsd: sum(a, cost) }),
  };
}

const textSize = (a: Attributes, name: string | undefined): number => (name && text(a, name)?.length) || 0;

function failureOf(status: number, said: string | undefined): VendorError {
  return { text: said ?? `status ${status}`, ...(status > 0 ? { status } : {}) };
}

function text(attributes: Attributes, key: string): string | undefined {
  const value = attributes.get(key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function sum(attributes: Attributes, ...keys: readonly string[]): number {
  return keys.reduce((total, key) => total + Math.max(0, numericValue(attributes.get(key)) ?? 0), 0);
}
