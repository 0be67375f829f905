/**
 * The provider account of a running agent. A login takes precedence over an API key in the environment if the program
 * does so.
 */
import type { JsonRecord } from "../readers/records/json.js";

/** One value from a file of the program; nothing else of the file is kept. */
export type ReadFileValue = (
  folder: string,
  file: string,
  pick: (record: JsonRecord) => string | undefined,
) => Promise<string | null>;

/** A text that is equal for agents of one account, or null if unknown. It may be a secret: only a digest is kept. */
export type IdentifyAccount = (
  process: { env: ReadonlyMap<string, string>; home: string },
  read: ReadFileValue,
) => Promise<string | null>;

/** The first of these variables that is set. */
export function firstOf(env: ReadonlyMap<string, string>, names: readonly string[]): string | null {
  const name = names.find((candidate) => env.get(candidate));
  return name === undefined ? null : (env.get(name) ?? null);
}

/** All of these variables as one text. */
export const valuesOf = (env: ReadonlyMap<string, string>, names: readonly string[]): string =>
  JSON.stringify(names.map((name) => env.get(name) ?? null));
