/** The troubles that incidents are about: the causes, and the states that need none. One ladder of a policy each. */
import type { Assessment } from "./assess.js";
import { PROBLEM_TABLE, traitsOf } from "./policy/problems.js";
import type { Trouble } from "./states.js";

export type { Trouble } from "./states.js";

export const TROUBLES: readonly Trouble[] = Object.keys(PROBLEM_TABLE) as Trouble[];

export const HANDS_OFF: ReadonlySet<Trouble> = new Set(TROUBLES.filter((trouble) => traitsOf(trouble).humanOnly));

/** Why a policy may not do it about this trouble; null when it may. */
export function forbids(trouble: Trouble, action: string): string | null {
  const { humanOnly, onlyActions } = traitsOf(trouble);
  if (humanOnly) return "only a human can answer this; leave it out";
  const isForbidden = onlyActions !== null && !onlyActions.some((name) => name === action);
  return isForbidden ? `only ${onlyActions.join(" and ")} can be done about this` : null;
}

export const needsConfirming = (trouble: Trouble): boolean => traitsOf(trouble).needsConfirmation;

export function troubleOf({ state, cause }: Pick<Assessment, "state" | "cause">): Trouble | null {
  switch (state) {
    case "needs_input":
    case "rate_limited":
    case "unknown":
      return state;
    case "stuck":
    case "error":
    case "gone":
      return isTrouble(cause) ? cause : state === "stuck" ? null : state;
    default:
      return null;
  }
}

function isTrouble(word: unknown): word is Trouble {
  return (TROUBLES as readonly unknown[]).includes(word);
}
