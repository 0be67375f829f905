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
  it("is a final error, not a single failure", () => {
    expect(stateAfter(error).error).toMatchObject({ cause: "api", at: 0 });
    expect(stateAfter({ ...error, final: false }).error).toBeNull();
  });

  it.each([
    ["new text", { kind: "delta", channel: "content", chars: 3 }],
    ["a new call", { kind: "tool_start", id: "a", tool: "Bash", class: "shell", call: "a" }],
    ["a message of the agent", { kind: "message", role: "assistant", digest: "m" }],
    ["a new turn", { kind: "turn", phase: "start" }],
  ])("is cleared by %s", (_, signal) => {
    expect(stateAfter(error, hit, signal)).toMatchObject({ error: null, limit: null });
  });

  it("is not cleared by rouse's own text or by the end of the turn", () => {
    const own = { kind: "message", role: "user", digest: "m", own: true };
    expect(stateAfter(error, own, { kind: "turn", phase: "end" }).error).not.toBeNull();
  });

  it("keeps the start of a limit and the end that any of its records gave", () => {
    expect(stateAfter({ ...hit, until: 99 }, hit).limit).toMatchObject({ at: 0, until: 99 });
    expect(stateAfter(hit, { ...hit, until: 99, resumesItself: true }, hit).limit).toMatchObject({
      until: 99,
      resumesItself: true,
    });
  });

  it("drops a warning, but remembers a full window", () => {
    expect(stateAfter({ ...hit, level: "warning" })).toMatchObject({ limit: null, full: null });
    expect(stateAfter({ ...hit, level: "warning", full: true })).toMatchObject({ limit: null, full: { at: 0 } });
    expect(stateAfter(hit, { ...hit, level: "cleared" }).limit).toBeNull();
  });

  it("holds as long as its row is on the screen", () => {
    const shown = screen({ error: { cause: "api", text: "API Error: 500" } });
    expect(stateAfter(shown, shown).shownError).toMatchObject({ at: 0 });
    expect(stateAfter(shown, screen({})).shownError).toBeNull();
  });
});
