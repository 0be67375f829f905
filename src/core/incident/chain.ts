/**
 * Which trouble is the same one under another name: a hang that the program gives up on becomes an error at the prompt,
 * an error that comes again a circle. The incident goes on, with all that was tried in it.
 */
import { traitsOf } from "../policy/problems.js";
import type { Trouble } from "../trouble.js";

export function follows(before: Trouble, after: Trouble): boolean {
  return before === after || traitsOf(before).becomes.includes(after);
}
