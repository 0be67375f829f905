/**
 * The condition that a tmux server checks in the same step in which it writes keys (`if-shell -F`): the same pane, the same
 * foreground program, no user input since, and the composer's rows unchanged.
 *
 * Screen text could break out of any quoting in a format. So only letters, digits and drawing characters of a row are
 * kept, and every other character becomes a dot that matches any.
 */

/** Compared literally; all of them are numbers. */
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
/** All of them, and when a client was last attached; part of the screen check. */
export const PANE_FORMAT: string = `#{session_last_attached} ${NUMBERS_FORMAT}`;

export interface PaneNumbers {
  /** As `NUMBERS_FORMAT` prints them. */
  text: string;
  /** Why the pane does not accept keys. */
  objection: string | null;
  /** When a client of the session last typed, in seconds; null if none was ever attached. */
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
        ? "the pane is in copy mode"
        : off === "1"
          ? "the pane does not accept input"
          : synchronised === "1"
            ? "the pane forwards keys to others (synchronize-panes)"
            : null;
  return { text, objection, activeAt: attached ? Number(activity) : null };
}

export interface PaneCondition {
  numbers: string;
  /** `pane_current_command`: a pane that became a shell has another. */
  command: string;
  /** The pane's rows from `capture-pane -p`, and which of them must not have changed. */
  rows: readonly string[];
  top: number;
  bottom: number;
}

/** A format that is true while the condition holds. */
export function conditionOf({ numbers, command, rows, top, bottom }: PaneCondition): string {
  const shown = rows.map(withoutEnd);
  const kept = shown.slice(top, bottom + 1).map(shape);
  const found = kept.map((pattern) => `#{C/r:^${pattern}$}`);
  // The server counts rows from 1 and returns the first match, so it is compared with the first match.
  const places = kept.map((pattern) => firstFit(pattern, shown) + 1);
  const content = `#{==:${[NUMBERS_FORMAT, ...found].join("|")},${[numbers, ...places].join("|")}}`;
  return `#{&&:${content},#{m/r:^${shape(command)}$,#{pane_current_command}}}`;
}

const firstFit = (pattern: string, rows: readonly string[]): number => {
  const fits = new RegExp(`^${pattern}$`, "u");
  return rows.findIndex((row) => fits.test(row));
};

/** Letters, digits, underscore, rules and frames match themselves. */
const LITERAL = /^[A-Za-z0-9_\u2500-\u259f❯›]$/u;
const SHAPE_CHARS_MAX = 400;

/** The server drops only spaces and tabs at the end of a row: Claude Code's prompt ends in another kind of space. */
const withoutEnd = (row: string): string => row.replace(/[ \t]{1,1000}$/, "");

function shape(row: string): string {
  const characters = Array.from(row);
  const kept = characters.slice(0, SHAPE_CHARS_MAX).map((one) => (LITERAL.test(one) ? one : "."));
  return kept.join("") + (characters.length > SHAPE_CHARS_MAX ? ".*" : "");
}
