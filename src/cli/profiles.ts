/** A user's own profiles: one file, TOML or JSON, with one profile or a list under `profiles`. */
import { readFile } from "node:fs/promises";
import { parse as parseToml, TomlError } from "smol-toml";
import type * as z from "zod";
import type { ProfileOverride } from "../agents/profile.js";
import { profileOverrideSchema } from "../agents/profile-schema.js";
import { KINDS } from "../agents/registry.js";
import { otherNames } from "../config/suggest.js";
import { WrongOption } from "./wrong-option.js";

export async function loadProfiles(path: string): Promise<ProfileOverride[]> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new WrongOption(`cannot read the profile ${path}: ${error.message}`);
  });
  const value = parseFile(path, text);
  if (!isRecord(value) || !Array.isArray(value.profiles)) return [checked(path, value)];
  const profiles = value.profiles.map((entry, i) => checked(path, entry, `profiles.${i}`));
  const twice = profiles.find(({ id }, i) => profiles.findIndex((other) => isSameName(other.id, id)) < i);
  if (twice) throw new WrongOption(`${path}: there are two profiles with the id ${twice.id}; make one of them`);
  return profiles;
}

function parseFile(path: string, text: string): unknown {
  try {
    return path.endsWith(".json") ? JSON.parse(text) : parseToml(text);
  } catch (error) {
    const where = error instanceof TomlError ? `:${error.line}:${error.column}` : "";
    throw new WrongOption(`${path}${where}: ${(error as Error).message.split("\n")[0]}`);
  }
}

/** `place` is where in the file it stands, where there are several. */
function checked(path: string, entry: unknown, place = ""): ProfileOverride {
  const refuse = (keys: readonly PropertyKey[], message: string): never => {
    const at = [place, ...keys].filter((part) => part !== "").join(".");
    throw new WrongOption(`${path}: ${at || "the profile"}: ${message}`);
  };
  const parsed = profileOverrideSchema.safeParse(entry);
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    return refuse(issue.path, issue.message);
  }
  // A name that nobody knows would stand for the generic profile, in silence.
  for (const key of ["extends", "records"] as const) {
    const named = parsed.data[key];
    if (named !== undefined && !KINDS.includes(named))
      refuse([key], `there is no built-in profile ${JSON.stringify(named)}; ${otherNames(named, KINDS)}`);
  }
  return parsed.data;
}

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
