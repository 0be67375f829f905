/** Gives a text to an agent: over the daemon, or directly to its terminal if no daemon is running. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ControlResult } from "../api/control-result.js";
import { ApiError } from "../api/error.js";
import { rousePaths } from "../config/paths.js";
import { ownProfiles } from "../config/profiles-on-demand.js";
import { sanitize } from "../core/text/sanitize.js";
import { upperFirst } from "../core/text/sentences.js";
import { DaemonUnreachable } from "../daemon/client.js";
import type { EffectContext } from "../effects/index.js";
import { agentSession, type FoundSession } from "../terminal/registry.js";
import { call } from "./client.js";
import { permit } from "./permit.js";

export const READY_TEXT = "how long to wait for the agent to be ready for input (default: 45s)";

export interface WorkOptions {
  timeoutMs?: number | undefined;
  enter?: boolean;
}

const TIMEOUT_MS = 45_000;
const TIMEOUT_MS_MAX = 600_000;

/** Prints the result. A text that was not accepted is a failure. */
export function reportWork({ result, reason }: ControlResult, setExit: (code: number) => void): void {
  if (result === "done") process.stdout.write(`${sanitize(upperFirst(reason))}\n`);
  else
    process.stderr.write(
      `rouse: ${sanitize(result === "refused" ? `refused, nothing was typed: ${reason}` : reason)}\n`,
    );
  if (result !== "done") setExit(1);
}

/** `found` is asked only without a daemon that knows the agent. Throws `ApiError` for a request that cannot be carried out. */
export async function giveWork(
  agent: string,
  text: string,
  { timeoutMs = TIMEOUT_MS, enter = true }: WorkOptions,
  found: () => Promise<FoundSession & { hostSocket: string }>,
): Promise<ControlResult> {
  const waitMs = Math.min(timeoutMs, TIMEOUT_MS_MAX);
  try {
    return await call("send_input", { agent, text, enter, timeout_secs: waitMs / 1000 });
  } catch (error) {
    if (!isUnknown(error)) throw error;
  }
  const session = await found();
  const { finish } = await permit("local_type", { agent: session.id, text });
  const [{ typeMessage }, { profileFor }, { profiles }] = await Promise.all([
    import("../effects/index.js"),
    import("../programs/registry.js"),
    ownProfiles(rousePaths().config),
  ]);
  const context: EffectContext = {
    paths: rousePaths(),
    now: Date.now,
    sleep: (ms) => sleep(ms),
    profileOf: (kind) => profileFor(kind, profiles),
    evidence: () => null,
    assessment: () => null,
    transcript: () => null,
    others: () => [],
  };
  const given = { waitMs, isDraft: !enter };
  const typed = await typeMessage(text, agentSession(session), context, given);
  await finish(typed.result, typed.reason);
  return typed;
}

/** The host of an agent registers with the daemon a moment after its start. */
const isUnknown = (error: unknown): boolean =>
  (error instanceof DaemonUnreachable && error.isDown) || (error instanceof ApiError && error.kind === "unknown");
