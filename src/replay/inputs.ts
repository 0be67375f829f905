/**
 * The contents of a recording, one source at a time, each in order of time. `t` is seconds on the recording's clock.
 */
import type { Signal } from "../core/signal.js";

export type RecordedInput = { t: number } & (
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "size"; cols: number; rows: number }
  | { kind: "keys"; text: string }
  /** Standard output of a headless run. */
  | { kind: "stdout"; bytes: Uint8Array }
  /** Standard error of a headless run. */
  | { kind: "stderr"; text: string }
  /** One record of the source; `file` distinguishes several transcripts. */
  | { kind: "record"; source: RecordSource; file: string; record: unknown }
  /** Signals of a source that carries its own times. */
  | { kind: "signals"; signals: Signal[] }
  | { kind: "exit"; code: number | null; signal: number | null }
  /** Nothing happened, but the recording continued until here. */
  | { kind: "end" }
);

/** A hundred years. A damaged record may contain any time; no recording is longer. */
const SECONDS_MAX = 100 * 366 * 86_400;

export const isOnClock = (t: number): boolean => t >= 0 && t <= SECONDS_MAX;

export type RecordSource = "transcript" | "stream" | "hook" | "session_file";

/** Merges sources by time; equal times keep the order of the sources. */
export async function* mergeInputs(sources: readonly AsyncIterable<RecordedInput>[]): AsyncGenerator<RecordedInput> {
  const heads: { iterator: AsyncIterator<RecordedInput>; head: RecordedInput }[] = [];
  for (const source of sources) {
    const iterator = source[Symbol.asyncIterator]();
    const first = await iterator.next();
    if (!first.done) heads.push({ iterator, head: first.value });
  }
  while (heads.length > 0) {
    let best = heads[0] as (typeof heads)[number];
    for (const other of heads) if (other.head.t < best.head.t) best = other;
    yield best.head;
    const next = await best.iterator.next();
    if (next.done) heads.splice(heads.indexOf(best), 1);
    else best.head = next.value;
  }
}

export async function* fromArray(inputs: readonly RecordedInput[]): AsyncGenerator<RecordedInput> {
  yield* inputs;
}

/** Keeps only the inputs of the chosen sources; keys and the recording's length always count. */
export async function* onlyFrom(
  inputs: AsyncIterable<RecordedInput>,
  screen: boolean,
  stream: boolean,
): AsyncGenerator<RecordedInput> {
  for await (const input of inputs) {
    if ((input.kind === "bytes" || input.kind === "size") && !screen) yield { t: input.t, kind: "end" };
    else if (input.kind === "stdout" && !stream) yield { t: input.t, kind: "end" };
    else yield input;
  }
}
