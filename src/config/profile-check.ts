/** The text of a profile file, TOML or JSON, with one profile or a list under `profiles`: what is in it, or what is wrong with it. */
import { parse as parseToml, TomlError } from "smol-toml";
import type * as z from "zod";
import { KINDS } from "../programs/registry.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import { profileOverrideSchema } from "../programs/shared/profile-schema.js";
import type { Position } from "./positions.js";
import type { Problem } from "./problem.js";
import { otherNames } from "./suggest.js";

class Mistake extends Error {
  readonly position: Position | undefined;

  constructor(text: string, position?: Position) {
    super(text);
    this.position = position;
  }
}

/** All of the file or nothing: half of a description would be another program. */
export function profilesIn(path: string, text: string): ProfileOverride[] | Problem {
  try {
    const value = parseFile(path, text);
    if (!isRecord(value) || !Array.isArray(value.profiles)) return [checked(value)];
    const profiles = value.profiles.map((entry, i) => checked(entry, `profiles.${i}`));
    const twice = profiles.find(({ id }, i) => profiles.findIndex((other) => isSameName(other.id, id)) < i);
    if (twice) throw new Mistake(`there are two profiles with the id ${twice.id}; make one of them`);
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

/** `place` is where in the file it stands, where there are several. */
function checked(entry: unknown, place = ""): ProfileOverride {
  const refuse = (keys: readonly PropertyKey[], text: string): never => {
    const at = [place, ...keys].filter((part) => part !== "").join(".");
    throw new Mistake(`${at || "the profile"}: ${text}`);
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
