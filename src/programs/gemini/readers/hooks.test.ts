import { describe, expect, it } from "vitest";
import { createEvidence, takeSignal } from "../../../core/judgement/evidence/evidence.js";
import { createLoop, loopVerdict, takeLoop } from "../../../core/judgement/evidence/loop.js";
import type { Signal } from "../../../core/signal.js";
import { parseSignal } from "../../../readers/signal-schema.js";
import { GeminiHookReader } from "./hooks.js";

const AT = 1_800_000_000_000;

/** Payloads as Gemini CLI 0.61.0 sends them. */
const payload = (event: string, more: object = {}, second = 0): object => ({
  session_id: "2f016dc6-653a-40b1-aea1-2e47f1f766c6",
  transcript_path: "/h/.gemini/tmp/proj/chats/session-2026-11-15T08-28-2f016dc6.jsonl",
  cwd: "/w/proj",
  hook_event_name: event,
  timestamp: new Date(AT + second * 1000).toISOString(),
  ...more,
});
const SHELL = { tool_name: "run_shell_command", tool_input: { command: "echo hi; ls /no", description: "say hi" } };
const READ = { tool_name: "read_file", tool_input: { file_path: "/w/proj/nope.txt" } };
const FAILED = {
  tool_response: {
    llmContent:
      "<untrusted_context>\nOutput: hi\nls: cannot access '/no'\nExit Code: 2\nProcess Group PGID: 1\n</untrusted_context>",
    returnDisplay: "hi",
  },
};
const MISSING = {
  tool_response: {
    llmContent: "Could not read file because no file was found at the specified path.",
    returnDisplay: "File not found.",
    error: { message: "File not found: /w/proj/nope.txt", type: "file_not_found" },
  },
};
const ASKED = {
  notification_type: "ToolPermission",
  message: "Tool Confirm Shell Command requires execution",
  details: { type: "exec", title: "Confirm Shell Command", command: "echo hi; ls /no", rootCommand: "echo, ls" },
};

function report(payloads: readonly object[], reader = new GeminiHookReader()): Signal[] {
  const signals = payloads.flatMap((each, i) => reader.read(each, AT + i));
  for (const signal of signals) expect(parseSignal(signal)).toEqual(signal);
  return signals;
}

const kinds = (signals: readonly Signal[]): string[] =>
  signals.map((signal) => {
    if (signal.kind === "turn") return `turn ${signal.phase}`;
    return signal.kind === "prompt" ? `prompt ${signal.open ? signal.prompt : "closed"}` : signal.kind;
  });

