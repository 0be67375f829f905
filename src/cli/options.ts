/** Values of options, checked where they are read. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { SOURCE_NAMES, type SourceName } from "../replay/case-folder.js";

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
