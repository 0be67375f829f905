import { describe, expect, it } from "vitest";
import type { AgentSession } from "../core/agent.js";
import { canDo, canDoWith } from "./index.js";

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

  it("is the same for an agent of which only the kind and the way are known, as in a recording", () => {
    expect(canDoWith({ kind: "claude-code", origin: "spawn" })).toEqual(canDo(agent));
    const pane = { socket: "s", id: "%1" };
    const adopted = { ...agent, kind: "generic", origin: "tmux", hostSocket: null, pane, pidStart: null } as const;
    expect(canDoWith({ kind: "generic", origin: "tmux" })).toEqual(canDo(adopted));
    const heard = { ...agent, origin: "transcript", hostSocket: null } as const;
    expect(canDoWith({ kind: "claude-code", origin: "transcript" })).toEqual(canDo(heard));
  });
});
