/**
 * Folds a recording through today's judgement on a virtual clock.
 *
 * The terminal is read on a fixed grid of time; records count at the moment they were written. Between two inputs the
 * judgement is asked again at the moments it named itself, so a silence of hours costs a few steps. The same
 * recording gives the same timeline, byte for byte, however its bytes were cut.
 */
import { type AgentProfile, recordsOf } from "../agents/profile.js";
import { traitsOf } from "../agents/registry.js";
import { type Assessment, assess } from "../core/assess.js";
import { COMPLETION_MARKER } from "../core/defaults.js";
import { createEvidence, type Evidence, take } from "../core/evidence/evidence.js";
import type { Signal } from "../core/signal.js";
import { addEntry, type TimelineEntry } from "../core/timeline.js";
import { parseRecord } from "../readers/json.js";
import { readKeys } from "../readers/keys.js";
import { LineSplitter } from "../readers/lines.js";
import type { RecordReader } from "../readers/record-reader.js";
import { readersFor } from "../readers/registry.js";
import { StandardError } from "../readers/standard-error.js";
import { LOOK_MS, TerminalReader } from "../readers/terminal.js";
import { isOnClock, type RecordedInput } from "./inputs.js";

/** So long after the last byte a look can find nothing new: every count and every motion has settled by then. */
const QUIET_MS = 10_000;
/** After a silence of a week, moments to judge again lie further and further apart: years cost a few hundred steps. */
const LONG_SILENCE_MS = 7 * 24 * 3_600_000;
const LONG_SILENCE_STEP = 0.01;

/** Nobody is asked more often than this. */
const ASK_MIN_MS = 1000;

export interface FoldOptions {
  profile: AgentProfile;
  /** Wall clock at the start of the recording, in milliseconds. */
  startAt: number;
  zone: string;
  /** What the agent may have been asked to write when all is done; rouse's default where nothing is said. */
  marker?: string;
  /** Size of the terminal; null for a recording without one. */
  size: { cols: number; rows: number } | null;
  /** Called with each assessment, for `--json` streams and benches. */
  onSignal?: (signal: Signal) => void;
  /** Called with each assessment and the evidence behind it; returns a moment at which it wants to be asked again. */
  onAssessed?: (assessment: Assessment, evidence: Evidence) => number | null;
}

export interface FoldResult {
  timeline: TimelineEntry[];
  evidence: Evidence;
  signals: number;
  /** Record kinds that no reader knows, and how often they came. */
  skipped: Map<string, number>;
}

export async function foldRecording(inputs: AsyncIterable<RecordedInput>, options: FoldOptions): Promise<FoldResult> {
  const fold = new Fold(options);
  for await (const input of inputs) fold.input(input);
  return fold.finish();
}

class Fold {
  readonly #options: FoldOptions;
  readonly #evidence: Evidence;
  readonly #timeline: TimelineEntry[] = [];
  readonly #terminal: TerminalReader | null;
  readonly #readers = new Map<string, RecordReader>();
  readonly #stdout = new LineSplitter();
  readonly #stderr = new StandardError();
  #now: number;
  /** Looks that were taken or passed over. */
  #looks = 0;
  #writtenAt: number;
  #heardAt: number;
  #recheckAt: number | null = null;
  /** What somebody who listens waits for; the timeline does not depend on it. */
  #askAt: number | null = null;
  #signals = 0;
  #impossible = 0;

  constructor(options: FoldOptions) {
    this.#options = options;
    this.#evidence = createEvidence(traitsOf(options.profile));
    this.#terminal = options.size ? new TerminalReader(options.profile, { ...options.size, zone: options.zone }) : null;
    this.#now = options.startAt;
    this.#writtenAt = options.startAt;
    this.#heardAt = options.startAt;
    this.#say(assess(this.#evidence, this.#now));
    this.#take([{ kind: "session", at: this.#now, source: "observer" }]);
    this.#judge(this.#now);
  }

