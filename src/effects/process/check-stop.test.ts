import { expect, it } from "vitest";
import type { AgentSession } from "../../core/agent.js";
import type { State } from "../../core/states.js";
import type { EffectContext } from "../context.js";
import { checkNotRecovered, checkStop } from "./check-stop.js";

const recovered = (state: State | null, reasons: string[] = []): string | null => {
  const assessment = () => state && { state, reasons };
  return checkNotRecovered({ id: "s1" } as AgentSession, { assessment } as unknown as EffectContext);
};

it("an agent that works again is not stopped, and the reason is named", () => {
  expect(recovered("working", ["new output"])).toBe("it is working now. New output");
  expect(recovered("waiting")).toBe("it is waiting now");
  expect(recovered("starting")).not.toBeNull();
  expect(recovered("stuck")).toBeNull();
  expect(recovered(null)).toBeNull();
});

it("an agent without a terminal that rouse can reach is not stopped", async () => {
  const context = { assessment: () => null, profileOf: () => ({}) } as unknown as EffectContext;
  const agent = { id: "s1", hostSocket: null, pane: null } as AgentSession;
  expect(await checkStop(agent, context)).toBe("its terminal cannot be reached");
});
