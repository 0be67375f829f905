/**
 * Help and version without loading the command line, which takes ten times as long as Node.js itself. `npm run build` stores
 * the help of every command at two common widths. Commander answers all other requests, and all of them if the stored help
 * is missing or older than the code.
 */
import { readFileSync, statSync } from "node:fs";

/** The width of the terminal, at most 100. A terminal that reports 0 has no known width. */
export const helpWidthOf = (columns?: number): number => Math.min(100, columns || 100);

export const STORED_WIDTHS: readonly number[] = [80, 100];

export const helpFile = (width: number): URL => new URL(`../help-${width}.json`, import.meta.url);

export interface StoredHelp {
  version: string;
  /** By the words of the command; "" for rouse itself. */
  help: Readonly<Record<string, string>>;
}

export interface Answer {
  text: string;
  isError: boolean;
  code: number;
}

const HELP: ReadonlySet<string> = new Set(["--help", "-h"]);
const VERSION: ReadonlySet<string> = new Set(["--version", "-V"]);

/** Null if the full command line is needed. */
export function answerFrom({ version, help }: StoredHelp, args: readonly string[]): Answer | null {
  const [first, ...rest] = args;
  if (first === undefined) return { text: help[""] ?? "", isError: true, code: 2 };
  if (VERSION.has(first) && rest.length === 0) return { text: `${version}\n`, isError: false, code: 0 };
  const words = first === "help" ? rest : HELP.has(args.at(-1) ?? "") ? args.slice(0, -1) : null;
  const text = words && Object.hasOwn(help, words.join(" ")) ? help[words.join(" ")] : undefined;
  return text === undefined ? null : { text, isError: false, code: 0 };
}

/** Null if it is missing or older than the code. */
export function readStoredHelp(columns: number | undefined): StoredHelp | null {
  const file = helpFile(helpWidthOf(columns));
  const built = ["../tsconfig.tsbuildinfo", "../core/tsconfig.tsbuildinfo"];
  try {
    const { mtimeMs } = statSync(file);
    const isOlder = built.some((name) => {
      // A published package has no build info.
      const info = statSync(new URL(name, import.meta.url), { throwIfNoEntry: false });
      return info !== undefined && info.mtimeMs > mtimeMs;
    });
    return isOlder ? null : (JSON.parse(readFileSync(file, "utf8")) as StoredHelp);
  } catch {
    return null;
  }
}
