/**
 * Finds the session of each OpenTelemetry record and turns it into signals: by the program's conversation id, else by resource
 * attributes that rouse or a user set (`rouse.session`, `rouse.agent`).
 */
import { rememberBounded } from "../../core/judgement/evidence/bounded.js";
import type { Evidence } from "../../core/judgement/evidence/state.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { TELEMETRY_NAMES } from "../../programs/registry.js";
import { type OtlpPoint, type OtlpRecord, otlpLogs, otlpPoints, otlpSpans } from "../../readers/records/otlp.js";
import { type ReadContext, SkipCounter } from "../../readers/records/record-reader.js";
import { TelemetryReader } from "../../readers/records/telemetry.js";
import type { Loop } from "../loop.js";
import { findCaller } from "./callers.js";

export interface TelemetryView {
  logs: number;
  points: number;
  spans: number;
  /** Records and points without a watched agent. */
  unmatched: number;
  /** Names unknown to all readers. */
  unknown: Record<string, number>;
}

const READERS_MAX = 1000;
/** Longest wait of a batch in its exporter; an older time comes from a wrong clock. */
const LATE_MAX_MS = 600_000;
/** Limits for records of an unknown conversation: time, number and characters. */
const WAITING_MS = 60_000;
const WAITING_MAX = 2000;
const WAITING_CHARS_MAX = 4_000_000;
const AGAIN_MS = 2000;
/** Signals that are always taken; others only until a faster source has reported a later edge. */
const TIMELESS: ReadonlySet<Signal["kind"]> = new Set(["tokens", "session"]);

export class Telemetry {
  readonly #loop: Loop;
  readonly #context: ReadContext;
  readonly #readers = new Map<string, TelemetryReader>();
  readonly #counts = { logs: 0, points: 0, spans: 0, unmatched: 0 };
  /** Records of unknown conversations: a program exports before its transcript is found. */
  #waiting: { record: OtlpRecord; since: number }[] = [];
  #again: NodeJS.Timeout | null = null;

  constructor(loop: Loop, context: ReadContext) {
    this.#loop = loop;
    this.#context = context;
  }

  /** Never throws and never waits: the exporter runs in the agent. */
  take(path: "logs" | "metrics" | "traces", body: unknown): void {
    if (path === "traces") this.#counts.spans += otlpSpans(body);
    else if (path === "logs") this.#takeLogs(otlpLogs(body));
    else this.#takePoints(otlpPoints(body));
  }

  stop(): void {
    if (this.#again) clearTimeout(this.#again);
    this.#again = null;
  }

  view(): TelemetryView {
    const unknown = new SkipCounter();
    for (const { skipped } of this.#readers.values()) for (const [name, times] of skipped) unknown.count(name, times);
    return { ...this.#counts, unknown: Object.fromEntries(unknown) };
  }

  #takeLogs(fresh: readonly OtlpRecord[]): void {
    this.#counts.logs += fresh.length;
    const now = this.#loop.now();
    const waited = this.#waiting.filter(({ since }) => now - since <= WAITING_MS);
    const since = new Map(waited.map((each) => [each.record, each.since]));
    this.#waiting = [];
    let chars = 0;
    const found = this.#bySession([...since.keys(), ...fresh], (record) => {
      if (!since.has(record)) this.#counts.unmatched++;
      if (whoOf(record).conversation === undefined) return;
      chars += charsOf(record);
      if (chars <= WAITING_CHARS_MAX && this.#waiting.length < WAITING_MAX)
        this.#waiting.push({ record, since: since.get(record) ?? now });
    });
    this.stop();
    if (this.#waiting.length > 0) this.#again = setTimeout(() => this.#takeLogs([]), AGAIN_MS);
    for (const [judge, theirs] of found) {
      const reader = this.#readerOf(judge);
      this.#counts.unmatched -= theirs.filter((record) => since.has(record)).length;
      this.#report(
        judge,
        theirs.flatMap((record) => reader.read(record, timeOf(record, now))),
      );
    }
  }

  #takePoints(points: readonly OtlpPoint[]): void {
    this.#counts.points += points.length;
    const unmatched = (): void => {
      this.#counts.unmatched++;
    };
    for (const [judge, theirs] of this.#bySession(points, unmatched)) {
      this.#report(judge, this.#readerOf(judge).count(theirs, this.#loop.now()));
    }
  }

  #bySession<R extends OtlpRecord>(records: readonly R[], unmatched: (record: R) => void): Map<SessionJudge, R[]> {
    const found = new Map<SessionJudge, R[]>();
    const known = new Map<string, SessionJudge | null>();
    for (const record of records) {
      const who = whoOf(record);
      const key = JSON.stringify(who);
      let judge = known.get(key);
      if (judge === undefined) {
        judge = findExporter(this.#loop, who);
        known.set(key, judge);
      }
      if (judge === null) unmatched(record);
      else if (!found.get(judge)?.push(record)) found.set(judge, [record]);
    }
    return found;
  }

  #readerOf({ session }: SessionJudge): TelemetryReader {
    const known = this.#readers.get(session.id);
    const reader = known ?? new TelemetryReader(TELEMETRY_NAMES, this.#context);
    rememberBounded(this.#readers, session.id, reader, READERS_MAX);
    return reader;
  }

  #report({ session, evidence }: SessionJudge, signals: readonly Signal[]): void {
    const edge = lastEdge(evidence);
    const fresh = joinLife(signals.filter(({ kind, at }) => TIMELESS.has(kind) || at > edge));
    if (fresh.length === 0) return;
    this.#loop.ingest(session.id, null, fresh).catch(() => {
      // The journal reports its own write errors.
    });
  }
}

interface Exporter {
  conversation?: string | undefined;
  session?: string | undefined;
  agent?: string | undefined;
}

function whoOf({ attributes, resource }: OtlpRecord): Exporter {
  const said = (key: string): string | undefined => {
    const value = attributes.get(key) ?? resource.get(key);
    return typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
  };
  return {
    conversation: said("session.id") ?? said("conversation.id"),
    session: said("rouse.session"),
    agent: said("rouse.agent"),
  };
}

function findExporter(loop: Loop, { conversation, session, agent }: Exporter): SessionJudge | null {
  const byId = conversation === undefined ? null : findCaller(loop, { conversation });
  return byId ?? (session === undefined && agent === undefined ? null : findCaller(loop, { session, agent }));
}

function charsOf({ attributes }: OtlpRecord): number {
  let chars = 0;
  for (const [key, value] of attributes) chars += key.length + (typeof value === "string" ? value.length : 8);
  return chars;
}

/** The record's own time, if it is plausible. */
function timeOf({ at }: OtlpRecord, now: number): number {
  return at !== null && at <= now && now - at <= LATE_MAX_MS ? at : now;
}

/** The last edge from a faster source, which a late record must not undo. */
function lastEdge({ turn, failures }: Evidence): number {
  return Math.max(
    turn.startedAt ?? 0,
    turn.endedAt ?? 0,
    turn.interrupted?.at ?? 0,
    failures.error?.at ?? 0,
    failures.limit?.at ?? 0,
  );
}

/** A reply arrives as hundreds of events: adjacent ones that only prove life are merged. */
function joinLife(signals: readonly Signal[]): Signal[] {
  const joined: Signal[] = [];
  for (const signal of signals) {
    const last = joined.at(-1);
    if (last?.kind === "delta" && signal.kind === "delta")
      joined[joined.length - 1] = { ...signal, at: Math.max(last.at, signal.at), chars: last.chars + signal.chars };
    else joined.push(signal);
  }
  return joined;
}
