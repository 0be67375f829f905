/** A session of an agent for tests: each sets only what matters. */
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
