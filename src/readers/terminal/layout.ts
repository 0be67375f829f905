/** The layout of a screen: composer or dialog, regions, and the rows that state something. */
import type { CompiledProfile } from "./compiled.js";
import { type Composer, findComposer } from "./composer.js";
import { type Dialog, findDialog } from "./dialog.js";
import { type LastMatch, lastRows, type Regions, regionsOf } from "./regions.js";
import type { ScreenRow } from "./row.js";
import type { CompiledRule } from "./row-patterns.js";
import type { ScreenCheck } from "./screen-check.js";
import { footOf, isDrawn, type ScreenText } from "./screen-text.js";

/** A row that matches a rule. */
export interface Match {
  rule: CompiledRule;
  groups: Record<string, string>;
  /** The row with its continuation. */
  text: string;
  /** The row, if it has no continuation. */
  row?: ScreenRow;
}

export interface RowMatch extends Match {
  row: ScreenRow;
  y: number;
}

export interface Layout {
  composer: Composer | null;
  dialog: Dialog | null;
  regions: Regions;
  status: readonly RowMatch[];
  foot: readonly RowMatch[];
  last: readonly LastMatch[];
  /** Rows above this one are the agent's last message; the program's own output below it is excluded. */
  messageEnd: number;
}

/** Repeats the layout if a further row turns out to be one that the program keeps above its composer. */
export function layOut(profile: CompiledProfile, screen: ScreenText, check: ScreenCheck): Layout {
  const layout = layOutOnce(profile, screen, check);
  const { composer } = layout;
  return composer && check.recordRows?.(screen.rows, composer.top) ? layOutOnce(profile, screen, check) : layout;
}

function layOutOnce(profile: CompiledProfile, screen: ScreenText, check: ScreenCheck): Layout {
  const found = findComposer(profile, screen.rows, (y, what) => screen[what](y), check.signs);
  // What may be a composer hides every quoted dialog above it.
  const possible = found ?? (profile.profile.structural ? findComposer(profile, screen.rows) : null);
  const dialog = findDialog(profile, screen.rows, possible, check.caret?.() ?? null, {
    isComposer: found !== null,
    cursor: (y) => screen.cursor(y),
    ...(check.signs && { signs: check.signs }),
  });
  // A bare prompt sign also starts a selected option: with options around it, it is not a composer.
  const composer = dialog ? null : found;
  const regions = regionsOf(profile, screen.rows, composer, dialog?.top ?? null, check);
  const rowsIn = (region: "status" | "foot"): RowMatch[] => matchRows(profile, screen, regions, region, check);
  const [status, foot] = [rowsIn("status"), rowsIn("foot")];
  const { matches: last, replyEnd: messageEnd } = lastRows(profile, screen, regions);
  return { composer, dialog, regions, status, foot, last, messageEnd };
}

function matchRows(
  profile: CompiledProfile,
  screen: ScreenText,
  regions: Regions,
  region: "status" | "foot",
  check: ScreenCheck,
): RowMatch[] {
  const matches: RowMatch[] = [];
  const foot = footOf(screen.rows);
  const [from, to] = regions[region];
  for (let y = from; y < to; y++) {
    const row = screen.rows[y] as ScreenRow;
    if (row.isBlank) continue;
    for (const { rule, groups } of profile.says(row)[region]) {
      if (!isDrawn(screen, y, rule)) continue;
      if (rule.live && y !== foot && !check.ticking(row) && !isTicking(screen.rows[y - 1], check)) continue;
      matches.push({ rule, groups, text: row.text, row, y });
      break;
    }
  }
  return matches;
}

const isTicking = (row: ScreenRow | undefined, { ticking }: ScreenCheck): boolean => row !== undefined && ticking(row);
