/** Parses a profile file, TOML or JSON, with one profile or a list under `profiles`: the profiles, or what is wrong. */
import { parse as parseToml, TomlError } from "smol-toml";
import type * as z from "zod";
import { KINDS, profileFor } from "../programs/registry.js";
import { ALL_RULES, type ProfileOverride } from "../programs/shared/profile.js";
import { profileOverrideSchema } from "../programs/shared/profile-schema.js";
import type { ConfigIssue } from "./issue.js";
import type { Position } from "./positions.js";
import { otherNames } from "./suggest.js";

class Mistake extends Error {
  readonly position: Position | undefined;

  constructor(text: string, position?: Position) {
    super(text);
    this.position = position;
  }
}

/** All of the file or nothing: a partial description would match another program. */
export function profilesIn(path: string, text: string): ProfileOverride[] | ConfigIssue {
  try {
    const value = parseFile(path, text);
    if (!isRecord(value) || !Array.isArray(value.profiles)) return [checked(value)];
    const profiles = value.profiles.map((entry, i) => checked(entry, `profiles.${i}`));
    const twice = profiles.find(({ id }, i) => profiles.findIndex((other) => isSameName(other.id, id)) < i);
    if (twice) throw new Mistake(`there are two profiles with the id ${twice.id}; merge them`);
    return profiles;
  } catch (error) {
    const { message, position } = error as Mistake;
    return { level: "error", where: path, position, text: message };
  }
}

function parseFile(path: string, text: string): unknown {
  try {
    return path.endsWith(".json") ? JSON.parse(text) : parseToml(text);
  } catch (error) {
    const position = error instanceof TomlError ? { line: error.line, column: error.column } : undefined;
    throw new Mistake((error as Error).message.split("\n")[0] ?? "", position);
  }
}

/** `place` is its path in the file, if there are several. */
function checked(entry: unknown, place = ""): ProfileOverride {
  const refuse: Refuse = (keys, text) => {
    const at = [place, ...keys.map(fileKey)].filter((part) => part !== "").join(".");
    throw new Mistake(`${at || "the profile"}: ${text}`);
  };
  const parsed = profileOverrideSchema.safeParse(codeKeys(entry, refuse));
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    return refuse(issue.path, issue.message);
  }
  // An unknown name would silently mean the generic profile.
  for (const key of ["extends", "records"] as const) {
    const named = parsed.data[key];
    if (named !== undefined && !KINDS.includes(named))
      refuse([key], `unknown built-in profile ${JSON.stringify(named)}; ${otherNames(named, KINDS)}`);
  }
  checkRules(parsed.data, refuse);
  return parsed.data;
}

/** Keys in files are snake_case, as in the configuration; the schema has the names of the code. */
function codeKeys(value: unknown, refuse: Refuse, path: readonly PropertyKey[] = []): unknown {
  if (Array.isArray(value)) return value.map((entry, i) => codeKeys(entry, refuse, [...path, i]));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (/[A-Z]/.test(key)) refuse(path, `unknown key "${key}"; write ${fileKey(key)}`);
      const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [name, codeKeys(entry, refuse, [...path, name])];
    }),
  );
}

const fileKey = (key: PropertyKey): string => String(key).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Refuse = (keys: readonly PropertyKey[], text: string) => never;

/** A duplicate id, or one that the base does not have, is a typo: it would not do what was meant. */
function checkRules({ id, extends: base = id, rules = [], removeRules = [] }: ProfileOverride, refuse: Refuse): void {
  const twice = rules.findIndex((rule, at) => rule.id !== undefined && rules.findIndex((r) => r.id === rule.id) < at);
  if (twice >= 0) refuse(["rules", twice], `there are two rules with the id ${rules[twice]?.id}; merge them`);
  const known = profileFor(base).rules.flatMap((rule) => rule.id ?? []);
  const unknown = removeRules.findIndex((rule) => rule !== ALL_RULES && !known.includes(rule));
  if (unknown < 0) return;
  const name = removeRules[unknown] ?? "";
  refuse(["removeRules", unknown], `the base profile has no rule ${JSON.stringify(name)}; ${otherNames(name, known)}`);
}

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
