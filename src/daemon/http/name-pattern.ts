/** Which agents a token may create: a name in which `*` stands for any characters of a name. */
import { isName } from "../../terminal/names.js";

/** It starts with a character of its own, so that no pattern covers every name. */
export const NAME_PATTERN: RegExp = /^[A-Za-z0-9][A-Za-z0-9._*-]{0,63}$/;

/** False for every text that is not a name. In linear time. */
export function matchesName(pattern: string, name: string): boolean {
  if (!isName(name)) return false;
  const [head = "", ...parts] = pattern.split("*");
  const tail = parts.pop();
  if (tail === undefined) return name === pattern;
  if (!name.startsWith(head)) return false;
  let at = head.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - tail.length >= at && name.endsWith(tail);
}
