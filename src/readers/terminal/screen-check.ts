/** Knowledge of a check beyond the screen itself, and the facts that it finds. */
import type { ScreenReading } from "../../core/signal.js";
import type { ScreenRow } from "./row.js";

/** Row and column, from 0. */
export interface Caret {
  x: number;
  y: number;
}

export interface ScreenCheck {
  at: number;
  /** The end of the limit that a text mentions, in milliseconds since 1970. */
  until: (text: string) => number | undefined;
  /** Is this row's clock running? */
  ticking: (row: ScreenRow) => boolean;
  /** Did this row's clock run recently? */
  ran?: (row: ScreenRow) => boolean;
  /** Does this row start with a turning sign? */
  turning?: (row: ScreenRow) => boolean;
  /** Did a clock run this many rows above the composer a moment ago, and can this row be its next text? */
  inherits?: (row: ScreenRow, above: number) => boolean;
  /** Is this a row that the program keeps right above its composer? */
  isStatic?: (row: ScreenRow) => boolean;
  /** Adds the rows above the composer's first row. True if this changes which row the program keeps there. */
  recordRows?: (rows: readonly ScreenRow[], top: number) => boolean;
  /** Signs after which the program was seen to wait for input; the check adds to them. */
  signs?: Set<string>;
  /** The position of the cursor in the terminal of a program that only prints lines; null for any other. */
  caret?: () => Caret | null;
  /** Reports a clock that runs this many rows above the composer. */
  recordClock?: (above: number) => void;
}

export type ScreenFacts = Omit<ScreenReading, "moving">;
