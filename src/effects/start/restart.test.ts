import { expect, it } from "vitest";
import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import type { EffectContext } from "../context.js";
import { restartAgent } from "./restart.js";

it("an agent that rouse did not start is not restarted", async () => {
  const result = await restartAgent({} as Action, { origin: "tmux" } as AgentSession, {} as EffectContext);
  expect(result).toMatchObject({ result: "refused", reason: "rouse did not start it, so it does not restart it" });
});
