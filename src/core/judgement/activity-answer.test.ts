import { describe, expect, it } from "vitest";
import type { Signal } from "../signal.js";
import { assessActivity, createActivity, takeActivity } from "./activity.js";

const AT = 36_000_000;
const NOW = AT + 60_000;
const asked = { kind: "message", role: "user", digest: "a", preview: "[rouse] continue", own: true };
const text = (chars: number) => ({ kind: "delta", source: "stream", channel: "content", chars });
const tokens = { kind: "tokens", input: 100, output: 9 };
const said = (preview: string) => ({ kind: "message", role: "assistant", digest: preview, preview });
const end = { kind: "turn", phase: "end" };

function sourcesAfter(...signals: object[]): string[] {
  const state = createActivity();
  signals.forEach((signal, i) => {
    takeActivity(state, { at: AT + i * 100, source: "transcript", ...signal } as Signal);
  });
  return assessActivity(state, NOW).signals.map(({ source }) => source);
}

describe("the answer to rouse's own prompt", () => {
  it("is not activity if it only acknowledges, even with streamed text and an ended turn", () => {
    expect(sourcesAfter(asked, text(22), said("Got it, resuming now."), tokens, end)).toEqual([]);
  });

  it.each([
    ["says something", [said("The cache was stale; I clear it first.")]],
    ["calls a tool", [{ kind: "tool_start", id: "1", tool: "Bash", class: "shell", call: "x" }]],
    ["is longer than an acknowledgement", [text(300)]],
    ["is followed by a user's message", [{ ...asked, own: false, preview: "and the tests" }, text(22)]],
  ])("counts with all held signals as soon as it %s", (_, more) => {
    expect(sourcesAfter(asked, text(22), ...more, tokens, end)).toContain("telemetry_event");
  });

  it("is not held back after a user's own request", () => {
    expect(sourcesAfter({ ...asked, own: false }, text(22))).toContain("telemetry_event");
  });
});
