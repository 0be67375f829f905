/** The state of a screen for typing: see `core/policy/typing-checks.ts`. */
import { digest } from "../../core/digest.js";
import type { ScreenState } from "../../core/policy/typing-checks.js";
import type { CompiledProfile } from "./compiled.js";
import { type Composer, findComposer } from "./composer.js";
import type { ScreenRow } from "./row.js";
import type { ScreenFacts } from "./screen-check.js";
import type { ScreenText } from "./screen-text.js";

/** A queue is right above the composer, or in its hint. */
const QUEUE_ROWS_MAX = 16;

export interface PlacedScreenState {
  screenState: ScreenState;
  /** First and last row of the composer; null without one. */
  rows: { top: number; bottom: number } | null;
}

export function placedScreenState(
  profile: CompiledProfile,
  screen: ScreenText,
  facts: ScreenFacts,
  says: ScreenState["says"],
  signs: ReadonlySet<string>,
): PlacedScreenState {
  const { rows } = screen;
  const found =
    facts.composer === "hidden"
      ? null
      : findComposer(profile, rows, (y, what) => what === "cursor" && screen.cursor(y), new Set(signs));
  const context = found && [found.top, ...rows.slice(found.top, found.bottom + 1).map(({ text }) => text)];
  return {
    screenState: {
      composer: facts.composer,
      draft: found ? wholeDraft(profile, rows, found) : "",
      dialog: facts.dialog?.prompt ?? null,
      busy: facts.busy,
      says,
      queued: found !== null && hasQueue(profile, rows, found),
      structural: facts.structural ?? false,
      composerDigest: context ? digest(JSON.stringify(context)) : "",
    },
    rows: found && { top: found.top, bottom: found.bottom },
  };
}

/** The draft of a composer without a frame is that of its first row; wrapped text is below it. */
function wholeDraft(
  { profile: { composer } }: CompiledProfile,
  rows: readonly ScreenRow[],
  { top, bottom, draft }: Composer,
): string {
  if (composer.more === null || draft === "") return draft;
  const more = rows.slice(top + 1, bottom + 1).filter((row) => !row.isBlank);
  return [draft, ...more.map(({ text }) => text)].map((text) => text.trim()).join(" ");
}

const hasQueue = ({ says }: CompiledProfile, rows: readonly ScreenRow[], { top, bottom }: Composer): boolean =>
  rows.slice(Math.max(0, top - QUEUE_ROWS_MAX), bottom + 1).some((row) => says(row).isQueued);
