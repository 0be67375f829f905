/** A runner that is measured: one that fails from the start ends the measurement, instead of counting as wrong. */
import type { Asked } from "../../diagnosis/ask.js";
import type { Runner, RunnerLimits } from "../../diagnosis/runners/runner.js";
import { BadInput } from "../../replay/files.js";

const FAILURES_MAX = 3;

export interface AskedRunner {
  runner: Runner;
  limits: RunnerLimits;
}

/** Throws if the user stopped it, or if the runner is not there. */
export function guardRunner({ runner, limits }: AskedRunner): (asked: Pick<Asked, "isUnavailable" | "reason">) => void {
  let failures: number | null = 0;
  return ({ isUnavailable, reason }) => {
    limits.signal.throwIfAborted();
    if (!isUnavailable) failures = null;
    else if (failures !== null && ++failures >= FAILURES_MAX)
      throw new BadInput(`${runner.name} gave no answer ${failures} times: ${reason ?? ""}`);
  };
}
