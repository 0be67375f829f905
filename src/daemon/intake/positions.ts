/** Read positions of transcripts, kept across restarts, so that no signal is sent twice. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { writeWhole } from "../../config/whole-file.js";
import type { TranscriptState } from "../../sensors/transcript/transcript-sensor.js";

const schema = z.record(
  z.string(),
  z.object({
    path: z.string(),
    marks: z.array(z.object({ offset: z.number(), before: z.string() })).max(64),
    checkedAt: z.number(),
  }),
);

interface Reading {
  stateOf(session: string): TranscriptState | null;
}

const KEEP_EVERY_MS = 15_000;

export class Positions {
  readonly #file: string;
  readonly #reading: Reading;
  readonly #followed = new Set<string>();
  #earlier: Readonly<Record<string, TranscriptState>>;
  #keptAt = 0;

  /** `isKnown`: the signals up to the position are in the journal; otherwise the transcript is read from its start again. */
  constructor(file: string, reading: Reading, isKnown: (session: string) => boolean) {
    this.#file = file;
    this.#reading = reading;
    this.#earlier = Object.fromEntries(Object.entries(read(file)).filter(([session]) => isKnown(session)));
  }

  /** Position of an earlier run in the same file. */
  of(session: string, path: string): TranscriptState | null {
    const known = this.#earlier[session];
    return known?.path === path ? known : null;
  }

  follow(session: string): void {
    this.#followed.add(session);
  }

  forget(session: string): void {
    this.#followed.delete(session);
  }

  /** Saves them at intervals. A failed write only costs a second reading later. */
  keep(at: number): void {
    if (this.#followed.size === 0 || at - this.#keptAt < KEEP_EVERY_MS) return;
    this.#keptAt = Math.min(at, Number.MAX_SAFE_INTEGER);
    const states = [...this.#followed].flatMap((session) => {
      const state = this.#reading.stateOf(session);
      return state ? [[session, state] as const] : [];
    });
    try {
      writeWhole(this.#file, JSON.stringify(Object.fromEntries(states)));
    } catch {
      // The disk is full or read-only; the journal reports it.
    }
  }
}

function read(file: string): Readonly<Record<string, TranscriptState>> {
  try {
    return schema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? {};
  } catch {
    return {};
  }
}
