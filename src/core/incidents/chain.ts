/**
 * Which problem is the same one under another name: a hang that the program gives up on becomes an error at the prompt,
 * an error that comes again a circle. The incident goes on, with all that was tried in it.
 */
import { traitsOf } from "../policy/problems.js";
import type { Problem } from "./problem.js";

export function isSameChain(before: Problem, after: Problem): boolean {
  return before === after || traitsOf(before).becomes.includes(after);
}
