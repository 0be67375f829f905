/** The definition of one configuration key, and the check of its values. */

import { DEFAULTS, type Defaults } from "../core/defaults.js";
import { compilePattern } from "../programs/shared/pattern.js";

export type ConfigValue = string | number | boolean | readonly string[];

/**
 * What a project file may do to a key. An agent can write to it, so it can only make things stricter: an agent that edits
 * it may be watched more closely, never less.
 */
export type ProjectRule =
  | "lower" // a smaller value detects problems earlier, or permits less
  | "budget" // the same, and 0 means none
  | "higher" // a larger value requires more
  | "on" // may only be switched on
  | "off" // may only be switched off: a right is given up
  | "add" // may only be added to
  | "never"; // commands, channels, files of the user, and keys without a stricter direction

export interface ConfigKey<T extends ConfigValue = ConfigValue> {
  type: "integer" | "number" | "boolean" | "text" | "pattern" | "list";
  default: T;
  /** One sentence for users. */
  description: string;
  project: ProjectRule;
  min?: number;
  max?: number;
  /** The only words that a text or a list may hold. */
  choices?: readonly string[];
  /** The variable of a seed for this key, besides the one derived from its name. */
  variable?: string;
  /** What applies while nobody has set the key, if its default value does not say it. */
  unset?: string;
}

type Rest = Partial<Pick<ConfigKey, "min" | "max" | "choices" | "variable" | "unset">>;

/** A threshold of a detector; its default is defined with the detectors. */
export function detectorKey(
  name: keyof Defaults,
  project: ProjectRule,
  description: string,
  rest: Rest = {},
): ConfigKey<number> {
  return numberKey(DEFAULTS[name], project, description, rest);
}

export function numberKey(
  value: number,
  project: ProjectRule,
  description: string,
  rest: Rest = {},
): ConfigKey<number> {
  return { type: "number", default: value, description, project, min: 0, ...rest };
}

export function integerKey(
  value: number,
  project: ProjectRule,
  description: string,
  rest: Rest = {},
): ConfigKey<number> {
  return { type: "integer", default: value, description, project, min: 0, ...rest };
}

export function booleanKey(
  value: boolean,
  project: ProjectRule,
  description: string,
  rest: Rest = {},
): ConfigKey<boolean> {
  return { type: "boolean", default: value, description, project, ...rest };
}

export function textKey(value: string, project: ProjectRule, description: string, rest: Rest = {}): ConfigKey<string> {
  return { type: "text", default: value, description, project, ...rest };
}

/** A regular expression in RE2 syntax; empty for none. */
export function patternKey(value: string, project: ProjectRule, description: string): ConfigKey<string> {
  return { type: "pattern", default: value, description, project };
}

export function listKey(
  value: readonly string[],
  project: ProjectRule,
  description: string,
  rest: Rest = {},
): ConfigKey<readonly string[]> {
  return { type: "list", default: value, description, project, ...rest };
}

const TEXT_MAX = 1_000;
const LIST_MAX = 200;

/** Describes the accepted values, to complete "must be ...". */
export function expectedValue({ type, min, max, choices }: ConfigKey): string {
  if (type === "boolean") return "true or false";
  if (choices) return `${type === "list" ? "a list of: " : "one of: "}${choices.join(", ")}`;
  if (type === "list") return "a list of strings";
  if (type === "text") return "a string";
  if (type === "pattern") return "a regular expression in RE2 syntax";
  const what = type === "integer" ? "a whole number" : "a number";
  if (min !== undefined && max !== undefined) return `${what} from ${min} to ${max}`;
  return min === undefined ? what : `${what} of at least ${min}`;
}

/** The valid value, or undefined. */
export function checkValue(key: ConfigKey, value: unknown): ConfigValue | undefined {
  switch (key.type) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "integer":
    case "number": {
      const fits =
        typeof value === "number" && value >= (key.min ?? -Infinity) && value <= (key.max ?? Number.MAX_VALUE);
      return fits && (key.type === "number" || Number.isSafeInteger(value)) ? value : undefined;
    }
    case "list":
      return Array.isArray(value) && value.length <= LIST_MAX && value.every((one) => isChoice(key, one))
        ? value
        : undefined;
    case "pattern":
      return isText(value) && compiles(value) ? value : undefined;
    case "text":
      return isChoice(key, value) ? value : undefined;
  }
}

const isChoice = ({ choices }: ConfigKey, value: unknown): value is string =>
  isText(value) && (choices?.includes(value) ?? true);

const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  off: false,
  "0": false,
};

/** Parses a value from a variable or a flag. Lists are separated by commas. */
export function valueOfText(key: ConfigKey, given: string): ConfigValue | undefined {
  const trimmed = given.trim();
  if (key.type === "boolean") return WORDS[trimmed.toLowerCase()];
  if (key.type === "integer" || key.type === "number")
    return trimmed === "" ? undefined : checkValue(key, Number(trimmed));
  if (key.type === "list")
    return checkValue(
      key,
      trimmed
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean),
    );
  return checkValue(key, given);
}

/** Null if a project file's value is at least as strict as the current one; otherwise what the file may do. */
export function checkProjectValue(key: ConfigKey, current: ConfigValue, wanted: ConfigValue): string | null {
  if (isSame(current, wanted)) return null;
  switch (key.project) {
    case "lower":
      return Number(wanted) <= Number(current) ? null : `may only lower it (now ${String(current)})`;
    case "budget": {
      const most = Number(current) === 0 ? Number.POSITIVE_INFINITY : Number(current);
      const isStricter = Number(wanted) > 0 && Number(wanted) <= most;
      return isStricter ? null : `may only lower it (now ${String(current)}), and not to 0, which means no budget`;
    }
    case "higher":
      return Number(wanted) >= Number(current) ? null : `may only raise it (now ${String(current)})`;
    case "on":
      return wanted === true ? null : "may only switch it on";
    case "off":
      return wanted === false ? null : "may only switch it off";
    case "add": {
      const missing = (current as readonly string[]).filter((part) => !(wanted as readonly string[]).includes(part));
      return missing.length === 0 ? null : "may only add to it";
    }
    case "never":
      return "may not set it; set it in your own configuration";
  }
}

/** A list has to have the same order too. */
const isSame = (a: ConfigValue, b: ConfigValue): boolean => JSON.stringify(a) === JSON.stringify(b);

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= TEXT_MAX;
}

function compiles(source: string): boolean {
  try {
    compilePattern(source);
    return true;
  } catch {
    return false;
  }
}
