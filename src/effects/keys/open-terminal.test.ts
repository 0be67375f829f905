import { expect, it } from "vitest";
import { sessionOf } from "../../../test/support/sessions.js";
import type { AgentSession } from "../../core/agent.js";
import type { EffectContext } from "../context.js";
import { quietFor } from "./open-terminal.js";

it("rouse leaves the keyboard to a user for 120 s in the user's terminal, 60 s in tmux and 20 s in a spawned agent", () => {
  const seconds = (origin: AgentSession["origin"], context: Partial<EffectContext> = {}): number =>
    quietFor(sessionOf({ origin }), context as EffectContext) / 1000;
  expect(seconds("run")).toBe(120);
  expect(seconds("tmux")).toBe(60);
  expect(seconds("spawn")).toBe(20);
  expect(seconds("tmux", { quietMs: 5000 })).toBe(5);
});
