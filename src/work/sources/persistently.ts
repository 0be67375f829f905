import { setTimeout as sleep } from "node:timers/promises";
import { SourceError } from "./source.js";

const ATTEMPTS = 3;
const PAUSE_MS = 500;

/** Whether a task is free must not depend on one lost answer. No attempt begins after `untilMs` of the process's own clock. */
export async function persistently<Answer>(
  ask: () => Promise<Answer>,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++)
    try {
      return await ask();
    } catch (error) {
      const isFinal = !(error instanceof SourceError) || error.kind === "refused" || performance.now() >= untilMs;
      if (isFinal || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS * attempt);
    }
}
