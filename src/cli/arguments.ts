/** Names, tags and types, checked before the daemon is asked. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { isReservedName } from "../core/reserved.js";
import { sanitizeLine } from "../core/text/sanitize.js";
import { isName } from "../terminal/names.js";

const NAME_MAX = 200;

/** The name of an agent, an incident or a channel. It becomes one segment of a path. */
export function parseNamed(value: string): string {
  if (/^\.{0,2}$/.test(value.trim())) throw new InvalidArgumentError("It must be a name.");
  if (value.length > NAME_MAX) throw new InvalidArgumentError(`A name has at most ${NAME_MAX} characters.`);
  return value;
}

/** Names that are stored, including names that do not exist yet. */
export function collectNames(value: string, before: string[] = []): string[] {
  if (sanitizeLine(value) !== value) throw new InvalidArgumentError("A name has no control characters.");
  return [...before, parseNamed(value)];
}

/** The name of a new agent. */
export function parseName(value: string): string {
  if (isReservedName(value)) throw new InvalidArgumentError("This name is reserved for rouse itself.");
  if (isName(value)) return value;
  throw new InvalidArgumentError(
    "A name starts with a letter or digit, followed by letters, digits, dots, dashes and underscores; ASCII only, at most 64 characters.",
  );
}

export function collectTag(value: string, before: string[] | undefined): string[] {
  if (/^[^\s,]{1,100}$/.test(value)) return [...(before ?? []), value];
  throw new InvalidArgumentError("A tag is one word of at most 100 characters, without spaces and commas.");
}

export function parseInbox(value: string): string {
  if (value.trim() !== "" && value.length <= NAME_MAX) return value;
  throw new InvalidArgumentError(`It must be a tag of at most ${NAME_MAX} characters.`);
}

export function parseMessageType(value: string): string {
  if (/^[a-z][a-z0-9_.-]{0,63}$/.test(value)) return value;
  throw new InvalidArgumentError(
    "A type starts with a lowercase letter, followed by lowercase letters, digits, dots, dashes and underscores; at most 64 characters, such as note.",
  );
}
