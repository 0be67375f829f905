/** The recordings under `test/fixtures/cases`, and with ROUSE_CORPUS set the live ones of that corpus, for tests. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import xterm, { type IBufferCell } from "@xterm/headless";
import { openCast } from "../../src/replay/cast.js";
import type { RecordedInput } from "../../src/replay/inputs.js";

export const OWN_CASES: string = join(import.meta.dirname, "..", "fixtures", "cases");
export const CORPUS: string | null = process.env.ROUSE_CORPUS || null;

/** All case folders two levels below `root`, in the order of their names. */
export function caseFolders(root: string): string[] {
  const below = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(path, entry.name))
      .sort();
  return below(root)
    .flatMap(below)
    .filter((path) => existsSync(join(path, "meta.json")));
}

export interface Meta {
  agent: string;
  mode: string;
  size: [number, number];
  t_end: number;
  timeline: [number, string][];
}

export function readMeta(path: string): Meta {
  return JSON.parse(readFileSync(join(path, "meta.json"), "utf8")) as Meta;
}

export async function readInputs(path: string): Promise<RecordedInput[]> {
  const { inputs } = await openCast(join(path, "session.cast.gz"), false);
  const all: RecordedInput[] = [];
  for await (const input of inputs) all.push(input);
  return all;
}

/** A piece of a row in one colour: what to write before it, and its text. */
export interface Run {
  sgr: string;
  text: string;
}
export type Line = readonly Run[];

/** The screen of a recording at second `t`, with its colours. */
export async function screenAt(path: string, t: number): Promise<Line[]> {
  const [screen] = await screensAt(path, [t]);
  return (screen as Screen).lines;
}

export interface Screen {
  lines: Line[];
  title: string | null;
}

/** The screens of a recording at these seconds, in rising order. */
export async function screensAt(path: string, moments: readonly number[]): Promise<Screen[]> {
  const [cols, rows] = readMeta(path).size;
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  const screens: Screen[] = [];
  let title: string | null = null;
  terminal.onTitleChange((text) => {
    title = text;
  });
  const settle = (): Promise<void> => new Promise((done) => terminal.write("", done));
  for (const input of await readInputs(path)) {
    while (screens.length < moments.length && input.t > (moments[screens.length] as number)) {
      await settle();
      screens.push({ lines: linesOf(terminal), title });
    }
    if (input.kind === "bytes") terminal.write(input.bytes);
    if (input.kind === "size") terminal.resize(input.cols, input.rows);
  }
  await settle();
  while (screens.length < moments.length) screens.push({ lines: linesOf(terminal), title });
  terminal.dispose();
  return screens;
}

function linesOf(terminal: InstanceType<typeof xterm.Terminal>): Line[] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, y): Line => {
    const line = buffer.getLine(buffer.baseY + y);
    const runs: Run[] = [];
    // A sign of two units can be in one cell.
    const width = Math.min(line?.length ?? 0, line?.translateToString(true).length ?? 0);
    for (let x = 0; line && x < width; x++) {
      const cell = line.getCell(x) as IBufferCell;
      const sgr = sgrOf(cell);
      const text = cell.getChars() || (cell.getWidth() === 0 ? "" : " ");
      const last = runs.at(-1);
      if (last?.sgr === sgr) last.text += text;
      else runs.push({ sgr, text });
    }
    return runs;
  });
}

function sgrOf(cell: IBufferCell): string {
  const codes: (string | number)[] = [];
  if (cell.isBold()) codes.push(1);
  if (cell.isDim()) codes.push(2);
  if (cell.isInverse()) codes.push(7);
  codes.push(...colour(cell.isFgDefault(), cell.isFgPalette(), cell.getFgColor(), 38));
  codes.push(...colour(cell.isBgDefault(), cell.isBgPalette(), cell.getBgColor(), 48));
  return codes.length === 0 ? "" : `\u001b[${codes.join(";")}m`;
}

function colour(isDefault: boolean, isPalette: boolean, value: number, code: 38 | 48): (string | number)[] {
  if (isDefault) return [];
  return isPalette ? [code, 5, value] : [code, 2, (value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export const textOf = (line: Line): string => line.map((run) => run.text).join("");

/** Bytes that paint these lines from the top of an empty screen, cut to its width. */
export function paintLines(lines: readonly Line[], cols: number): Uint8Array {
  const rows = lines.map((line, y) => {
    let left = cols;
    let out = `\u001b[${y + 1};1H`;
    for (const { sgr, text } of line) {
      const shown = text.slice(0, left);
      left -= shown.length;
      out += `\u001b[0m${sgr}${shown}`;
    }
    return `${out}\u001b[0m`;
  });
  return new TextEncoder().encode(`\u001b[0m\u001b[2J${rows.join("")}`);
}
