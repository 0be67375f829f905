/** A recovery that a person asks for: step after step at once, up to the first that has to be waited for. */
import type { Action, Outcome } from "../core/action.js";
import type { Decision } from "../core/decide.js";
import type { Incident } from "../core/incident/incident.js";
import type { Watched } from "./watched.js";

export interface Recovery {
  incident: Incident | null;
  steps: { action: Action; outcome: Outcome }[];
  /** Why it ended there. */
  reason: string;
  /** What comes next, or would have been done. */
  next: Action | null;
  recheckAt: number | null;
}

export interface RecoveryHands {
  decide: (incident: Incident) => Decision;
  /** Intent, touch, outcome. */
  act: (action: Action) => Promise<Outcome>;
  sleepUntil: (at: number) => Promise<void>;
}

/** No ladder is longer. */
const STEPS_MAX = 8;
/** What a step leads to is waited for so long; anything longer is left to the next look. */
const STEP_WAIT_MS = 15_000;

export async function recovery(
  { poisoned }: Pick<Watched, "poisoned">,
  incident: Incident | null,
  isDry: boolean,
  hands: RecoveryHands,
): Promise<Recovery> {
  const steps: Recovery["steps"] = [];
  const ends = (reason: string, next: Action | null = null, recheckAt: number | null = null): Recovery => ({
    incident,
    steps,
    reason,
    next,
    recheckAt,
  });
  if (poisoned !== null) return ends(`judging this session failed: ${poisoned}`);
  if (!incident) return ends(`nothing is wrong with it`);
  while (steps.length < STEPS_MAX) {
    const decision = hands.decide(incident);
    const { action, reason } = decision;
    if (!action) {
      const { recheckAt, would } = decision;
      const last = steps.at(-1)?.outcome;
      if (!last?.proven || recheckAt === null || recheckAt - last.at > STEP_WAIT_MS)
        return ends(reason, would, recheckAt);
      await hands.sleepUntil(recheckAt);
      continue;
    }
    if (action.do === "escalate") return ends(reason, decision.would);
    if (isDry) return ends(reason, action);
    const outcome = await hands.act(action);
    steps.push({ action, outcome });
    if (outcome.result !== "done") return ends(outcome.reason);
  }
  return ends("the ladder is longer than one recovery");
}

/** Those who wait for a moment of the daemon's own time. */
export class Sleepers {
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();

  until(at: number): Promise<void> {
    return new Promise((wake) => {
      this.#sleepers.add({ at, wake });
    });
  }

  tick(now: number): void {
    for (const sleeper of this.#sleepers) {
      if (sleeper.at > now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
