/**
 * What a piece of output costs the parts of rouse that read it: CPU time and memory, measured on this process. A
 * measurement that is too large is repeated, because other programs, the compiler and the collection of garbage only add
 * to it.
 */

import { OutputText } from "../../src/cli/text/output.js";
import { RedactStream } from "../../src/core/text/redact-stream.js";
import { generic } from "../../src/programs/generic/screens.js";
import { profileFor } from "../../src/programs/registry.js";
import { PIECE_BYTES } from "../../src/readers/terminal/emulator.js";
import { isPainting, paintScreen } from "../../src/readers/terminal/paint-screen.js";
import { CHECK_MS, TerminalReader } from "../../src/readers/terminal/terminal.js";
import { foldRecording } from "../../src/replay/fold.js";
import { fromArray, type RecordedInput } from "../../src/replay/inputs.js";
import { Responder } from "../../src/terminal/responder.js";
import { Ring } from "../../src/terminal/ring.js";
import { bytesOf, type HostileOutput, textOf } from "./output-grammar.js";

const CPU_MS_PER_KB = 50;
const SHORT_BYTES = 100;
const SHORT_CPU_MS = 20;
const STEP_CPU_MS = 100;
const MEMORY_MAX_MB = 64;
const REPEATS = 12;

export const SCREEN: { cols: number; rows: number } = { cols: 120, rows: 40 };
export const LARGEST: { cols: number; rows: number } = { cols: 1000, rows: 500 };

/** Work in steps: nothing else can happen in its process during one. */
type Steps = AsyncGenerator<void> | Generator<void>;

export interface Target {
  name: string;
  /** Each step is limited by itself, instead of the whole. */
  bySteps?: true;
  run(output: HostileOutput): Steps;
}

const KINDS = ["claude-code", "codex", "gemini", "opencode", "goose", "generic"];
/** The same output always meets the same program. */
const kindFor = (output: HostileOutput): string => KINDS[bytesOf(output) % KINDS.length] as string;

function* readByTerminal(output: HostileOutput): Generator<void> {
  const options = { cols: output.cols, rows: output.rows, zone: "UTC", structure: generic };
  const reader = new TerminalReader(profileFor(kindFor(output)), options);
  let at = 1_767_614_400_000;
  for (const piece of output.pieces) {
    if (!("text" in piece)) {
      reader.resize(piece.cols, piece.rows);
      continue;
    }
    const bytes = textOf(piece);
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      reader.write(bytes.subarray(from, from + PIECE_BYTES));
      yield;
    }
    // As a program that writes 5 kB a second would be read.
    if (bytes.length < 4096) continue;
    at += CHECK_MS;
    reader.check(at);
    yield;
  }
  reader.lastCheck(at + CHECK_MS);
  reader.dispose();
}

/** The bytes alone. */
const joined = ({ pieces }: HostileOutput): Buffer =>
  Buffer.concat(pieces.flatMap((piece) => ("text" in piece ? textOf(piece) : [])));

async function* paint(output: HostileOutput): AsyncGenerator<void> {
  await paintScreen(joined(output), output);
  yield;
}

function* passThroughHost(output: HostileOutput): Generator<void> {
  const ring = new Ring(1024 * 1024);
  const responder = new Responder();
  const bytes = joined(output);
  for (let from = 0; from < bytes.length; from += 4096) {
    ring.push(bytes.subarray(from, from + 4096));
    responder.queries(bytes.subarray(from, from + 4096));
  }
  ring.modes.restore();
  yield;
}

function* showLogs(output: HostileOutput): Generator<void> {
  const bytes = joined(output);
  isPainting(bytes);
  const text = new OutputText(output.cols);
  const kept = new RedactStream();
  for (const piece of text.take(bytes)) kept.push(piece);
  kept.push(text.end());
  kept.flush();
  yield;
}

async function* replay(output: HostileOutput): AsyncGenerator<void> {
  let t = 0;
  const inputs = output.pieces.flatMap((piece): RecordedInput[] => {
    if (!("text" in piece)) return [{ t, kind: "size", cols: piece.cols, rows: piece.rows }];
    const bytes = textOf(piece);
    const events: RecordedInput[] = [];
    for (let from = 0; from < bytes.length; from += 512) {
      t += 0.1;
      events.push({ t, kind: "bytes", bytes: bytes.subarray(from, from + 512) });
    }
    return events;
  });
  const size = { cols: output.cols, rows: output.rows };
  const profile = profileFor(kindFor(output));
  await foldRecording(fromArray(inputs), { profile, startAt: 1_767_614_400_000, zone: "UTC", size });
  yield;
}

