/**
 * What a tmux server is asked to check itself in the same step in which it writes keys (`if-shell -F`): the pane is
 * the one that was looked at, with the same program in front, nobody in it, and the composer's rows unchanged in place.
 *
 * Formats have no quoting that a screen could not break, so no text of the screen goes into one: of each row only
 * letters, digits and drawing characters are kept, and every other character becomes the dot that matches any.
 */

/** What is compared letter by letter; all of it numbers. */
const NUMBERS = [
  "pane_pid",
  "pane_dead",
  "pane_in_mode",
  "pane_input_off",
  "pane_synchronized",
  "pane_width",
  "pane_height",
  "cursor_x",
  "cursor_y",
  "session_activity",
] as const;
const NUMBERS_FORMAT: string = NUMBERS.map((name) => `#{${name}}`).join("|");
/** All of them in one, and the last time that a client was attached; to be asked with the look. */
export const PANE_FORMAT: string = `#{session_last_attached} ${NUMBERS_FORMAT}`;

export interface PaneNumbers {
  /** As `NUMBERS_FORMAT` prints them. */
  text: string;
  /** A person or another program has the pane for something else. */
  objection: string | null;
  /** When a client of the session last typed, in seconds; null where none was ever attached. */
  activeAt: number | null;
}

const PANE_NUMBERS = /^(\d{0,15}) ((?:\d{0,15}\|){9}\d{0,15})$/;

export function paneNumbers(reply: string): PaneNumbers | null {
  const [, attached, text] = PANE_NUMBERS.exec(reply) ?? [];
  if (text === undefined) return null;
  const [, dead, mode, off, synchronised, , , , , activity] = text.split("|");
  const objection =
    dead === "1"
      ? "the pane is dead"
      : mode !== "0"
        ? "the pane is in copy mode: somebody reads in it"
        : off === "1"
          ? "the pane takes no input"
          : synchronised === "1"
            ? "the pane passes keys on to others (synchronize-panes)"
            : null;
  return { text, objection, activeAt: attached ? Number(activity) : null };
}

export interface PaneCondition {
  numbers: string;
  /** `pane_current_command`: a pane that became a shell has another. */
  command: string;
  /** The pane's rows, as `capture-pane -p` tells them, and which of them must not have changed. */
  rows: readonly string[];
  top: number;
  bottom: number;
}

/** A format that is true as long as all of it holds. */
export function conditionOf({ numbers, command, rows, top, bottom }: PaneCondition): string {
  const shown = rows.map(withoutEnd);
  const kept = shown.slice(top, bottom + 1).map(shape);
  const found = kept.map((pattern) => `#{C/r:^${pattern}$}`);
  // The server counts rows from 1 and tells the first that fits, so the first that fits is what it is compared with.
  const places = kept.map((pattern) => firstFit(pattern, shown) + 1);
  const content = `#{==:${[NUMBERS_FORMAT, ...found].join("|")},${[numbers, ...places].join("|")}}`;
  return `#{&&:${content},#{m/r:^${shape(command)}$,#{pane_current_command}}}`;
}

const firstFit = (pattern: string, rows: readonly string[]): number => {
  const fits = new RegExp(`^${pattern}$`, "u");
  return rows.findIndex((row) => fits.test(row));
};

/** Letters, digits, underscore, rules and frames stand for themselves; a blank row is a row of nothing. */
const LITERAL = /^[A-Za-z0-9_\u2500-\u259f❯›]$/u;
const SHAPE_CHARS_MAX = 400;

/** The server leaves out blanks at the end of a row, and only those: Claude Code's prompt ends in another space. */
const withoutEnd = (row: string): string => row.replace(/[ \t]{1,1000}$/, "");

function shape(row: string): string {
  const characters = Array.from(row);
  const kept = characters.slice(0, SHAPE_CHARS_MAX).map((one) => (LITERAL.test(one) ? one : "."));
  return kept.join("") + (characters.length > SHAPE_CHARS_MAX ? ".*" : "");
}
