/**
 * The last layouts of a screen. While an agent works, a look finds other numbers, another mark of the spinner and a
 * blinking bullet, and everything where it was: of 633 looks at sessions of Claude Code, 500 were of this kind. Then the
 * layout is recalled instead of worked out again, and what its rows state is read from their texts of now.
 */
import type { CompiledProfile } from "./compiled.js";
import type { Look, Stated } from "./facts.js";
import { type Layout, layOut, type RowMatch } from "./layout.js";
import type { Range } from "./regions.js";
import { digestOfRow } from "./reply.js";
import type { Row } from "./row.js";
import type { RowForm } from "./row-form.js";
import { isDrawnAlike, type ScreenText } from "./screen-text.js";

/** A bullet that blinks above a spinner that stops and a tool that counts: a few layouts alternate. */
const KEPT_MAX = 8;
/** Where more rows changed at once, the screen is another. */
const CHANGED_MAX = 6;
/** What is stated in words is read from every row again; these say no more than that they stand there. */
const WORDLESS: ReadonlySet<string> = new Set(["tool", "ended", "interrupted"]);

/** A layout, and what fits it. */
export interface Kept {
  readonly layout: Layout;
  readonly rows: readonly Row[];
  readonly forms: readonly RowForm[];
  /** Of the rows that show a time: did it run? */
  readonly ticking: readonly boolean[];
  /** What its rows stated when they were last read: see `facts.ts`. */
  stated: Stated | null;
}

export interface Found {
  layout: Layout;
  /** Where it is, or may be, found again. */
  kept: Kept | null;
}

export class Layouts {
  readonly #profile: CompiledProfile;
  #rows: Row[] = [];
  /** Of each row; empty after a look at which most of them changed. */
  #forms: RowForm[] = [];
  /** The rows that show a time. */
  #clocks: number[] = [];
  #kept: Kept[] = [];

  constructor(profile: CompiledProfile) {
    this.#profile = profile;
  }

  /** The layout of a screen; where it is recalled, what its rows state is that of the look when it was kept. */
  of(screen: ScreenText, look: Look): Found {
    const found = this.#find(screen, look);
    const { composer } = found.layout;
    if (!composer || !look.stood?.(screen.rows, composer.top)) return found;
    this.#kept = [];
    return this.#find(screen, look);
  }

  #find(screen: ScreenText, look: Look): Found {
    if (!this.#takeIn(screen.rows)) return { layout: layOut(this.#profile, screen, look), kept: null };
    const ticking: boolean[] = [];
    for (const y of this.#clocks) ticking.push(look.ticking(screen.rows[y] as Row));
    for (const kept of this.#kept) {
      if (this.#fits(kept, ticking) && isDrawnAlike(screen, kept.layout.colours)) return { layout: kept.layout, kept };
    }
    const layout = layOut(this.#profile, screen, look);
    if (!isRecallable(layout)) return { layout, kept: null };
    const kept = { layout, rows: this.#rows.slice(), forms: this.#forms.slice(), ticking, stated: null };
    this.#kept.unshift(kept);
    if (this.#kept.length > KEPT_MAX) this.#kept.pop();
    return { layout, kept };
  }

  /** A recalled layout with what its rows state now; laid out anew where a rule that fitted does so no longer. */
  restated({ layout }: Kept, screen: ScreenText, look: Look): Layout {
    const status = this.#restate(layout.status);
    const foot = status && this.#restate(layout.foot);
    return foot ? { ...layout, status, foot } : layOut(this.#profile, screen, look);
  }

  /** Keeps the rows and, where few of them are others, their forms. Is it worth it to look for a layout? */
  #takeIn(rows: readonly Row[]): boolean {
    const isFirst = rows.length !== this.#rows.length;
    if (isFirst) this.#rows.length = 0;
    const hasForms = this.#forms.length > 0;
    let areClocksSame = hasForms;
    let changed = 0;
    for (let y = 0; y < rows.length; y++) {
      const row = rows[y] as Row;
      if (row === this.#rows[y]) continue;
      this.#rows[y] = row;
      if (++changed > CHANGED_MAX || !hasForms) continue;
      const { form } = this.#profile.says(row);
      areClocksSame &&= form.clock === this.#forms[y]?.clock;
      this.#forms[y] = form;
    }
    if (isFirst || changed > CHANGED_MAX) {
      this.#forms = [];
      this.#kept = [];
      return false;
    }
    if (!hasForms) this.#forms = rows.map((row) => this.#profile.says(row).form);
    if (areClocksSame) return true;
    this.#clocks = [];
    for (let y = 0; y < rows.length; y++) if (this.#forms[y]?.clock) this.#clocks.push(y);
    return true;
  }

  /** The same forms and clocks running, a reply without news, and the same texts where rows are not read again. */
  #fits({ layout, rows, forms, ticking: ticked }: Kept, ticking: readonly boolean[]): boolean {
    for (let y = rows.length - 1; y >= 0; y--) {
      if (this.#forms[y] !== forms[y]) return false;
    }
    for (let n = 0; n < ticking.length; n++) if (ticking[n] !== ticked[n]) return false;
    const { replyEnd, status, foot } = layout.regions;
    for (let y = rows.length - 1; y >= 0; y--) {
      const was = rows[y] as Row;
      const is = this.#rows[y] as Row;
      if (was === is || isWithin(status, y) || isWithin(foot, y)) continue;
      if (y >= replyEnd || digestOfRow(was) !== digestOfRow(is)) return false;
    }
    return true;
  }

  /** Rows that state something, as they are now; null where a rule that fitted does so no longer. */
  #restate(matches: readonly RowMatch[]): readonly RowMatch[] | null {
    const stated: RowMatch[] = [];
    for (const match of matches) {
      const row = this.#rows[match.y] as Row;
      const isAsBefore = row === match.row || isEmpty(match.groups);
      const groups = isAsBefore ? match.groups : this.#profile.says(row).groupsOf(match.rule);
      if (!groups) return null;
      stated.push({ rule: match.rule, groups, text: row.text, row, y: match.y });
    }
    return stated;
  }
}

const isWithin = ([from, to]: Range, y: number): boolean => y >= from && y < to;

function isEmpty(groups: Record<string, string>): boolean {
  for (const _ in groups) return false;
  return true;
}

/** A screen with neither composer nor dialog is read by all of its rows. */
const isRecallable = ({ composer, dialog, last }: Layout): boolean =>
  (composer !== null || dialog !== null) && last.every(({ rule }) => WORDLESS.has(rule.fact));
