/** A session of an agent as the tests need one: each says what matters to it. */
import type { AgentSession } from "../../src/core/agent.js";
import { START } from "./steps.js";

export const sessionOf = (more: Partial<AgentSession> = {}): AgentSession => ({
  id: "s1",
  name: "a",
  kind: "generic",
  tags: [],
  origin: "spawn",
  command: ["x"],
  workspace: null,
  task: null,
  policy: null,
  pid: 1,
  pidStart: "1",
  startedAt: START,
  hostSocket: null,
  pane: null,
  endedAt: null,
  ...more,
});