export const TARGETS: readonly Target[] = [
  { name: "reading a terminal", run: readByTerminal },
  { name: "drawing a terminal", run: paint },
  { name: "passing output through a host", run: passThroughHost },
  { name: "showing logs", run: showLogs },
  { name: "replaying a recording", run: replay },
];

export const LARGEST_TARGET: Target = { name: "reading the largest terminal", bySteps: true, run: readByTerminal };

interface Cost {
  /** Of the whole, or of the longest step. */
  cpuMs: number;
  memoryMb: number;
}

async function measured(target: Target, output: HostileOutput): Promise<Cost> {
  const before = memoryMb();
  let [all, longest] = [0, 0];
  let started = process.cpuUsage();
  for await (const _ of target.run(output)) {
    const ms = cpuMs(started);
    all += ms;
    longest = Math.max(longest, ms);
    started = process.cpuUsage();
  }
  const last = cpuMs(started);
  return { cpuMs: target.bySteps ? Math.max(longest, last) : all + last, memoryMb: memoryMb() - before };
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

const memoryMb = (): number => process.memoryUsage.rss() / 1024 / 1024;

function limitOf(target: Target, output: HostileOutput): number {
  if (target.bySteps) return STEP_CPU_MS;
  const bytes = bytesOf(output);
  return bytes < SHORT_BYTES ? SHORT_CPU_MS : Math.max(SHORT_CPU_MS, (CPU_MS_PER_KB * bytes) / 1024);
}

const baselines = new Map<Target, number>();

/** What the target costs without any output: loading is done, but it is not nothing. */
async function baselineOf(target: Target, { cols, rows }: HostileOutput): Promise<number> {
  let known = baselines.get(target);
  if (known !== undefined) return known;
  known = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 5; n++) known = Math.min(known, (await measured(target, { cols, rows, pieces: [] })).cpuMs);
  baselines.set(target, known);
  return known;
}

export interface Measurement extends Cost {
  bytes: number;
  /** The part of the limit that was used. */
  share: number;
  /** Why it is too much; null if it is not. */
  problem: string | null;
}

/** The least cost of several measurements, as soon as one is within the limits. */
export async function measure(target: Target, output: HostileOutput): Promise<Measurement> {
  const limit = limitOf(target, output);
  const baseline = target.bySteps ? 0 : await baselineOf(target, output);
  const bytes = bytesOf(output);
  let least: Cost = { cpuMs: Number.POSITIVE_INFINITY, memoryMb: Number.POSITIVE_INFINITY };
  for (let n = 0; n < REPEATS; n++) {
    const cost = await measured(target, output);
    least = {
      cpuMs: Math.min(least.cpuMs, Math.max(0, cost.cpuMs - baseline)),
      memoryMb: Math.min(least.memoryMb, cost.memoryMb),
    };
    if (least.cpuMs <= limit && least.memoryMb <= MEMORY_MAX_MB) break;
  }
  const problem =
    least.cpuMs > limit
      ? `${least.cpuMs.toFixed(1)} ms of CPU for ${bytes} bytes, at most ${limit.toFixed(1)}`
      : least.memoryMb > MEMORY_MAX_MB
        ? `${least.memoryMb.toFixed(0)} MB for ${bytes} bytes`
        : null;
  return { ...least, bytes, share: least.cpuMs / limit, problem };
}

/** The shortest output found that is still a problem: leaves out pieces, then shortens what is left. */
export async function shrink(target: Target, output: HostileOutput): Promise<HostileOutput> {
  let least = output;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const smaller of smallerThan(least)) {
      if ((await measure(target, smaller)).problem === null) continue;
      least = smaller;
      isSmaller = true;
      break;
    }
  }
  return least;
}

function* smallerThan(output: HostileOutput): Generator<HostileOutput> {
  const { pieces } = output;
  for (let n = 0; n < pieces.length; n++) yield { ...output, pieces: pieces.filter((_, at) => at !== n) };
  for (const [n, piece] of pieces.entries()) {
    if (!("text" in piece)) continue;
    const changed = (text: string, times: number): HostileOutput => ({
      ...output,
      pieces: pieces.map((other, at) => (at === n ? { text, times } : other)),
    });
    if (piece.times > 1) yield changed(piece.text, Math.floor(piece.times / 2));
    const half = Math.ceil(piece.text.length / 2);
    if (piece.text.length > 1) {
      yield changed(piece.text.slice(0, half), piece.times);
      yield changed(piece.text.slice(half), piece.times);
    }
  }
}
