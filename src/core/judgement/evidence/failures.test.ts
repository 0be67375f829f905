import { describe, expect, it } from "vitest";
import { screen } from "../../../../test/support/steps.js";
import type { Signal } from "../../signal.js";
import { createFailures, takeFailures } from "./failures.js";

function stateAfter(...signals: object[]) {
  const failures = createFailures();
  signals.forEach((signal, i) => {
    takeFailures(failures, { at: i * 1000, source: "transcript", ...signal } as Signal);
  });
  return failures;
}
const error = { kind: "error", cause: "api", final: true, digest: "e", text: "API Error: 500" };
const hit = { kind: "limit", level: "hit", text: "limit reached" };

describe("what ended the work", () => {
  it("is a final error, not one failure among others", () => {
    expect(stateAfter(error).error).toMatchObject({ cause: "api", at: 0 });
    expect(stateAfter({ ...error, final: false }).error).toBeNull();
  });

  it.each([
    ["new text", { kind: "delta", channel: "content", chars: 3 }],
    ["a new call", { kind: "tool_start", id: "a", tool: "Bash", class: "shell", call: "a" }],
    ["a message of the agent", { kind: "message", role: "assistant", digest: "m" }],
    ["a new turn", { kind: "turn", phase: "start" }],
  ])("is past with %s", (_, signal) => {
    expect(stateAfter(error, hit, signal)).toMatchObject({ error: null, limit: null });
  });

  it("is not past with a text of rouse's own, nor with the end of the turn", () => {
    const own = { kind: "message", role: "user", digest: "m", own: true };
    expect(stateAfter(error, own, { kind: "turn", phase: "end" }).error).not.toBeNull();
  });

  it("keeps a limit's first moment and the end that any of its records knew", () => {
    expect(stateAfter({ ...hit, until: 99 }, hit).limit).toMatchObject({ at: 0, until: 99 });
    expect(stateAfter(hit, { ...hit, until: 99, resumesItself: true }, hit).limit).toMatchObject({
      until: 99,
      resumesItself: true,
    });
  });

  it("forgets a warning, but not that the window is full", () => {
    expect(stateAfter({ ...hit, level: "warning" })).toMatchObject({ limit: null, full: null });
    expect(stateAfter({ ...hit, level: "warning", full: true })).toMatchObject({ limit: null, full: { at: 0 } });
    expect(stateAfter(hit, { ...hit, level: "cleared" }).limit).toBeNull();
  });

  it("stands on the screen as long as the row does", () => {
    const shown = screen({ error: { cause: "api", text: "API Error: 500" } });
    expect(stateAfter(shown, shown).shownError).toMatchObject({ at: 0 });
    expect(stateAfter(shown, screen({})).shownError).toBeNull();
  });
});
