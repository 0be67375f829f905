/** Names, tags and types, checked where they are read: the daemon would refuse them in words of its own. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { sanitizeLine } from "../core/text/sanitize.js";
import { isName } from "../terminal/names.js";

const NAME_MAX = 200;

/** Somebody or something that may be there: an agent, an incident, a channel. Of a path it would be no part of its own. */
export function parseNamed(value: string): string {
  if (/^\.{0,2}$/.test(value.trim())) throw new InvalidArgumentError("It must be a name.");
  if (value.length > NAME_MAX) throw new InvalidArgumentError(`A name has at most ${NAME_MAX} characters.`);
  return value;
}

/** Names that are kept, also where nobody has them yet. */
export function collectNames(value: string, before: string[] = []): string[] {
  if (sanitizeLine(value) !== value) throw new InvalidArgumentError("No name has control characters.");
  return [...before, parseNamed(value)];
}

/** What an agent of rouse's own is to be called. */
export function parseName(value: string): string {
  if (isName(value)) return value;
  throw new InvalidArgumentError(
    "A name begins with a letter or a digit and goes on with letters, digits, dots, dashes and underscores, all of ASCII, at most 64.",
  );
}

export function collectTag(value: string, before: string[] | undefined): string[] {
  if (/^[^\s,]{1,100}$/.test(value)) return [...(before ?? []), value];
  throw new InvalidArgumentError("A tag is one word of at most 100 characters, without blanks and commas.");
}

/** Whose inbox. */
export function parseInbox(value: string): string {
  if (value.trim() !== "" && value.length <= NAME_MAX) return value;
  throw new InvalidArgumentError(`It must be a tag of at most ${NAME_MAX} characters.`);
}

export function parseMessageType(value: string): string {
  if (/^[a-z][a-z0-9_.-]{0,63}$/.test(value)) return value;
  throw new InvalidArgumentError(
    "A type begins with a small letter and goes on with small letters, digits, dots, dashes and underscores, at most 64, such as note.",
  );
}
