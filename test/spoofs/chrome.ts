/**
 * The real chrome of each program during and after a turn, cut from the recordings, and how the program draws the
 * parts of its reply: a message, a diff, a tool's output, the user's own prompt.
 */
import { join } from "node:path";
import { type Line, OWN_CASES, screenAt, textOf } from "../support/recordings.js";

export type Phase = "working" | "finished";

interface Cut {
  folder: string;
  t: number;
  /** Rows of the status and the foot, from the first; empty rows in a run are kept as one. */
  from: number;
  /** The input row. */
  composer: number;
}

interface Dress {
  message: (rows: readonly Line[]) => Line[];
  diff: (rows: readonly Line[]) => Line[];
  output: (rows: readonly Line[]) => Line[];
  prompt: (rows: readonly Line[]) => Line[];
  /** The text before the first and the other rows of a draft. */
  draft: readonly [first: string, other: string];
}

export interface Chrome {
  name: string;
  dress: Dress;
  /** The rows below the reply, with or without a draft in the composer. */
  bottom: (phase: Phase, draft: readonly Line[]) => Line[];
}

const COLS = 120;
const WIDE = COLS - 4;
const plainLine = (text: string, sgr = ""): Line => [{ sgr, text }];
const GREEN = "\u001b[48;2;34;92;43m";
const GREY = "\u001b[38;2;153;153;153m";
const led = (lead: string, line: Line, sgr = ""): Line => [{ sgr, text: lead }, ...line];
const hung = (first: string, other: string, rows: readonly Line[], sgr = ""): Line[] =>
  rows.map((row, i) => led(i === 0 ? first : other, row, sgr));

/** A row inside a frame, padded to the frame's width. */
function boxed(row: Line): Line {
  const room = WIDE - 4;
  let left = room;
  const cut = row.map(({ sgr, text }) => {
    const shown = text.slice(0, left);
    left -= shown.length;
    return { sgr, text: shown };
  });
  return [{ sgr: GREY, text: "│ " }, ...cut, { sgr: "", text: " ".repeat(left) }, { sgr: GREY, text: " │" }];
}
const frame = (rows: readonly Line[]): Line[] => [
  plainLine(`╭${"─".repeat(WIDE - 2)}╮`, GREY),
  ...rows.map(boxed),
  plainLine(`╰${"─".repeat(WIDE - 2)}╯`, GREY),
];

const numbered = (rows: readonly Line[], lead: (n: number) => string): Line[] =>
  rows.map((row, i) => [
    { sgr: GREEN, text: lead(i + 1) },
    ...row.map(({ sgr, text }) => ({ sgr: GREEN + sgr, text })),
  ]);
const bar = (rows: readonly Line[]): Line[] => [
  plainLine("  ┃"),
  ...rows.map((row) => led("  ┃  ", row)),
  plainLine("  ┃"),
];

const DRESSES: Readonly<Record<string, Dress>> = {
  "claude-code": {
    message: (rows) => hung("● ", "  ", rows),
    diff: (rows) => [
      plainLine("● Update(docs/screens.md)"),
      plainLine(`  ⎿  Added ${rows.length} lines`),
      ...numbered(rows, (n) => `${String(n).padStart(7)} +`),
    ],
    output: (rows) => [plainLine("● Bash(cat docs/screens.txt)"), ...hung("  ⎿  ", "     ", rows)],
    prompt: (rows) => hung("❯ ", "  ", rows, "\u001b[48;2;55;55;55m"),
    draft: ["❯ ", "  "],
  },
  codex: {
    message: (rows) => hung("• ", "  ", rows),
    diff: (rows) => [
      plainLine(`• Edited docs/screens.md (+${rows.length} -0)`),
      ...numbered(rows, (n) => `${String(n).padStart(5)} +`),
    ],
    output: (rows) => [plainLine("• Ran cat docs/screens.txt"), ...hung("  └ ", "    ", rows)],
    prompt: (rows) => hung("› ", "  ", rows, "\u001b[1m"),
    draft: ["› ", "  "],
  },
  gemini: {
    message: (rows) => hung("✦ ", "  ", rows),
    diff: (rows) => frame([plainLine("✓  Edit  docs/screens.md"), ...numbered(rows, (n) => `${n} + `)]),
    output: (rows) => frame([plainLine("✓  Shell cat docs/screens.txt"), plainLine(""), ...rows]),
    prompt: (rows) => [plainLine("▄".repeat(COLS)), ...hung(" > ", "   ", rows), plainLine("▀".repeat(COLS))],
    draft: [" *   ", "     "],
  },
  opencode: {
    message: (rows) => rows.map((row) => led("     ", row)),
    diff: (rows) =>
      bar([
        plainLine("← Edit docs/screens.md"),
        plainLine(""),
        ...numbered(rows, (n) => `${String(n).padStart(3)} + `),
      ]),
    output: (rows) => bar([plainLine("$ cat docs/screens.txt"), plainLine(""), ...rows]),
    prompt: bar,
    draft: ["  ┃  ", "  ┃  "],
  },
};

const CUTS: Readonly<Record<string, Readonly<Record<Phase, Cut>>>> = {
  "claude-code": {
    working: { folder: "claude/normal", t: 8, from: 34, composer: 37 },
    finished: { folder: "claude/normal", t: 30, from: 33, composer: 37 },
  },
  codex: {
    working: { folder: "codex/long-bash", t: 20, from: 33, composer: 36 },
    finished: { folder: "codex/long-bash", t: 110, from: 22, composer: 36 },
  },
  gemini: {
    working: { folder: "gemini/loop-identical", t: 25, from: 14, composer: 18 },
    finished: { folder: "gemini/ask-question", t: 60, from: 21, composer: 25 },
  },
  opencode: {
    working: { folder: "opencode/long-bash", t: 80, from: 17, composer: 34 },
    finished: { folder: "opencode/long-bash", t: 150, from: 21, composer: 34 },
  },
};

export const PROGRAMS: readonly string[] = Object.keys(DRESSES);

export async function chromeOf(program: string): Promise<Chrome> {
  const dress = DRESSES[program] as Dress;
  const cuts = CUTS[program] as Record<Phase, Cut>;
  const frames = {
    working: await screenAt(join(OWN_CASES, cuts.working.folder), cuts.working.t),
    finished: await screenAt(join(OWN_CASES, cuts.finished.folder), cuts.finished.t),
  };
  return {
    name: program,
    dress,
    bottom: (phase, draft) => {
      const { from, composer } = cuts[phase];
      const rows = frames[phase];
      const typed = draft.length === 0 ? [rows[composer] as Line] : hung(...dress.draft, draft);
      return squeezed([...rows.slice(from, composer), ...typed, ...rows.slice(composer + 1)]);
    },
  };
}

/** Without the empty rows that only fill the screen. */
function squeezed(lines: readonly Line[]): Line[] {
  const blank = (line: Line | undefined): boolean => line !== undefined && textOf(line).trim() === "";
  const kept = lines.filter((line, i) => !(blank(line) && blank(lines[i - 1])));
  while (blank(kept.at(-1))) kept.pop();
  return kept;
}