describe("GeminiHookReader", () => {
  it("reports a turn from its prompt to its answer", () => {
    const signals = report([
      payload("SessionStart", { source: "startup" }),
      payload("BeforeAgent", { prompt: "hi there" }),
      payload("PreCompress", { trigger: "auto" }),
      payload("AfterAgent", { prompt: "hi there", prompt_response: "Shall I go on?", stop_hook_active: false }),
      payload("SessionEnd", { reason: "exit" }),
    ]);
    expect(kinds(signals)).toEqual(["session", "turn start", "message", "request", "message", "turn end", "status"]);
    expect(signals[0]).toMatchObject({ id: "2f016dc6-653a-40b1-aea1-2e47f1f766c6", cwd: "/w/proj", source: "hook" });
    expect(signals[1]).toMatchObject({ byUser: true });
    expect(signals[4]).toMatchObject({ role: "assistant", closing: "question" });
  });

  it("pairs calls by tool and arguments, because they have no ids", () => {
    const signals = report([
      payload("BeforeAgent", { prompt: "x" }),
      payload("BeforeTool", SHELL),
      payload("BeforeTool", READ),
      payload("AfterTool", { ...READ, ...MISSING }),
      payload("AfterTool", { ...SHELL, ...FAILED }),
    ]);
    const tools = signals.filter(({ kind }) => kind.startsWith("tool_")) as Extract<Signal, { id: string }>[];
    expect(tools).toMatchObject([
      { kind: "tool_start", tool: "run_shell_command", class: "shell", edgeOnly: true },
      { kind: "tool_start", tool: "read_file", edgeOnly: true },
      { kind: "tool_end", ok: false, edgeOnly: true },
      { kind: "tool_end", ok: false, edgeOnly: true },
    ]);
    expect(tools.map(({ id }) => id)).toEqual([tools[0]?.id, tools[1]?.id, tools[1]?.id, tools[0]?.id]);
  });

  it("distinguishes equal calls that run at the same time", () => {
    const signals = report([
      payload("BeforeTool", READ),
      payload("BeforeTool", READ),
      payload("AfterTool", { ...READ, ...MISSING }),
      payload("AfterTool", { ...READ, ...MISSING }),
    ]);
    const ids = (kind: string) => signals.flatMap((s) => (s.kind === kind && "id" in s ? [s.id] : []));
    expect(new Set(ids("tool_start")).size).toBe(2);
    expect(ids("tool_end")).toEqual(ids("tool_start"));
  });

  it("opens a question until its own call ends", () => {
    const signals = report([
      payload("BeforeAgent", { prompt: "x" }),
      payload("BeforeTool", SHELL),
      payload("BeforeTool", READ),
      payload("Notification", ASKED),
      payload("AfterTool", { ...READ, ...MISSING }),
      payload("AfterTool", { ...SHELL, ...FAILED }),
    ]);
    expect(kinds(signals.slice(3))).toEqual([
      "tool_start",
      "tool_start",
      "prompt permission",
      "tool_end",
      "prompt closed",
      "tool_end",
    ]);
    expect(signals.find(({ kind }) => kind === "prompt")).toMatchObject({
      question: "Tool Confirm Shell Command requires execution: echo hi; ls /no",
    });
  });

  it("treats a call as refused if its question was open and it has not ended at the next request", () => {
    const signals = report([
      payload("BeforeAgent", { prompt: "x" }),
      payload("BeforeTool", SHELL),
      payload("Notification", ASKED),
      payload("PreCompress", { trigger: "auto" }),
    ]);
    expect(kinds(signals.slice(-3))).toEqual(["prompt closed", "tool_end", "request"]);
    expect(signals.find(({ kind }) => kind === "tool_end")).toMatchObject({ refused: true });
  });

  it("keeps a tool open while its subagent asks the model", () => {
    const signals = report([
      payload("BeforeAgent", { prompt: "x" }),
      payload("BeforeTool", { tool_name: "codebase_investigator", tool_input: { objective: "look" } }),
      payload("PreCompress", { trigger: "auto" }),
    ]);
    expect(kinds(signals)).not.toContain("tool_end");
  });

  it("does not report a compaction on PreCompress, which comes before each request", () => {
    const signals = report([payload("BeforeAgent", { prompt: "x" }), payload("PreCompress", { trigger: "auto" })]);
    expect(kinds(signals)).not.toContain("compaction");
  });

  it.each([
    ["ask_user", "prompt input"],
    ["exit_plan_mode", "prompt plan"],
    ["edit", "prompt permission"],
  ])("reports the question of %s", (type, kind) => {
    const details = { type, fileName: "a.ts" };
    expect(kinds(report([payload("Notification", { ...ASKED, details })]))).toEqual(["session", kind]);
  });

  it("counts unknown hooks, and ignores hooks that it did not register", () => {
    const reader = new GeminiHookReader();
    report(
      [payload("Nonsense"), payload("AfterModel"), payload("Notification", { notification_type: "Other" })],
      reader,
    );
    expect([...reader.skipped]).toEqual([
      ["Nonsense", 1],
      ["Notification/Other", 1],
    ]);
  });

  it("drops calls that never end, the oldest first", () => {
    const reader = new GeminiHookReader();
    for (let i = 0; i < 1000; i++)
      report([payload("BeforeTool", { ...READ, tool_input: { file_path: `/f${i}` } }, i)], reader);
    expect(report([payload("AfterTool", { ...READ, tool_input: { file_path: "/f0" }, ...MISSING })], reader)).toEqual(
      [],
    );
    expect(
      kinds(report([payload("AfterTool", { ...READ, tool_input: { file_path: "/f999" }, ...MISSING })], reader)),
    ).toEqual(["tool_end"]);
  });
});

describe("edges of calls that another source also reports", () => {
  it("show a running tool, and do not count towards a loop", () => {
    const reader = new GeminiHookReader();
    const loop = createLoop();
    const evidence = createEvidence();
    for (let i = 0; i < 30; i++) {
      const rounds = [payload("BeforeTool", READ, i), payload("AfterTool", { ...READ, ...MISSING }, i)];
      for (const signal of report(rounds, reader)) takeLoop(loop, signal);
    }
    expect(loopVerdict(loop, AT)).toBeNull();
    for (const signal of report([payload("BeforeTool", SHELL)])) takeSignal(evidence, signal);
    expect([...evidence.tools.open.values()]).toMatchObject([{ tool: "run_shell_command" }]);
  });
});
