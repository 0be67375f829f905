import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeHost, IDLE_SCREEN } from "../../test/support/fake-host.js";
import type { Action } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { createEvidence } from "../core/judgement/evidence/evidence.js";
import { profileFor } from "../programs/registry.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import type { EffectContext } from "./context.js";
import { canDo as canDoBy, canDoWith, carryOut, typeMessage } from "./index.js";

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

  it("includes keys in a tmux pane, and nothing but a command of the user for an agent that is only reported", () => {
    const pane = { socket: "/tmp/tmux", id: "%1" };
    expect(canDo({ ...agent, origin: "tmux", hostSocket: null, pane })).toEqual(
      expect.arrayContaining(["nudge", "interrupt", "stop", "resume"]),
    );
    expect(canDo({ ...agent, origin: "report", hostSocket: null, pid: null, pidStart: null })).toEqual(["run"]);
  });

  it("includes a resume only if the program can resume a session by its id, and a restart only of rouse's own", () => {
    expect(canDo({ ...agent, kind: "generic" })).toEqual(["end_child", "stop", "restart", "run"]);
    expect(canDo({ ...agent, origin: "run" })).toEqual(["nudge", "interrupt", "end_child", "run"]);
    expect(canDo({ ...agent, pidStart: null })).toEqual(["nudge", "interrupt", "run"]);
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

describe("an interrupt in the terminal of a host", () => {
  let folder: string;
  let host: FakeHost;
  const hostSocket = (): string => join(folder, "h.sock");
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "rouse-effects-"));
    host = new FakeHost((request) =>
      request.op === "press"
        ? { ev: "pressed", bytes: 0, reason: "no turn is running" }
        : { ev: "check", terminalState: { screenState: IDLE_SCREEN, quietMs: null } },
    );
    await host.listen(hostSocket());
  });
  afterEach(() => {
    host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function interrupted(status: "idle" | "active" | "blocked" | null) {
    const evidence = createEvidence();
    if (status !== null) evidence.turn.statuses.hook = { status, at: 0 };
    const context = {
      now: () => 1000,
      sleep: async () => {},
      evidence: () => evidence,
      profileOf: profileFor,
    } as unknown as EffectContext;
    const action = { id: "a1", do: "interrupt", session: agent.id, deadlineMs: 30_000 } as Action;
    const { result, reason } = await carryOut(action, { ...agent, hostSocket: hostSocket() }, context);
    return `${result}: ${reason}`;
  }

  it("is decided by the screen, unless another source says that the program is waiting for an answer", async () => {
    expect(await interrupted("idle")).toBe("refused: no turn is running");
    expect(await interrupted("active")).toBe("refused: no turn is running");
    expect(await interrupted(null)).toBe("refused: no turn is running");
    expect(await interrupted("blocked")).toBe("refused: the program is waiting for an answer");
  });
});

it("a message that fails midway has an unknown result with a reason of at most 300 characters", async () => {
  const profileOf = (): never => {
    throw new Error("x".repeat(500));
  };
  const { result, reason } = await typeMessage("go on", agent, {
    evidence: () => null,
    profileOf,
  } as unknown as EffectContext);
  expect(result).toBe("unknown");
  expect(reason).toMatch(/^failed midway: x+$/);
  expect(reason).toHaveLength(300);
});
