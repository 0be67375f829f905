/** Options of `rouse task` that several of its commands share. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { collectTag } from "./arguments.js";

export function parseTaskId(value: string): number {
  const id = Number(value.replace(/^#/, ""));
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new InvalidArgumentError("It must be the number of a task, such as 12; `rouse task list` shows them.");
}

export function parseIds(value: string): number[] {
  return value === "" ? [] : value.split(",").map((part) => parseTaskId(part.trim()));
}

export function parseWhole(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("It must be a whole number.");
}

export function parseNumber(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number.");
}

export const collectTexts = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/** `--tag a,b` and `--tag a --tag b`. */
export const collectTags = (value: string, before: string[] | undefined): string[] =>
  value.split(",").reduce<string[]>((tags, tag) => collectTag(tag.trim(), tags), before ?? []);

/** A command without a shell: words, or a JSON list if a word contains a space. Null for none. */
export function parseCheck(value: string): string[] | null {
  const text = value.trim();
  if (text === "none") return null;
  if (text.startsWith("[")) {
    try {
      const words: unknown = JSON.parse(text);
      if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string"))
        return words as string[];
    } catch {
      // Reported below.
    }
    throw new InvalidArgumentError('It must be a JSON list of texts, such as ["npm", "test"].');
  }
  if (text === "" || /["'\\|&;<>$`*?(){}~]/.test(text))
    throw new InvalidArgumentError(
      'No shell runs it: give words such as "npm test", or a JSON list for arguments with spaces or special characters: \'["sh", "-c", "…"]\'.',
    );
  return text.split(/\s+/);
}
