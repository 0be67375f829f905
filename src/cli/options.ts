/** Values of options, checked where they are read. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { otherNames } from "../config/suggest.js";
import { plain } from "../core/plain.js";
import { TROUBLES, type Trouble } from "../core/trouble.js";
import { isKind, KINDS } from "../programs/registry.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import { SOURCE_NAMES, type SourceName } from "../replay/case-folder.js";

/** Why a kind is none; null when it is one. */
export function complaintOfKind(given: string | undefined, own: readonly ProfileOverride[] = []): string | null {
  if (given === undefined || isKind(given, own)) return null;
  const kinds = [...KINDS, ...own.map(({ id }) => id)];
  return `error: there is no kind ${JSON.stringify(plain(given, 80))}; ${otherNames(given, kinds)}`;
}

export function parseTrouble(value: string): Trouble {
  const trouble = TROUBLES.find((candidate) => candidate === value);
  if (trouble) return trouble;
  throw new InvalidArgumentError(`There is no trouble "${value}"; ${otherNames(value, TROUBLES, TROUBLES.length)}.`);
}

export function parseSources(value: string): ReadonlySet<SourceName> {
  const names = value.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !(SOURCE_NAMES as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`There is no source "${wrong}"; there are ${SOURCE_NAMES.join(", ")}.`);
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
