import { describe, expect, it } from "vitest";
import type { Settings } from "../../defaults.js";
import type { Signal } from "../../signal.js";
import { TOOL_CLOCKS } from "../clocks.js";
import { createTools, type OpenTool, takeTools, toolDeadline } from "./tools.js";

const start = (id: string, fields: object = {}) =>
  ({ kind: "tool_start", source: "hook", at: 0, id, tool: "Bash", class: "shell", call: id, ...fields }) as Signal;
const end = (id: string, fields: object = {}) =>
  ({ kind: "tool_end", source: "hook", at: 0, id, ok: true, outcome: "o", raw: "r", ...fields }) as Signal;

function toolsAfter(...signals: Signal[]) {
  const tools = createTools();
  for (const signal of signals) takeTools(tools, signal);
  return tools;
}

describe("open tools", () => {
  it("start with the first source that reports a call", () => {
    const tools = toolsAfter(start("a", { at: 500 }), start("a", { at: 100, source: "transcript" }));
    expect([...tools.open.values()]).toMatchObject([{ id: "a", at: 100, source: "hook" }]);
  });

  it("are closed by id, in any order", () => {
    const tools = toolsAfter(start("a"), start("b"), end("a", { at: 9 }));
    expect([...tools.open.keys()]).toEqual(["b"]);
    expect(tools.lastEndAt).toBe(9);
  });

  it("are cleared in the foreground by the end of a turn, and entirely by an exit", () => {
    const running = end("a", { background: true, at: 5 });
    const turnEnd = { kind: "turn", source: "hook", at: 9, phase: "end" } as Signal;
    const tools = toolsAfter(start("a"), running, start("b"), turnEnd);
    expect([tools.open.size, tools.behind.size]).toEqual([0, 1]);
    takeTools(tools, { kind: "exit", source: "process", at: 9, code: 0, signal: null });
    expect(tools.behind.size).toBe(0);
  });

  it("are bounded: an agent that never closes a call loses the oldest", () => {
    const tools = toolsAfter(...Array.from({ length: 1000 }, (_, i) => start(`call ${i}`)));
    expect(tools.open.size).toBe(64);
    expect(tools.open.has("call 999")).toBe(true);
  });
});

describe("the time limit of a tool", () => {
  const tool = (fields: Partial<OpenTool> = {}): OpenTool => ({
    id: "a",
    tool: "Bash",
    class: "shell",
    subject: "npm test",
    timeoutMs: undefined,
    at: 0,
    source: "hook",
    ...fields,
  });

  it.each(Object.entries(TOOL_CLOCKS))("is the limit of its class if it is visibly running: %s", (name, clock) => {
    expect(toolDeadline(createTools(), tool({ class: name as OpenTool["class"] }), true)).toBe(clock.reportMs);
  });

  it("is four times as long if the tool is not visible", () => {
    expect(toolDeadline(createTools(), tool(), false)).toBe(4 * TOOL_CLOCKS.shell.reportMs);
  });

  it("is the declared time-out with slack if the tool is visibly running", () => {
    expect(toolDeadline(createTools(), tool({ timeoutMs: 60_000 }), true)).toBe(120_000);
    expect(toolDeadline(createTools(), tool({ timeoutMs: 600_000 }), true)).toBe(720_000);
  });

  it("is not reduced by a declared time-out if the tool is not visible", () => {
    expect(toolDeadline(createTools(), tool({ timeoutMs: 1000 }), false)).toBe(4 * TOOL_CLOCKS.shell.reportMs);
  });

  it("grows with the durations of this agent's own commands, up to a ceiling", () => {
    const tools = createTools();
    for (let i = 0; i < 40; i++) {
      takeTools(tools, start(`c${i}`, { subject: "npm test", at: i * 10_000_000 }));
      takeTools(tools, end(`c${i}`, { at: i * 10_000_000 + 20 * 60_000 }));
    }
    const learned = toolDeadline(tools, tool(), true);
    expect(learned).toBeGreaterThan(TOOL_CLOCKS.shell.reportMs);
    expect(learned).toBeLessThanOrEqual(4 * TOOL_CLOCKS.shell.reportMs);
  });

  const MINUTES = 60_000;
  const learnt = (minutes: number, settings: Settings, ...between: Signal[]): number => {
    const tools = createTools();
    const screen = { kind: "screen", source: "screen", at: 0 } as Signal;
    takeTools(tools, screen);
    for (let i = 0; i < 40; i++) {
      const at = i * 10_000_000;
      takeTools(tools, start(`c${i}`, { subject: "npm test", at }), settings);
      for (const signal of between)
        takeTools(tools, { ...signal, at: at + 1, from: at, to: at + 60 * MINUTES } as Signal);
      takeTools(tools, end(`c${i}`, { at: at + minutes * MINUTES }), settings);
    }
    return toolDeadline(tools, tool(), true);
  };
  const own = TOOL_CLOCKS.shell.reportMs;

  it("is not learned from a call that exceeded the limit of a visible tool", () => {
    expect(learnt(own / MINUTES + 1, {})).toBe(own);
    expect(learnt(own / MINUTES - 5, {})).toBeGreaterThan(own);
    expect(learnt(own / MINUTES - 5, { tool_patience: 0.5 })).toBe(own);
  });

  it("is not learned from a call that spanned sleep", () => {
    expect(learnt(65, {}, { kind: "gap", source: "observer" } as Signal)).toBe(own);
  });
});
