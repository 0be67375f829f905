/** Where things stand on a screen: composer or dialog, regions, and the rows that state something. */
import type { CompiledProfile, CompiledRule } from "./compiled.js";
import { type Composer, findComposer } from "./composer.js";
import { type Dialog, findDialog } from "./dialog.js";
import type { Look } from "./facts.js";
import { type LastMatch, lastRows, type Regions, regionsOf } from "./regions.js";
import type { Row } from "./row.js";
import { type ColourAsked, footOf, isDrawn, isSeen, type ScreenText } from "./screen-text.js";

/** A row that a rule fits. */
export interface Match {
  rule: CompiledRule;
  groups: Record<string, string>;
  /** The row with its continuation. */
  text: string;
  /** The row, where it has none. */
  row?: Row;
}

export interface RowMatch extends Match {
  row: Row;
  y: number;
}

export interface Layout {
  composer: Composer | null;
  dialog: Dialog | null;
  regions: Regions;
  status: readonly RowMatch[];
  foot: readonly RowMatch[];
  last: readonly LastMatch[];
  /** Rows above this one are the agent's last message; what the program itself said below it is left out. */
  messageEnd: number;
  /** It hangs on how these rows are drawn, too. */
  colours: readonly ColourAsked[];
}

export function layOut(profile: CompiledProfile, screen: ScreenText, look: Look): Layout {
  const colours: ColourAsked[] = [];
  const found = findComposer(profile, screen.rows, (y, what) => isSeen(screen, y, what, colours), look.signs);
  const dialog = findDialog(profile, screen.rows, found);
  // A bare prompt sign is also how a selected option begins: with options around it, it is no composer.
  const composer = dialog ? null : found;
  const regions = regionsOf(profile, screen.rows, composer, dialog?.top ?? null, look);
  const rowsIn = (region: "status" | "foot"): RowMatch[] => matchRows(profile, screen, regions, region, look, colours);
  const [status, foot] = [rowsIn("status"), rowsIn("foot")];
  const { matches: last, replyEnd: messageEnd } = lastRows(profile, screen, regions, colours);
  return { composer, dialog, regions, status, foot, last, messageEnd, colours };
}

function matchRows(
  profile: CompiledProfile,
  screen: ScreenText,
  regions: Regions,
  region: "status" | "foot",
  look: Look,
  asked: ColourAsked[],
): RowMatch[] {
  const matches: RowMatch[] = [];
  const foot = footOf(screen.rows);
  const [from, to] = regions[region];
  for (let y = from; y < to; y++) {
    const row = screen.rows[y] as Row;
    if (row.isBlank) continue;
    for (const { rule, groups } of profile.says(row)[region]) {
      if (!isDrawn(screen, y, rule, asked)) continue;
      if (rule.live && y !== foot && !look.ticking(row) && !isTicking(screen.rows[y - 1], look)) continue;
      matches.push({ rule, groups, text: row.text, row, y });
      break;
    }
  }
  return matches;
}

const isTicking = (row: Row | undefined, { ticking }: Look): boolean => row !== undefined && ticking(row);
