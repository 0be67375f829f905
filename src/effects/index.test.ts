import { describe, expect, it } from "vitest";
import type { AgentSession } from "../core/agent.js";
import { canDo } from "./index.js";

const agent: AgentSession = {
  session: "s1",
  name: "a",
  kind: "claude-code",
  tags: [],
  origin: "spawn",
  command: ["claude"],
  workspace: "/w",
  task: null,
  policy: null,
  pid: 4242,
  pidStart: "x",
  startedAt: 0,
  hostSocket: "/run/h.sock",
  pane: null,
  endedAt: null,
};

describe("canDo", () => {
  it("touches keys only of a program that rouse knows, in a terminal that it can reach", () => {
    expect(canDo(agent)).toEqual(expect.arrayContaining(["nudge", "interrupt"]));
    expect(canDo({ ...agent, kind: "generic" })).not.toContain("nudge");
    expect(canDo({ ...agent, origin: "transcript", hostSocket: null })).not.toContain("interrupt");
  });
});
