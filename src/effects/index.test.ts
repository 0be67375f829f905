import { describe, expect, it } from "vitest";
import type { AgentSession } from "../core/agent.js";
import { profileFor } from "../programs/registry.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import { canDo as canDoBy, canDoWith } from "./index.js";

const agent: AgentSession = {
  id: "s1",
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

const canDo = (given: AgentSession, own: readonly ProfileOverride[] = []) =>
  canDoBy(given, (kind) => profileFor(kind, own));

describe("canDo", () => {
  it("includes keys only for a known program in a reachable terminal", () => {
    expect(canDo(agent)).toEqual(expect.arrayContaining(["nudge", "interrupt"]));
    expect(canDo({ ...agent, kind: "generic" })).not.toContain("nudge");
    expect(canDo({ ...agent, origin: "transcript", hostSocket: null })).not.toContain("interrupt");
  });

  it("includes keys for a program with a user profile only if the profile defines them", () => {
    const sketch = { ...agent, kind: "sketch" };
    const profile = { id: "sketch", extends: "generic", message: "^> " };
    expect(canDo(sketch, [profile])).not.toContain("nudge");
    const keys = { interrupt: ["\u0003"], submit: ["\r"], quit: ["\u0004"] };
    expect(canDo(sketch, [{ ...profile, keys }])).toEqual(expect.arrayContaining(["nudge", "interrupt"]));
    expect(canDo(sketch, [{ ...profile, extends: "gemini" }])).toEqual(expect.arrayContaining(["nudge", "resume"]));
    expect(canDo(sketch)).not.toContain("nudge");
    expect(canDo({ ...agent, kind: "generic" }, [{ id: "generic", keys }])).not.toContain("nudge");
  });

  it("is the same if only the kind and the origin are known, as in a recording", () => {
    expect(canDoWith({ kind: "claude-code", origin: "spawn" })).toEqual(canDo(agent));
    const pane = { socket: "s", id: "%1" };
    const adopted = { ...agent, kind: "generic", origin: "tmux", hostSocket: null, pane, pidStart: null } as const;
    expect(canDoWith({ kind: "generic", origin: "tmux" })).toEqual(canDo(adopted));
    const fromTranscript = { ...agent, origin: "transcript", hostSocket: null } as const;
    expect(canDoWith({ kind: "claude-code", origin: "transcript" })).toEqual(canDo(fromTranscript));
  });

  it("includes a stop in a pane only if its program is known", () => {
    expect(canDoWith({ kind: "claude-code", origin: "tmux" })).toEqual(expect.arrayContaining(["end_child", "stop"]));
    expect(canDoWith({ kind: "generic", origin: "tmux" })).not.toContain("stop");
  });
});
