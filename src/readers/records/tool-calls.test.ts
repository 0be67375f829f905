import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../../core/signal.js";
import { ToolCalls } from "./tool-calls.js";

const origin = { at: 1000, source: "transcript" as const };
const shell = (id: string, command = "make", description = "Build") => ({
  id,
  tool: "Bash",
  args: { command, description },
});
const fields = (signals: Signal[], name: string) => signals.map((s) => (s as unknown as Record<string, unknown>)[name]);

describe("ToolCalls", () => {
  it("starts and ends each call once, and ends none that never started", () => {
    const calls = new ToolCalls();
    const reported = [
      ...calls.end(origin, shell("a"), { ok: true, text: "early" }),
      ...calls.start(origin, shell("a")),
      ...calls.start(origin, shell("a")),
      ...calls.end(origin, shell("a"), { ok: true, text: "x" }),
      ...calls.end(origin, shell("a"), { ok: true, text: "y" }),
    ];
    expect(reported.map(({ kind }) => kind)).toEqual(["tool_start", "tool_end"]);
    expect(calls.isOpen("a")).toBe(false);
  });

  it("recognises a repeated call by its effect, not by its description or the order of its arguments", () => {
    const calls = new ToolCalls();
    const reported = [
      shell("a"),
      shell("b", "make", "Once more"),
      { id: "c", tool: "Bash", args: { description: "", command: "make" } },
      shell("d", "make test"),
    ].flatMap((call) => calls.start(origin, call));
    const [a, b, c, d] = fields(reported, "call");
    expect([b, c]).toEqual([a, a]);
    expect(d).not.toBe(a);
  });

  it("keeps a prompt open as long as its question is open", () => {
    const calls = new ToolCalls();
    const ask = { id: "q", tool: "AskUserQuestion", args: { questions: [{ question: "Which one?" }] } };
    const reported = [...calls.start(origin, ask), ...calls.end(origin, ask, { ok: true, text: "the first" })];
    expect(reported).toMatchObject([
      { kind: "tool_start", class: "question" },
      { kind: "prompt", open: true, prompt: "input", question: "Which one?" },
      { kind: "tool_end" },
      { kind: "prompt", open: false },
    ]);
  });

  it("names the error of a failure only, with the outage that caused it", () => {
    const calls = new ToolCalls();
    const end = (id: string, ok: boolean) => {
      calls.start(origin, shell(id));
      return calls.end(origin, shell(id), { ok, text: "connect ECONNREFUSED 127.0.0.1:5432" })[0];
    };
    expect(end("a", false)).toMatchObject({ infra: "refused", error: expect.any(String) });
    expect(end("b", true)).not.toHaveProperty("infra");
  });

  it("stays bounded and never throws for any arguments and results", () => {
    fc.assert(
      fc.property(fc.string(), fc.anything(), fc.string(), (tool, args, text) => {
        const calls = new ToolCalls();
        const call = { id: "x", tool, args };
        const reported = [...calls.start(origin, call), ...calls.end(origin, call, { ok: false, text })];
        for (const preview of fields(reported, "preview")) {
          expect(typeof preview === "string" ? preview.length : 0).toBeLessThanOrEqual(200);
        }
      }),
    );
  });
});
