import { describe, expect, it } from "vitest";
import { START, type Step, screen, walk } from "../../../../test/support/steps.js";

const begin = { kind: "turn", source: "stream", phase: "start" } as const;
const tool = (cls: "shell" | "endless" | "subagent" | "sleep" | "edit" | "background" | "web", fields: object = {}) =>
  ({ kind: "tool_start", source: "stream", id: cls, tool: "Tool", class: cls, call: cls, ...fields }) as const;
const busy = screen({ busy: true, moving: true, replying: true });

const PROMISES: Record<string, Step[]> = {
  "a flag as the first signal does not count as silence before it": [
    { at: 3, signal: { kind: "status", source: "title", status: "blocked" }, expect: "working" },
    { at: 3.75, expect: "working" },
  ],
  "silence counts from the end of the retries, not from the output before them": [
    { at: 0, signal: { kind: "status", source: "title", status: "working" } },
    { at: 5, signal: screen({ busy: true, moving: true, retry: { text: "API error", attempt: 3, max: 10 } }) },
    { at: 170, signal: busy, expect: "waiting/retry" },
    { at: 235, expect: "working" },
    { at: 290, expect: "stuck/silent_stream" },
  ],
  "an open tool is shown as work first, then as a wait": [
    { at: 0, signal: begin },
    { at: 1, signal: tool("shell"), expect: "working" },
    { at: 12, expect: "waiting/tool" },
  ],
  "the class of the tool determines the cause of the wait": [
    { at: 0, signal: begin },
    { at: 1, signal: tool("subagent") },
    { at: 60, expect: "waiting/subagent" },
    { at: 61, signal: { kind: "tool_end", source: "stream", id: "subagent", ok: true, outcome: "", raw: "" } },
    { at: 62, signal: tool("sleep") },
    { at: 90, expect: "waiting/timer" },
  ],
  "an endless command is reported as hung early": [
    { at: 0, signal: begin },
    { at: 0.5, signal: busy },
    { at: 1, signal: tool("endless") },
    { at: 90, expect: "waiting/tool" },
    { at: 102, expect: "stuck/tool_hang" },
  ],
  "of parallel calls, the one with the longest limit decides": [
    { at: 0, signal: begin },
    { at: 0.5, signal: busy },
    { at: 1, signal: tool("endless") },
    { at: 2, signal: tool("web") },
    { at: 300, expect: "waiting/tool" },
  ],
  "an instant tool that stays open waits for approval if the screen is not visible": [
    { at: 0, signal: begin },
    { at: 1, signal: tool("edit"), expect: "working" },
    { at: 32, expect: "needs_input/permission" },
  ],
  "a call that asks for more permissions waits for approval until a child process runs it": [
    { at: 0, signal: begin },
    { at: 1, signal: tool("shell", { asks: true }), expect: "working" },
    { at: 12, expect: "needs_input/permission" },
    {
      at: 20,
      signal: { kind: "process", source: "process", alive: true, children: 1, cpuMs: 9, newestChildAt: START + 19_000 },
    },
    { at: 21, expect: "waiting/tool" },
  ],
  "a call that asks for more permissions waits for nothing in a session without permission prompts": [
    { at: 0, signal: { kind: "session", source: "stream", permissions: "bypass" } },
    { at: 0, signal: begin },
    { at: 1, signal: tool("shell", { asks: true }) },
    { at: 32, expect: "waiting/tool" },
  ],
  "a call that its program would have ended waits for approval, until a child process runs it": [
    { at: 0, signal: { kind: "session", source: "transcript", permissions: "asking" } },
    { at: 0, signal: { ...begin, source: "transcript" } },
    { at: 1, signal: { ...tool("shell", { limitMs: 10_000 }), source: "transcript" }, expect: "working" },
    { at: 70, expect: "waiting/tool" },
    { at: 72, expect: "needs_input/permission" },
    {
      at: 80,
      signal: { kind: "process", source: "process", alive: true, children: 1, cpuMs: 9, newestChildAt: START + 79_000 },
    },
    { at: 81, expect: "waiting/tool" },
  ],
  "an instant tool does not wait for approval in a session without permission prompts": [
    { at: 0, signal: { kind: "session", source: "stream", permissions: "bypass" } },
    { at: 0, signal: begin },
    { at: 1, signal: tool("edit") },
    { at: 32, expect: "waiting/tool" },
  ],
  "a tool that only the screen shows explains silence, too": [
    { at: 0, signal: begin },
    { at: 1, signal: screen({ busy: true, moving: true, tool: { class: "shell" } }) },
    { at: 400, expect: "waiting/tool" },
  ],
  "compaction is a wait until it exceeds the longest known one": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "compaction", source: "stream", phase: "start" }, expect: "waiting/compaction" },
    { at: 800, expect: "waiting/compaction" },
    { at: 902, expect: "stuck/compaction" },
  ],
  "an unchanged reply is reported although a spinner moves": [
    { at: 0, signal: begin },
    { at: 1, signal: busy },
    { at: 60, signal: { kind: "output", source: "screen", bytes: 99 }, expect: "working" },
    { at: 119, signal: { kind: "output", source: "screen", bytes: 99 }, expect: "stuck/silent_stream" },
  ],
  "a busy screen without motion is frozen": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "output", source: "screen", bytes: 99 } },
    { at: 1, signal: screen({ busy: true, moving: false }), expect: "working" },
    { at: 62, expect: "stuck/frozen_screen" },
  ],
  "silence after a full usage window is the limit": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "limit", source: "stream", level: "warning", full: true }, expect: "working" },
    { at: 200, expect: "rate_limited/limit" },
  ],
  "silence of a transcript alone is reported much later": [
    { at: 0, signal: { kind: "turn", source: "transcript", phase: "start" } },
    { at: 560, expect: "working" },
    { at: 601, expect: "stuck/silent_stream" },
  ],
};

