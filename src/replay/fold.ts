/**
 * Replays a recording on a virtual clock through the step that the live loop calls.
 *
 * The terminal is read on a fixed grid of time; records count at the moment they were written. Between two inputs the
 * clock ticks when a judgement or a decision is due, and every 10 s as in the live loop. The same recording gives the
 * same timeline, byte for byte, however its bytes were chunked.
 */
import type { AgentSession } from "../core/agent.js";
import { COMPLETION_MARKER } from "../core/defaults.js";
import type { Incident } from "../core/incidents/incident.js";
import type { Assessment } from "../core/judgement/assess.js";
import type { Evidence } from "../core/judgement/evidence/state.js";
import { addEntry, type TimelineEntry } from "../core/judgement/timeline.js";
import { createNodeState, type NodeState } from "../core/node-state.js";
import type { JudgingOptions, SessionJudge } from "../core/session-judge.js";
import type { Signal } from "../core/signal.js";
import { step } from "../core/step.js";
import type { StepInput } from "../core/step-input.js";
import { OBSERVE_ONLY } from "../core/step-rules.js";
import { FLOOR_MS } from "../core/take-in.js";
import { agentSession, type WhatIf } from "../core/what-if.js";
import { generic } from "../programs/generic/screens.js";
import type { ProgramReaders } from "../programs/program.js";
import { programFor, traitsOf } from "../programs/registry.js";
import { type AgentProfile, recordsOf } from "../programs/shared/profile.js";
import { readKeys } from "../readers/keys.js";
import { parseRecord } from "../readers/records/json.js";
import { LineSplitter } from "../readers/records/lines.js";
import type { RecordReader } from "../readers/records/record-reader.js";
import { signalsOfSubagent } from "../readers/records/subagent.js";
import { StandardError } from "../readers/terminal/standard-error.js";
import { CHECK_MS, TerminalReader } from "../readers/terminal/terminal.js";
import { isOnClock, type RecordedInput } from "./inputs.js";

/** This long after the last byte a check finds nothing new: every counter and animation has settled by then. */
const QUIET_MS = 10_000;
/** After a silence of a week, ticks get further and further apart: years cost a few hundred steps. */
const LONG_SILENCE_MS = 7 * 24 * 3_600_000;
const LONG_SILENCE_STEP = 0.01;
/** The live loop ticks no more often than this. */
const TICK_MS = 1000;

export interface FoldOptions {
  profile: AgentProfile;
  /** Wall clock at the start of the recording, in milliseconds. */
  startAt: number;
  zone: string;
  /** The completion marker that the agent may have been asked for; by default rouse's own. */
  marker?: string;
  /** Size of the terminal; null for a recording without one. */
  size: { cols: number; rows: number } | null;
  /** Called with each signal, for explanations and benches. */
  onSignal?: (signal: Signal) => void;
  /** Settings to judge by instead of the defaults. */
  settings?: JudgingOptions;
  /** Acts by a policy, as if every action worked. */
  whatIf?: (settings: JudgingOptions) => WhatIf;
  /** Called after each step, for explanations. */
  onJudged?: (judge: SessionJudge, terminal: TerminalReader | null) => void;
}

export interface FoldResult {
  timeline: TimelineEntry[];
  evidence: Evidence;
  /** At the end. */
  assessment: Assessment;
  /** Since when it holds. */
  since: number;
  incidents: readonly Incident[];
  /** Rows of the screen at the end; null without a terminal. */
  screen: string[] | null;
  signals: number;
  /** Unknown record kinds, and their number. */
  skipped: Map<string, number>;
}

export async function foldRecording(inputs: AsyncIterable<RecordedInput>, options: FoldOptions): Promise<FoldResult> {
  const fold = new Fold(options, await programFor(recordsOf(options.profile)).readers());
  for await (const input of inputs) fold.input(input);
  return fold.finish();
}

class Fold {
  readonly #options: FoldOptions;
  readonly #programReaders: ProgramReaders;
  readonly #state: NodeState;
  readonly #whatIf: WhatIf | null;
  readonly #judge: SessionJudge;
  readonly #timeline: TimelineEntry[] = [];
  readonly #terminal: TerminalReader | null;
  readonly #readers = new Map<string, RecordReader>();
  readonly #stdout = new LineSplitter();
  readonly #stderr = new StandardError();
  #now: number;
  /** Points of the grid that were read or skipped. */
  #checks = 0;
  #writtenAt: number;
  #lastInputAt: number;
  #signals = 0;
  #impossible = 0;

