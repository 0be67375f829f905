import { type Settings, settingOf } from "../../defaults.js";
import { MINUTE } from "../../text/time.js";
import { ACT_FACTOR, ACT_ROUNDS } from "../clocks.js";
import { type BurnVerdict, burnVerdict } from "../evidence/burn.js";
import { checkpointVerdict } from "../evidence/checkpoint.js";
import { errorsVerdict } from "../evidence/errors.js";
import { distinctKinds, workspaceStill } from "../evidence/kinds.js";
import { loopHoldsUntil, loopVerdict } from "../evidence/loop.js";
import { SPIN_WINDOW_MS, spinVerdict } from "../evidence/spin.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/** This many equal errors are enough if the agent also spins on one file: two weak signs that agree. */
const ERRORS_WITH_SPIN = 3;

/** Active without progress. */
export function byLoop({ evidence, now, active, settings, due, dueAfter }: RuleInput): RuleVerdict | null {
  if (active === false) return null;
  const options = { ...settings, turnActive: true, dueAfter };
  const loop = loopVerdict(evidence.loop, now);
  if (loop) {
    due(loopHoldsUntil(evidence.loop) + 1);
    return {
      state: "stuck",
      cause: loop.cause,
      confidence: 0.85,
      reasons: [loop.reason],
      act: loop.rounds >= ACT_ROUNDS,
      kinds: distinctKinds([loop.kind, workspaceStill(evidence, loop.since)]),
    };
  }
  // Visits to one file are normal work. They only support another sign.
  const spin = spinVerdict(evidence.spin, now);
  const found =
    errorsVerdict(evidence.errors, now, spin ? { ...options, repeated_error_threshold: ERRORS_WITH_SPIN } : options) ??
    burnVerdict(evidence.burn, now, options) ??
    checkpointVerdict(evidence.checkpoint, now, options);
  if (!found) return null;
  // Counted events leave the window if none are added.
  if (found.cause === "repeated_error")
    due(found.since + settingOf(settings, "repeated_error_window_minutes") * MINUTE + 1);
  if (spin) due(spin.since + SPIN_WINDOW_MS + 1);
  const act =
    (found.cause === "repeated_error" && found.count >= ACT_ROUNDS) ||
    ("output_tokens" in found && burntBy(found, settings) >= ACT_FACTOR);
  return {
    state: "stuck",
    cause: found.cause,
    confidence: found.confidence,
    reasons: [found.reason, ...(spin ? [spin.reason] : [])],
    act,
    kinds: distinctKinds(["record", workspaceStill(evidence, found.since)]),
  };
}

/** By which factor the most exceeded threshold is exceeded. */
const burntBy = ({ output_tokens, active_minutes }: BurnVerdict, settings: Settings): number =>
  Math.max(
    output_tokens / settingOf(settings, "burn_output_tokens"),
    active_minutes / settingOf(settings, "burn_active_minutes"),
  );