describe("a running turn", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps, { retriesSilently: false });
    expect(said).toEqual(expected);
  });

  it("is not inferred from a mark that an unknown program has shown from the start, while nothing moves", () => {
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

  it("may be silent longer before the first text if the program retries silently", () => {
    const steps: Step[] = [
      { at: 0, signal: begin },
      { at: 1, signal: screen({ busy: true, moving: true }) },
      { at: 200, expect: "working" },
      { at: 302, expect: "stuck/silent_stream" },
    ];
    const { said, expected } = walk(steps, { retriesSilently: true });
    expect(said).toEqual(expected);
  });

  it("may be silent longer if the screen is that of such a program", () => {
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

describe("an agent that a script runs without a terminal of its own", () => {
  const output = { kind: "output", source: "screen", bytes: 40 } as const;
  const prints = screen({ busy: null, composer: "hidden", prints: true });
  const runs = { kind: "session", source: "process", child: "claude-code" } as const;
  const asked = { kind: "turn", source: "transcript", phase: "start", byUser: true } as const;
  const over = { kind: "turn", source: "transcript", phase: "end" } as const;

  it("is judged by its own records: a silent screen is no stall, a silent transcript is one", () => {
    const steps: Step[] = [
      { at: 0, signal: output },
      { at: 0, signal: prints },
      { at: 2, signal: runs },
      { at: 3, signal: asked },
      { at: 4, signal: { kind: "message", source: "transcript", role: "assistant", digest: "m" } },
      { at: 200, expect: "working" },
      { at: 905, expect: "stuck/silent_stream" },
    ];
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });

  it("does not complete the script with its turn, and leaves no open tool behind", () => {
    const steps: Step[] = [
      { at: 0, signal: output },
      { at: 0, signal: prints },
      { at: 2, signal: runs },
      { at: 3, signal: asked },
      {
        at: 4,
        signal: { kind: "tool_start", source: "transcript", id: "t", tool: "Bash", class: "shell", call: "c" },
      },
      { at: 60, expect: "waiting/tool" },
      { at: 70, signal: over, expect: "idle" },
      { at: 71, signal: { ...runs, child: null } },
      { at: 200, expect: "idle" },
      { at: 201, signal: { kind: "exit", source: "process", code: 0, signal: null }, expect: "complete" },
    ];
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });
});
