/**
 * Whether a problem is the same one under another name: a hang that the program gives up on becomes an error at the
 * prompt, a repeated error becomes a loop. The incident continues, with all its actions.
 */
import { traitsOf } from "../policy/problems.js";
import type { Problem } from "./problem.js";

export function isSameChain(before: Problem, after: Problem): boolean {
  return before === after || traitsOf(before).becomes.includes(after);
}
