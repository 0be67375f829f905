/** Values of options, checked when they are parsed. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { nearestName, otherNames } from "../config/suggest.js";
import { PROBLEMS, type Problem } from "../core/incidents/problem.js";
import { sanitize } from "../core/text/sanitize.js";
import { isKind, KINDS } from "../programs/registry.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import { SOURCE_NAMES, type SourceName } from "../replay/case-folder.js";

/** The error for an unknown kind; null for a known one. */
export function checkKind(given: string | undefined, own: readonly ProfileOverride[] = []): string | null {
  if (given === undefined || isKind(given, own)) return null;
  const kinds = [...KINDS, ...own.map(({ id }) => id)];
  return `error: unknown kind ${JSON.stringify(sanitize(given, 80))}; ${otherNames(given, kinds)}`;
}

export function parseProblem(value: string): Problem {
  const problem = PROBLEMS.find((candidate) => candidate === value);
  if (problem) return problem;
  throw new InvalidArgumentError(
    `Unknown problem "${value}"; ${nearestName(value, PROBLEMS) ?? "`rouse policy show default` lists the problems."}`,
  );
}

/** The names that reasons print, if a recording has another one. */
const PRINTED_NAMES: Readonly<Record<string, SourceName>> = { hook: "hooks", session_file: "session" };

export function parseSources(value: string): ReadonlySet<SourceName> {
  const names = value.split(",").map((name) => PRINTED_NAMES[name.trim()] ?? name.trim());
  const wrong = names.find((name) => !(SOURCE_NAMES as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`Unknown source "${wrong}"; the sources are ${SOURCE_NAMES.join(", ")}.`);
  return new Set(names as SourceName[]);
}

export function parseZone(value: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: value });
    return value;
  } catch {
    throw new InvalidArgumentError('It must be an IANA zone such as "Europe/Berlin" or "UTC".');
  }
}

/** A moment of a recording in seconds: "12.5", or "1:02.5" as timelines print it. */
export function parseMoment(value: string): number {
  const [, hours = "0", minutes = "0", seconds = ""] =
    /^(?:(?:(\d{1,5}):)?(\d{1,5}):)?(\d{1,9}(?:\.\d{1,6})?)$/.exec(value) ?? [];
  if (seconds === "")
    throw new InvalidArgumentError(
      'It must be seconds such as "12.5", or a time such as "1:02.5"; put the case before --explain.',
    );
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
