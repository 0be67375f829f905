import { describe, expect, it } from "vitest";
import type { Signal } from "../signal.js";
import { MINUTE } from "../text/time.js";
import type { ActivitySignal } from "./activity.js";
import { isMeaningfulProgress, isResumerPrompt, ROUSE_MARK, shouldSendResume } from "./guard.js";
import { isAcknowledgement, rowsAfterOwnText } from "./noise.js";

const NOW = 1_790_000_000_000;

describe("shouldSendResume", () => {
  const commit = (minutes: number): ActivitySignal => ({
    source: "git_commit",
    at: NOW - minutes * MINUTE,
    confidence: 0.85,
  });

  it("leaves an active agent alone", () => {
    expect(shouldSendResume([commit(3)], NOW)).toEqual({
      send: false,
      may_ask: false,
      reason: "active: confidence 0.70, last activity 3.0 min ago (1 strong sign of activity (commits))",
    });
  });

  it("resumes an inactive agent and gives the reason", () => {
    const advice = shouldSendResume([commit(90)], NOW);
    expect(advice).toMatchObject({ send: true, may_ask: true });
    expect(advice.reason).toContain("inactive: confidence 0.49, last activity 90.0 min ago");
  });

  it("permits a question but no resume for an unobserved agent", () => {
    expect(shouldSendResume([], NOW)).toEqual({ send: false, may_ask: true, reason: "unknown: no sensor data" });
  });
});

describe("isResumerPrompt", () => {
  it.each([
    ["S2A STALL-RECOVERY: resume your work", true],
    ["[C2A] Agent-3", true],
    ["Inactivity Detected (12 min)", true],
    ["do it #NO-REPLY", true],
    [`${ROUSE_MARK} The stream was cut. Please go on.`, true],
    ["Please mend the failing test in parser.ts", false],
    ["", false],
    [undefined as unknown as string, false],
    [`${" ".repeat(1e6)}resumer`, false],
  ])("of %j is %s", (text, expected) => {
    expect(isResumerPrompt(text)).toBe(expected);
  });
});

describe("isAcknowledgement", () => {
  it.each([
    ["Acknowledged.", true],
    ["OK, got it. Resuming work now!", true],
    ["Noted: the bug is in the parser.", false],
    ["", false],
    ["✅", false],
    [`${"ok ".repeat(39)}`, false],
  ])("of %j is %s", (text, expected) => {
    expect(isAcknowledgement(text)).toBe(expected);
  });
});

describe("isMeaningfulProgress", () => {
  it.each([
    [{ kind: "commit", id: "a" }, true],
    [{ kind: "test", ok: true }, true],
    [{ kind: "test", ok: false }, false],
    [{ kind: "file", path: "src/a.ts" }, true],
    [{ kind: "file", path: "status.json", role: "status" }, false],
    [{ kind: "checkpoint", step: 3, text: "step 3: added the endpoint" }, true],
    [{ kind: "checkpoint", text: "ack" }, false],
    [{ kind: "tool_end", id: "1", ok: true, outcome: "o", raw: "r" }, true],
    [{ kind: "tool_end", id: "1", ok: true, outcome: "o", raw: "r", interrupted: true }, false],
    [{ kind: "tool_end", id: "1", ok: false, outcome: "o", raw: "r" }, false],
    [{ kind: "message", role: "assistant", digest: "d", closing: "result", preview: "All 12 tests pass." }, true],
    [{ kind: "message", role: "assistant", digest: "d", closing: "result", preview: "Got it." }, false],
    [{ kind: "message", role: "assistant", digest: "d", closing: "promise", preview: "I will now do it" }, false],
    [{ kind: "message", role: "user", digest: "d", preview: "go on" }, false],
    [{ kind: "report", heartbeat: true, text: "alive" }, false],
    [{ kind: "report", state: "working", text: "parser done" }, true],
    [{ kind: "delta", channel: "content", chars: 90 }, false],
    [{ kind: "output", bytes: 4096 }, false],
    [{ kind: "toString" }, false],
  ])("of %o is %s", (signal, expected) => {
    expect(isMeaningfulProgress({ at: NOW, source: "transcript", ...signal } as unknown as Signal)).toBe(expected);
  });
});

describe("rowsAfterOwnText", () => {
  it.each<[string, string[], string[]]>([
    ["keeps rows without rouse's text", ["Fixed.", "All tests pass."], ["Fixed.", "All tests pass."]],
    ["drops rouse's text and what is above it", ["old", "> Please continue. [rouse]", "Fixed."], ["Fixed."]],
    ["drops a wrapped text", ["> Please continue where you", "│ stopped. [rou │", "│ se] │", "Fixed."], ["Fixed."]],
    ["leaves nothing if rouse's text is the last", ["old", "Are you there?", "[rouse]"], []],
    ["looks at the last text only", ["One. [rouse]", "old", "Two. [rouse]", "Fixed."], ["Fixed."]],
  ])("%s", (_, rows, left) => {
    expect(rowsAfterOwnText(rows)).toEqual(left);
  });
});
