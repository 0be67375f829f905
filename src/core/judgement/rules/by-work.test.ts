import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";

const begin = { kind: "turn", source: "stream", phase: "start" } as const;
const tool = (cls: "shell" | "endless" | "subagent" | "sleep" | "edit" | "background", fields: object = {}) =>
  ({ kind: "tool_start", source: "stream", id: cls, tool: "Tool", class: cls, call: cls, ...fields }) as const;
const busy = screen({ busy: true, moving: true, replying: true });

const PROMISES: Record<string, Step[]> = {
  "a flag that is the first that is heard of it is no silence since the beginning of time": [
    { at: 3, signal: { kind: "status", source: "title", status: "blocked" }, expect: "working" },
    { at: 3.75, expect: "working" },
  ],
  "silence counts from the end of the tries, not from the words before them": [
    { at: 0, signal: { kind: "status", source: "title", status: "working" } },
    { at: 5, signal: screen({ busy: true, moving: true, retry: { text: "API error", attempt: 3, max: 10 } }) },
    { at: 170, signal: busy, expect: "waiting/retry" },
    { at: 235, expect: "working" },
    { at: 290, expect: "stuck/silent_stream" },
  ],
  "an open tool is work at first, then a named wait": [
    { at: 0, signal: begin },
    { at: 1, signal: tool("shell"), expect: "working" },
    { at: 12, expect: "waiting/tool" },
  ],
  "what it waits for is named by the tool's class": [
    { at: 0, signal: begin },
    { at: 1, signal: tool("subagent") },
    { at: 60, expect: "waiting/subagent" },
    { at: 61, signal: { kind: "tool_end", source: "stream", id: "subagent", ok: true, outcome: "", raw: "" } },
    { at: 62, signal: tool("sleep") },
    { at: 90, expect: "waiting/timer" },
  ],
  "a command that never ends by itself hangs soon": [
    { at: 0, signal: begin },
    { at: 0.5, signal: busy },
    { at: 1, signal: tool("endless") },
    { at: 90, expect: "waiting/tool" },
    { at: 102, expect: "stuck/tool_hang" },
  ],
  "of parallel calls the most patient one speaks": [
    { at: 0, signal: begin },
    { at: 0.5, signal: busy },
    { at: 1, signal: tool("endless") },
    { at: 2, signal: tool("subagent") },
    { at: 300, expect: "waiting/subagent" },
  ],
  "an instant tool that stays open waits for approval where no screen is seen": [
    { at: 0, signal: begin },
    { at: 1, signal: tool("edit"), expect: "working" },
    { at: 32, expect: "needs_input/permission" },
  ],
  "an instant tool waits for nobody in a session that asks nothing": [
    { at: 0, signal: { kind: "session", source: "stream", permissions: "bypass" } },
    { at: 0, signal: begin },
    { at: 1, signal: tool("edit") },
    { at: 32, expect: "waiting/tool" },
  ],
  "a tool that only the screen shows explains a silence too": [
    { at: 0, signal: begin },
    { at: 1, signal: screen({ busy: true, moving: true, tool: { class: "shell" } }) },
    { at: 400, expect: "waiting/tool" },
  ],
  "compaction is a wait until it takes longer than any did": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "compaction", source: "stream", phase: "start" }, expect: "waiting/compaction" },
    { at: 800, expect: "waiting/compaction" },
    { at: 902, expect: "stuck/compaction" },
  ],
  "a spinner is not life: a reply that stands still is told although the screen moves": [
    { at: 0, signal: begin },
    { at: 1, signal: busy },
    { at: 60, signal: { kind: "output", source: "screen", bytes: 99 }, expect: "working" },
    { at: 119, signal: { kind: "output", source: "screen", bytes: 99 }, expect: "stuck/silent_stream" },
  ],
  "a screen that says busy and shows no motion is frozen": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "output", source: "screen", bytes: 99 } },
    { at: 1, signal: screen({ busy: true, moving: false }), expect: "working" },
    { at: 62, expect: "stuck/frozen_screen" },
  ],
  "a full window and then silence is the limit": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "limit", source: "stream", level: "warning", full: true }, expect: "working" },
    { at: 200, expect: "rate_limited/limit" },
  ],
  "a transcript alone is believed much later": [
    { at: 0, signal: { kind: "turn", source: "transcript", phase: "start" } },
    { at: 600, expect: "working" },
    { at: 901, expect: "stuck/silent_stream" },
  ],
};

describe("a turn that runs", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps, { retriesSilently: false });
    expect(said).toEqual(expected);
  });

  it("is none by a mark that was there from the start, of a program that nobody knows, while nothing moves", () => {
    const still: Step[] = [
      { at: 0, signal: { kind: "output", source: "screen", bytes: 99 } },
      { at: 1, signal: screen({ busy: true, moving: false }), expect: "working" },
      { at: 400, expect: "working" },
    ];
    const moving: Step[] = [
      { at: 0, signal: screen({ busy: true, moving: true }), expect: "working" },
      { at: 120, expect: "stuck/silent_stream" },
    ];
    for (const steps of [still, moving]) {
      const { said, expected } = walk(steps, { retriesSilently: false });
      expect(said).toEqual(expected);
    }
  });

  it("may be silent for longer before the first text where the program retries without a word", () => {
    const steps: Step[] = [
      { at: 0, signal: begin },
      { at: 1, signal: screen({ busy: true, moving: true }) },
      { at: 200, expect: "working" },
      { at: 302, expect: "stuck/silent_stream" },
    ];
    const { said, expected } = walk(steps, { retriesSilently: true });
    expect(said).toEqual(expected);
  });

  it("may be so, too, where the screen is that of such a program", () => {
    const steps: Step[] = [
      { at: 0, signal: begin },
      { at: 1, signal: screen({ busy: true, moving: true, retriesSilently: true }) },
      { at: 200, expect: "working" },
      { at: 201, signal: screen({ busy: true, moving: true, retriesSilently: true, replying: true }) },
      { at: 202, expect: "stuck/silent_stream" },
    ];
    const { said, expected } = walk(steps, { retriesSilently: false });
    expect(said).toEqual(expected);
  });
});
