/** The troubles that incidents are about: the causes, and the states that need none. One ladder of a policy each. */
import type { Assessment } from "./assess.js";
import { ERROR_CAUSES, type ErrorCause, STUCK_CAUSES, type StuckCause } from "./states.js";

/** Every prompt is one trouble and every limit is one: a dialog that is read in another way is still the same dialog. */
const OTHERS = ["rate_limited", "needs_input", "error", "gone", "unknown", "over_budget"] as const;
export type Trouble = StuckCause | ErrorCause | (typeof OTHERS)[number];
export const TROUBLES: readonly Trouble[] = [...STUCK_CAUSES, ...ERROR_CAUSES, ...OTHERS];

/**
 * A human decides these, whatever a policy says: typing into a dialog answers it, no text mends a login, an account or
 * a poisoned context, and what rouse cannot see it does not touch.
 */
export const HANDS_OFF: ReadonlySet<Trouble> = new Set<Trouble>([
  "needs_input",
  "auth",
  "billing",
  "poisoned_context",
  "policy_refusal",
  "unknown",
]);

/** All that a policy may do about it, where that is not everything: words, or a new session, would only cost more. */
const ONLY: Readonly<Partial<Record<Trouble, readonly string[]>>> = { over_budget: ["interrupt", "run"] };

/** Why a policy may not do it about this trouble; null when it may. */
export function forbids(trouble: Trouble, action: string): string | null {
  if (HANDS_OFF.has(trouble)) return "only a human can answer this; leave it out";
  const only = ONLY[trouble];
  return only && !only.includes(action) ? `only ${only.join(" and ")} can be done about this` : null;
}

const STUCK: ReadonlySet<Trouble> = new Set(STUCK_CAUSES);

/** A suspicion has to last; what a record, a prompt or an exit says is certain at once. */
export const needsConfirming = (trouble: Trouble): boolean => STUCK.has(trouble) || trouble === "unknown";

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
