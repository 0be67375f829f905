import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, TestLoop } from "../../../test/support/loops.js";
import { START } from "../../../test/support/steps.js";
import { type Caller, findCaller } from "./callers.js";

let test: TestLoop;
const whose = (caller: Caller): string | null => findCaller(test.loop, caller)?.session.id ?? null;

beforeEach(async () => {
  test = new TestLoop();
  test.loop.register(agent({ id: "s1", name: "api", pid: 11, workspace: "/api" }));
  test.loop.register(agent({ id: "s2", name: "web", pid: 12, workspace: "/web" }));
  test.loop.register(agent({ id: "s3", name: "old", pid: 13, workspace: "/old", endedAt: START }));
  await test.send("s2", [{ kind: "session", source: "transcript", id: "talk-2" }]);
});
afterEach(() => test.close());

describe("the agent of a hook or report", () => {
  it("is found by the rouse session before anything else", () => {
    expect(whose({ session: "s1", pid: 12, conversation: "talk-2", cwd: "/web" })).toBe("s1");
    expect(whose({ session: "nobody", pid: 12 })).toBeNull();
  });

  it("is not the outer agent if an inner agent inherited its environment", () => {
    const facts = { enclosing: () => null, isInner: () => true };
    const inside = (caller: Caller): string | null => findCaller(test.loop, caller, facts)?.session.id ?? null;
    expect(inside({ session: "s1", process: 99, cwd: "/api" })).toBeNull();
    expect(inside({ session: "s1", process: 99, pid: 12 })).toBe("s2");
    // A known conversation needs no process check, and a call without a process is not checked.
    expect(inside({ session: "s2", process: 99, conversation: "talk-2" })).toBe("s2");
    expect(inside({ session: "s1", conversation: "another talk" })).toBe("s1");
  });

  it("is the one that its process belongs to, whatever session it claims", () => {
    const claimed = (session: string | undefined, of: string | null): string | null => {
      const facts = {
        enclosing: <S extends { id: string }>(_pid: number, sessions: readonly S[]): S | null =>
          sessions.find(({ id }) => id === of) ?? null,
        isInner: () => false,
      };
      return findCaller(test.loop, { session, process: 99 }, facts)?.session.id ?? null;
    };
    expect(claimed("s1", "s2")).toBe("s2");
    expect(claimed("s1", "s1")).toBe("s1");
    expect(claimed("s1", null)).toBe("s1");
    expect(claimed(undefined, "s2")).toBe("s2");
    expect(claimed("unknown", "s2")).toBe("s2");
  });

  it("is found by the name, then the process, then the conversation", () => {
    expect(whose({ agent: "web", pid: 11 })).toBe("s2");
    expect(whose({ pid: 11, conversation: "talk-2" })).toBe("s1");
    expect(whose({ pid: 99, conversation: "talk-2" })).toBe("s2");
  });

  it("is found by the folder only if nothing better identifies it", () => {
    expect(whose({ cwd: "/api", kind: "claude-code" })).toBe("s1");
    expect(whose({ cwd: "/api", kind: "codex" })).toBeNull();
    expect(whose({ cwd: "/api", pid: 99 })).toBeNull();
    expect(whose({ cwd: "/web", conversation: "another talk" })).toBeNull();
    expect(whose({ cwd: "/api", conversation: "a first talk" })).toBe("s1");
  });

  it("is not found if two agents match, or if it ended", () => {
    test.loop.register(agent({ id: "s4", name: "api", pid: 14, workspace: "/api" }));
    expect([whose({ agent: "api" }), whose({ cwd: "/api" }), whose({ agent: "old" }), whose({ pid: 13 })]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(whose({})).toBeNull();
  });
});
