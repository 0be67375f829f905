/** A user's own profiles: one file, TOML or JSON, with one profile or a list under `profiles`. */
import { readFile } from "node:fs/promises";
import { parse as parseToml, TomlError } from "smol-toml";
import type * as z from "zod";
import { pattern } from "../agents/pattern.js";
import type { ProfileOverride } from "../agents/profile.js";
import { profileOverrideSchema } from "../agents/profile-schema.js";
import { BadInput } from "../replay/files.js";

export async function loadProfiles(path: string): Promise<ProfileOverride[]> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new BadInput(`cannot read the profile ${path}: ${error.message}`);
  });
  const value = parseFile(path, text);
  const list = isRecord(value) && Array.isArray(value.profiles) ? value.profiles : [value];
  return list.map((entry) => checked(path, entry));
}

function parseFile(path: string, text: string): unknown {
  try {
    return path.endsWith(".json") ? JSON.parse(text) : parseToml(text);
  } catch (error) {
    const where = error instanceof TomlError ? `:${error.line}:${error.column}` : "";
    throw new BadInput(`${path}${where}: ${(error as Error).message.split("\n")[0]}`);
  }
}

function checked(path: string, entry: unknown): ProfileOverride {
  const parsed = profileOverrideSchema.safeParse(entry);
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    throw new BadInput(`${path}: ${issue.path.join(".") || "the profile"}: ${issue.message}`);
  }
  for (const source of patternsOf(parsed.data)) {
    try {
      pattern(source);
    } catch (error) {
      throw new BadInput(`${path}: ${(error as Error).message}`);
    }
  }
  return parsed.data;
}

function patternsOf(profile: ProfileOverride): string[] {
  const { composer, titles = [], rules = [], dialogs = [], noise = [], message, versionRow } = profile;
  const own = composer
    ? [composer.first, composer.not, composer.top, composer.bottom, composer.more, ...composer.placeholders]
    : [];
  const rows = [...titles, ...rules, ...dialogs].map((entry) => entry.when);
  return [...rows, ...noise, ...own, message, versionRow].filter(
    (source): source is string => typeof source === "string",
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
