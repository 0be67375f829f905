/** What a check of a screen knows beyond the screen itself, and the facts that it finds. */
import type { ScreenReading } from "../../core/signal.js";
import type { ScreenRow } from "./row.js";

export interface ScreenCheck {
  at: number;
  /** When the limit that a text speaks of ends, in milliseconds since 1970. */
  until: (text: string) => number | undefined;
  /** Does this row's clock run? */
  ticking: (row: ScreenRow) => boolean;
  /** Did this row's clock run of late? */
  ran?: (row: ScreenRow) => boolean;
  /** Does this row begin with a sign that turns? */
  turning?: (row: ScreenRow) => boolean;
  /** Did a clock run so many rows above the composer a moment ago, and may this row be its next text? */
  inherits?: (row: ScreenRow, above: number) => boolean;
  /** Is this a row that the program keeps right above its composer? */
  isStatic?: (row: ScreenRow) => boolean;
  /** This stands above the composer's first row. Is it another row from now on that the program keeps there? */
  stood?: (rows: readonly ScreenRow[], top: number) => boolean;
  /** Signs before which the program was seen to wait for its human: it adds to them. */
  signs?: Set<string>;
  /** A clock runs so many rows above the composer. */
  clockStands?: (above: number) => void;
}

export type ScreenFacts = Omit<ScreenReading, "moving">;
