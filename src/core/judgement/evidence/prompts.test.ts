import { describe, expect, it } from "vitest";
import { screen } from "../../../../test/support/steps.js";
import type { Signal } from "../../signal.js";
import { createPrompts, openPrompt, takePrompts } from "./prompts.js";

function stateAfter(...signals: object[]) {
  const prompts = createPrompts();
  signals.forEach((signal, i) => {
    takePrompts(prompts, { at: i * 1000, ...signal } as Signal);
  });
  return prompts;
}
const dialog = screen({ composer: "hidden", dialog: { prompt: "permission", question: "Run rm -rf?" } });
const hook = { kind: "prompt", source: "hook", open: true, prompt: "permission" };
const blocked = { kind: "status", source: "title", status: "blocked" };
const ask = (id: string, cls = "question") => ({
  kind: "tool_start",
  source: "stream",
  id,
  tool: "Ask",
  class: cls,
  call: id,
  subject: "Which port?",
});

describe("open prompts", () => {
  it("are taken from the source with the question text", () => {
    expect(openPrompt(stateAfter(blocked, hook, dialog))).toMatchObject({ source: "screen", question: "Run rm -rf?" });
  });

  it("stay open until each source that reported them closes its own view", () => {
    expect(openPrompt(stateAfter(blocked, dialog, screen({})))).toMatchObject({ source: "title" });
    expect(openPrompt(stateAfter(blocked, dialog, screen({}), { ...blocked, status: "working" }))).toBeNull();
  });

  it("are not inferred from a title while the screen shows a running tool", () => {
    const running = screen({ busy: true, tool: { class: "shell", subject: "npm test" } });
    expect(openPrompt(stateAfter(running, blocked))).toBeNull();
    expect(openPrompt(stateAfter(blocked, running, dialog))).toMatchObject({ source: "screen" });
    expect(openPrompt(stateAfter(running, blocked, screen({ busy: true })))).toMatchObject({ source: "title" });
    const asking = screen({ ...running.reading, tail: ["$ npm init", "Overwrite package.json? [y/N]"] });
    const question = "Overwrite package.json? [y/N]";
    expect(openPrompt(stateAfter(asking, blocked))).toMatchObject({ source: "title", question });
    expect(openPrompt(stateAfter(asking))).toBeNull();
  });

  it("are inferred from a title beside a running tool if the program's title does not report quiet tools", () => {
    const prompts = createPrompts({ titleReportsQuietTool: false });
    takePrompts(prompts, { at: 0, ...screen({ busy: true, tool: { class: "shell", subject: "npm test" } }) } as Signal);
    takePrompts(prompts, { at: 1000, ...blocked } as Signal);
    expect(openPrompt(prompts)).toMatchObject({ source: "title" });
  });

  it("of a hook are closed by a visible composer, by a hook or by the start or end of a turn", () => {
    const answered = { kind: "prompt", source: "hook", open: false };
    for (const closing of [answered, { kind: "turn", source: "stream", phase: "end" }]) {
      expect(openPrompt(stateAfter(hook, closing))).toBeNull();
    }
    expect(openPrompt(stateAfter(hook, dialog, screen({})))).toBeNull();
    // A parallel call ends: the question is still open.
    const end = { kind: "tool_end", source: "hook", id: "x", ok: true, outcome: "", raw: "" };
    expect(openPrompt(stateAfter(hook, end))).not.toBeNull();
    expect(openPrompt(stateAfter(hook, screen({ composer: "hidden" })))).not.toBeNull();
  });

  it("of a hook are not closed by a screen from before the dialog was drawn", () => {
    expect(openPrompt(stateAfter(hook, screen({})))).not.toBeNull();
    expect(openPrompt(stateAfter(hook, { ...screen({}), at: 60_000 }))).toBeNull();
  });

  it("count from when they were first seen", () => {
    expect(openPrompt(stateAfter(dialog, dialog, dialog))?.at).toBe(0);
  });

  it("include calls that ask the user, until they end", () => {
    expect(openPrompt(stateAfter(ask("a")))).toMatchObject({ prompt: "input", question: "Which port?" });
    expect(openPrompt(stateAfter(ask("a", "plan")))).toMatchObject({ prompt: "plan" });
    expect(openPrompt(stateAfter(ask("a"), { kind: "tool_end", source: "stream", id: "a", ok: true }))).toBeNull();
  });

  it("are bounded for any number of asking calls", () => {
    expect(stateAfter(...Array.from({ length: 99 }, (_, i) => ask(`q${i}`))).asked.size).toBe(8);
  });

  it("are remembered as left open at the exit, and no longer shown", () => {
    const prompts = stateAfter(hook, { kind: "exit", source: "process", code: 1, signal: null });
    expect([openPrompt(prompts), prompts.leftOpen]).toEqual([null, true]);
  });
});