  constructor(options: FoldOptions, programReaders: ProgramReaders) {
    const { profile, startAt, size, zone, marker = COMPLETION_MARKER } = options;
    this.#options = options;
    this.#programReaders = programReaders;
    const settings: JudgingOptions = { ...options.settings, traits: traitsOf(profile) };
    this.#whatIf = options.whatIf?.(settings) ?? null;
    this.#state = this.#whatIf?.state ?? createNodeState({ ...OBSERVE_ONLY, settingsFor: () => settings });
    this.#terminal = size ? new TerminalReader(profile, { ...size, zone, structure: generic, marker }) : null;
    this.#now = startAt;
    this.#writtenAt = startAt;
    this.#lastInputAt = startAt;
    const session = agentSession(this.#whatIf?.origin ?? "run", profile.id, startAt);
    step(this.#state, { kind: "register", session }, startAt);
    this.#judge = registered(this.#state, session);
    this.#step([{ kind: "session", at: startAt, source: "observer" }], startAt);
  }

  input(input: RecordedInput): void {
    if (!isOnClock(input.t)) {
      this.#impossible++;
      return;
    }
    const at = this.#options.startAt + input.t * 1000;
    this.#advance(at);
    this.#lastInputAt = at;
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
        this.#step(this.#read(this.#reader(input.source, input.file), input.record, at), at);
        return;
      case "signals":
        this.#step(input.signals, at);
        return;
      case "exit":
        // The last output of the program is read before its end is judged.
        this.#step(
          [
            ...(this.#terminal?.lastCheck(at) ?? []),
            ...(input.code === 0 ? [] : this.#stderr.lastWords(at, this.#options.zone)),
            { kind: "exit", at, source: "process", code: input.code, signal: input.signal },
          ],
          at,
        );
        return;
      case "end":
        return;
    }
  }

  finish(): FoldResult {
    // Checks the screen after the last input; no time passes beyond the recording.
    const { evidence } = this.#judge;
    if (this.#terminal && evidence.exit === null) this.#step(this.#terminal.lastCheck(this.#now), this.#now);
    const screen = this.#terminal?.screenRows() ?? null;
    this.#terminal?.dispose();
    const skipped = new Map<string, number>();
    for (const reader of this.#readers.values()) {
      for (const [kind, n] of reader.skipped) skipped.set(kind, (skipped.get(kind) ?? 0) + n);
    }
    if (this.#impossible > 0) skipped.set("impossible time", this.#impossible);
    const { assessment, since } = this.#judge;
    const { incidents } = this.#state.incidents;
    return {
      timeline: this.#timeline,
      evidence,
      assessment,
      since,
      incidents,
      screen,
      signals: this.#signals,
      skipped,
    };
  }

  /** Lets time pass up to `to`: reads the terminal on the grid, and ticks when something is due. */
  #advance(to: number): void {
    while (true) {
      const due = this.#nextTick();
      const check = this.#nextCheck(Math.min(to, due));
      const next = Math.min(check, due);
      if (next > to) break;
      this.#now = next;
      if (next === check && this.#terminal) {
        this.#checks++;
        this.#step(this.#terminal.check(next), next);
      }
      if (next === due) this.#take({ kind: "tick" }, next);
    }
    this.#now = Math.max(this.#now, to);
  }

  /** When the live loop would judge or decide again without a new input. */
  #nextTick(): number {
    const { recheckAt, at } = this.#judge.assessment;
    const decideAt = [...this.#state.decideAt.values()].map((due) => Math.max(due, this.#now + TICK_MS));
    const judgeAt = recheckAt === null ? [] : [this.#spaced(recheckAt)];
    const floor = at - this.#lastInputAt < LONG_SILENCE_MS ? [at + FLOOR_MS] : [];
    return Math.min(...judgeAt, ...decideAt, ...floor);
  }

  /** The next point of the grid; after `until` if nothing changes before it. */
  #nextCheck(until: number): number {
    if (!this.#terminal) return Number.POSITIVE_INFINITY;
    const { startAt } = this.#options;
    const check = startAt + this.#checks * CHECK_MS;
    if (check > until || check - this.#writtenAt <= QUIET_MS) return check;
    this.#checks = Math.floor((until - startAt) / CHECK_MS) + 1;
    return startAt + this.#checks * CHECK_MS;
  }

  #spaced(recheckAt: number): number {
    const silence = recheckAt - this.#lastInputAt;
    return silence < LONG_SILENCE_MS ? recheckAt : Math.max(recheckAt, this.#now + silence * LONG_SILENCE_STEP);
  }

  #step(signals: readonly Signal[], at: number): void {
    if (signals.length === 0) return;
    this.#signals += signals.length;
    if (this.#options.onSignal) for (const signal of signals) this.#options.onSignal(signal);
    this.#take({ kind: "signals", session: this.#judge.session.id, by: "host", signals }, at);
  }

  /** A recording is observed throughout, so the session counts as alive at every moment of it. */
  #take(input: StepInput, at: number): void {
    this.#judge.recordLiveness(at, "host");
    if (this.#whatIf) this.#whatIf.take(input, at);
    else step(this.#state, input, at);
    if (this.#signals > 0) addEntry(this.#timeline, this.#judge.assessment, this.#options.startAt);
    if (this.#judge.assessment.at === at) this.#options.onJudged?.(this.#judge, this.#terminal);
  }

  /** The records of a subagent beside those of its session; alone they are a conversation like any other. */
  #read(reader: RecordReader, record: unknown, at: number): Signal[] {
    const signals = reader.read(record, at);
    const { subagent } = reader;
    const isBeside = this.#terminal !== null || [...this.#readers.values()].some((one) => one.subagent === undefined);
    return subagent !== undefined && isBeside ? signalsOfSubagent(signals, subagent) : signals;
  }

  #reader(source: "transcript" | "stream" | "hook" | "session_file", file: string): RecordReader {
    const key = `${source} ${file}`;
    const known = this.#readers.get(key);
    if (known) return known;
    const make = this.#programReaders[source];
    const made = make
      ? make({ zone: this.#options.zone, marker: this.#options.marker ?? COMPLETION_MARKER })
      : NO_READER;
    this.#readers.set(key, made);
    return made;
  }
}

function registered({ sessions }: NodeState, { id: session }: AgentSession): SessionJudge {
  const judge = sessions.get(session);
  if (!judge) throw new Error(`the session ${session} was registered and is not in the state`);
  return judge;
}

/** A source that this program does not have. */
const NO_READER: RecordReader = { read: () => [], skipped: new Map() };
