import { expect, it } from "vitest";
import type { AgentSession } from "../../core/agent.js";
import type { EffectContext } from "../context.js";
import { spawnAgain } from "./spawn-again.js";

const agent = { id: "s1", name: "a", kind: "claude-code", workspace: "/w" } as AgentSession;
const starting = { environments: { of: () => ({ env: {}, isOwn: true }) }, hostScript: "/none" };

it("does not start an agent where none can be started", async () => {
  const result = await spawnAgain(agent, ["claude"], {} as EffectContext);
  expect(result).toEqual({ started: false, acted: false, reason: "agents cannot be started here" });
});

it("does not start an agent again whose working directory is unknown", async () => {
  const result = await spawnAgain({ ...agent, workspace: null }, ["claude"], { starting } as unknown as EffectContext);
  expect(result).toEqual({ started: false, acted: false, reason: "its working directory is unknown" });
});

it("does not start an agent under other directories than those of this daemon", async () => {
  const context = { starting, paths: { sessions: "/elsewhere/sessions" } } as unknown as EffectContext;
  const result = await spawnAgain(agent, ["claude"], context);
  expect(result).toEqual({
    started: false,
    acted: false,
    reason: "its environment points to other rouse directories",
  });
});
