/** Actions as a decision would give them, carried out in real terminals. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rousePaths } from "../../src/config/paths.js";
import type { Action, ActionName, ActionOutcome } from "../../src/core/action.js";
import type { AgentSession } from "../../src/core/agent.js";
import { carryOut, type EffectContext, Environments } from "../../src/effects/index.js";
import { profileFor } from "../../src/programs/registry.js";
import type { Home } from "./hosts.js";

export const HOST_SCRIPT: string = join(import.meta.dirname, "..", "..", "dist", "cli", "commands", "host.js");

const actionOf = (agent: AgentSession, name: ActionName, more: Partial<Action> = {}): Action => ({
  id: "a1",
  do: name,
  incident: "i1",
  agent: agent.name,
  session: agent.id,
  problem: "silent_stream",
  attempt: 1,
  deadlineMs: 60_000,
  proof: "none",
  waitMs: 0,
  say: "continue",
  ...more,
});

const contextOf = (home: Home, more: Partial<EffectContext> = {}): EffectContext => ({
  now: Date.now,
  sleep: async (ms) => {
    await sleep(ms);
  },
  evidence: () => null,
  assessment: () => null,
  transcript: () => null,
  others: () => [],
  paths: rousePaths(home.env),
  profileOf: profileFor,
  starting: { environments: new Environments(rousePaths(home.env), home.env), hostScript: HOST_SCRIPT },
  ...more,
});

export const carriedOut = (
  home: Home,
  agent: AgentSession,
  name: ActionName,
  context: Partial<EffectContext> = {},
  more: Partial<Action> = {},
): Promise<ActionOutcome> => carryOut(actionOf(agent, name, more), agent, contextOf(home, context));
