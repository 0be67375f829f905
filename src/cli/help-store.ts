/**
 * Help and version without the command line: to load it takes ten times as long as Node.js itself. `npm run build` renders
 * the help of every command with commander and stores it, for the two widths that are common; any other way to ask, a
 * checkout that was not built to the end, and one whose help is older than its code, are left to commander.
 */
import { readFileSync, statSync } from "node:fs";

/** As wide as the terminal, up to where lines are hard to read. */
export const helpWidthOf = (columns = 100): number => Math.min(100, columns);

export const STORED_WIDTHS: readonly number[] = [80, 100];

export const helpFile = (width: number): URL => new URL(`../help-${width}.json`, import.meta.url);

export interface StoredHelp {
  version: string;
  /** By the words of a command; that of rouse itself has none. */
  help: Readonly<Record<string, string>>;
}

export interface Answer {
  text: string;
  isError: boolean;
  code: number;
}

const HELP: ReadonlySet<string> = new Set(["--help", "-h"]);
const VERSION: ReadonlySet<string> = new Set(["--version", "-V"]);

/** Null when the whole command line is needed. */
export function answerFrom({ version, help }: StoredHelp, args: readonly string[]): Answer | null {
  const [first, ...rest] = args;
  if (first === undefined) return { text: help[""] ?? "", isError: true, code: 2 };
  if (VERSION.has(first) && rest.length === 0) return { text: `${version}\n`, isError: false, code: 0 };
  const words = first === "help" ? rest : HELP.has(args.at(-1) ?? "") ? args.slice(0, -1) : null;
  const text = words && Object.hasOwn(help, words.join(" ")) ? help[words.join(" ")] : undefined;
  return text === undefined ? null : { text, isError: false, code: 0 };
}

/** Null when there is none, or one that is older than the code. */
export function readStoredHelp(columns: number | undefined): StoredHelp | null {
  const file = helpFile(helpWidthOf(columns));
  const built = ["../tsconfig.tsbuildinfo", "../core/tsconfig.tsbuildinfo"];
  try {
    const { mtimeMs } = statSync(file);
    const isOlder = built.some((name) => {
      // A published package has the code alone.
      const info = statSync(new URL(name, import.meta.url), { throwIfNoEntry: false });
      return info !== undefined && info.mtimeMs > mtimeMs;
    });
    return isOlder ? null : (JSON.parse(readFileSync(file, "utf8")) as StoredHelp);
  } catch {
    return null;
  }
}