  input(input: RecordedInput): void {
    if (!isOnClock(input.t)) {
      this.#impossible++;
      return;
    }
    const at = this.#options.startAt + input.t * 1000;
    this.#advance(at);
    this.#heardAt = at;
    if (input.kind === "bytes" || input.kind === "size") this.#writtenAt = at;
    switch (input.kind) {
      case "bytes":
        this.#terminal?.write(input.bytes);
        return;
      case "size":
        this.#terminal?.resize(input.cols, input.rows);
        return;
      case "keys": {
        const keys = readKeys(input.text, at);
        if (keys) this.#step([keys], at);
        return;
      }
      case "stdout":
        for (const line of this.#stdout.push(input.bytes)) {
          const record = parseRecord(line);
          if (record) this.#step(this.#reader("stream", "").read(record, at), at);
        }
        return;
      case "stderr":
        for (const signal of this.#stderr.push(input.text, at)) this.#step([signal], at);
        return;
      case "record":
        this.#step(this.#reader(input.source, input.file).read(input.record, at), at);
        return;
      case "signals":
        this.#step(input.signals, at);
        return;
      case "exit":
        // What the program showed last is read before its end is judged.
        if (this.#terminal) this.#take(this.#terminal.lastLook(at));
        if (input.code !== 0) this.#take(this.#stderr.lastWords(at, this.#options.zone));
        this.#step([{ kind: "exit", at, source: "process", code: input.code, signal: input.signal }], at);
        return;
      case "end":
        return;
    }
  }

  finish(): FoldResult {
    // What came with the last input is looked at; no time passes of which nothing was recorded.
    if (this.#terminal && this.#evidence.exit === null) this.#step(this.#terminal.lastLook(this.#now), this.#now);
    this.#terminal?.dispose();
    const skipped = new Map<string, number>();
    for (const reader of this.#readers.values()) {
      for (const [kind, n] of reader.skipped) skipped.set(kind, (skipped.get(kind) ?? 0) + n);
    }
    if (this.#impossible > 0) skipped.set("impossible time", this.#impossible);
    return { timeline: this.#timeline, evidence: this.#evidence, signals: this.#signals, skipped };
  }

  /** Lets time pass up to `to`: looks at the terminal on the grid, and judges again where the judgement asked for it. */
  #advance(to: number): void {
    while (true) {
      const recheck = this.#recheckAt === null ? Number.POSITIVE_INFINITY : this.#spaced(this.#recheckAt);
      const due = Math.min(recheck, this.#askAt ?? Number.POSITIVE_INFINITY);
      const look = this.#nextLook(Math.min(to, due));
      const next = Math.min(look, due);
      if (next > to) break;
      this.#now = next;
      if (next === look && this.#terminal) {
        this.#looks++;
        const signals = this.#terminal.look(next);
        this.#take(signals);
        if (signals.length > 0) {
          this.#judge(next);
          continue;
        }
        if (due > next) continue;
      }
      if (next < recheck) this.#listen(assess(this.#evidence, next));
      else this.#judge(next);
    }
    this.#now = Math.max(this.#now, to);
  }

  /** The next point of the grid; behind `until` when nothing can be seen before it. */
  #nextLook(until: number): number {
    if (!this.#terminal) return Number.POSITIVE_INFINITY;
    const { startAt } = this.#options;
    const look = startAt + this.#looks * LOOK_MS;
    if (look > until || look - this.#writtenAt <= QUIET_MS) return look;
    this.#looks = Math.floor((until - startAt) / LOOK_MS) + 1;
    return startAt + this.#looks * LOOK_MS;
  }

  #spaced(recheckAt: number): number {
    const silence = recheckAt - this.#heardAt;
    return silence < LONG_SILENCE_MS ? recheckAt : Math.max(recheckAt, this.#now + silence * LONG_SILENCE_STEP);
  }

  #step(signals: readonly Signal[], at: number): void {
    if (signals.length === 0) return;
    this.#take(signals);
    this.#judge(at);
  }

  #take(signals: readonly Signal[]): void {
    for (const signal of signals) {
      this.#signals++;
      this.#options.onSignal?.(signal);
      take(this.#evidence, signal);
    }
  }

  #judge(at: number): void {
    const assessment = assess(this.#evidence, at);
    this.#recheckAt = assessment.recheckAt;
    this.#say(assessment);
    this.#listen(assessment);
  }

  #listen(assessment: Assessment): void {
    const askAt = this.#options.onAssessed?.(assessment, this.#evidence) ?? null;
    this.#askAt = askAt === null ? null : Math.max(askAt, assessment.at + ASK_MIN_MS);
  }

  #say(assessment: Assessment): void {
    if (assessment.state === "unknown" && this.#signals === 0) return;
    addEntry(this.#timeline, assessment, this.#options.startAt);
  }

  #reader(source: "transcript" | "stream" | "hook" | "session_file", file: string): RecordReader {
    const key = `${source} ${file}`;
    const known = this.#readers.get(key);
    if (known) return known;
    const make = readersFor(recordsOf(this.#options.profile))[source];
    const made = make ? make({ zone: this.#options.zone, marker: this.#options.marker ?? COMPLETION_MARKER }) : NOBODY;
    this.#readers.set(key, made);
    return made;
  }
}

/** A source that this program does not have. */
const NOBODY: RecordReader = { read: () => [], skipped: new Map() };
