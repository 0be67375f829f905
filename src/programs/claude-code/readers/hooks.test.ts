import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { ClaudeHookReader } from "./hooks.js";

const AT = Date.UTC(2030, 0, 2, 12, 0);

function read(payloads: unknown[], reader = new ClaudeHookReader()): Signal[] {
  return payloads
    .flatMap((payload, i) => reader.read(payload, AT + i * 1000))
    .filter((signal) => signal.kind !== "session");
}

const hook = (name: string, more = {}) => ({ hook_event_name: name, session_id: "s-1", cwd: "/w", ...more });
const bash = { tool_name: "Bash", tool_input: { command: "make", description: "Build" }, tool_use_id: "t1" };

describe("ClaudeHookReader", () => {
  it("reports the start and the end of a turn", () => {
    const signals = read([
      hook("SessionStart", { source: "startup", model: "m" }),
      hook("UserPromptSubmit", { prompt: "Mend it", permission_mode: "default" }),
      hook("PreToolUse", bash),
      hook("PostToolUse", { ...bash, tool_response: { stdout: "built", stderr: "", interrupted: false } }),
      hook("Stop", { last_assistant_message: "Which of the two do you want?", background_tasks: [{ id: "b1" }] }),
    ]);
    expect(signals.map((signal) => signal.kind)).toEqual([
      "turn",
      "message",
      "tool_start",
      "tool_end",
      "message",
      "turn",
    ]);
    expect(signals[4]).toMatchObject({ role: "assistant", closing: "question" });
    expect(signals[5]).toMatchObject({ phase: "end", background: 1 });
  });

  it("keeps a permission open until its own tool ends, and asks once", () => {
    const other = { tool_name: "Read", tool_input: { file_path: "/w/a" }, tool_use_id: "t2" };
    const signals = read([
      hook("PreToolUse", bash),
      hook("PreToolUse", other),
      hook("PermissionRequest", { tool_name: bash.tool_name, tool_input: bash.tool_input }),
      hook("Notification", { notification_type: "permission_prompt", message: "Claude needs your permission" }),
      hook("PostToolUse", { ...other, tool_response: "text" }),
      hook("PostToolUse", { ...bash, tool_response: "ok" }),
    ]).filter((signal) => signal.kind === "prompt");
    expect(signals).toMatchObject([
      { open: true, prompt: "permission", question: "Bash make", at: AT + 2000 },
      { open: false, at: AT + 5000 },
    ]);
  });

  it("does not call a question tool a permission", () => {
    const ask = {
      tool_name: "AskUserQuestion",
      tool_input: { questions: [{ question: "Red or blue?" }] },
      tool_use_id: "q1",
    };
    const prompts = read([
      hook("PreToolUse", ask),
      hook("PermissionRequest", ask),
      hook("Notification", { notification_type: "permission_prompt" }),
    ]).filter((signal) => signal.kind === "prompt");
    expect(prompts).toMatchObject([{ open: true, prompt: "input", question: "Red or blue?" }]);
  });

  it.each([
    ["permission", { message: "Claude needs your permission to use Bash" }],
    ["input", { notification_type: "elicitation_dialog", message: "which?" }],
  ])("opens a %s prompt from a notice", (prompt, more) => {
    expect(read([hook("Notification", more)])).toMatchObject([{ kind: "prompt", open: true, prompt }]);
  });

  it("reads the idle notice as idle", () => {
    expect(read([hook("Notification", { message: "Claude is waiting for your input" })])).toMatchObject([
      { kind: "status", status: "idle" },
    ]);
    expect(read([hook("Notification", { notification_type: "auth_success" })])).toEqual([]);
  });

  it("does not take the question of a background session for its own", () => {
    const reader = new ClaudeHookReader();
    const message = "mend the test needs your input: approve Bash: make";
    expect(read([hook("Notification", { notification_type: "agent_needs_input", message })], reader)).toEqual([]);
    expect([...reader.skipped]).toEqual([]);
  });

  it("ends a failed turn with its cause", () => {
    const signals = read([
      hook("UserPromptSubmit", { prompt: "go" }),
      hook("StopFailure", {
        error: "rate_limit",
        last_assistant_message: "You've hit your 5-hour limit · resets 4:57pm (UTC)",
      }),
    ]);
    expect(signals.slice(2)).toMatchObject([
      { kind: "limit", level: "hit", until: Date.UTC(2030, 0, 2, 16, 57) },
      { kind: "turn", phase: "end" },
    ]);
  });

  it("distinguishes a user's quit from another end", () => {
    expect(read([hook("SessionEnd", { reason: "prompt_input_exit" })])).toMatchObject([
      { kind: "input", quits: true },
      { kind: "status", status: "clear" },
    ]);
    expect(read([hook("SessionEnd", { reason: "other" })])).toMatchObject([{ kind: "status", status: "clear" }]);
  });

  it("counts the calls of a subagent as liveness only", () => {
    const own = { ...bash, agent_id: "a1" };
    expect(
      read([hook("PreToolUse", own), hook("PostToolUse", own), hook("SubagentStop")]).map((signal) => signal.kind),
    ).toEqual(["delta", "delta", "delta"]);
  });

  it("follows a compaction, a failure of a tool, and a notice that starts a turn", () => {
    expect(read([hook("PreCompact"), hook("SessionStart", { source: "compact" })])).toMatchObject([
      { phase: "start" },
      { phase: "end" },
    ]);
    expect(
      read([
        hook("PreToolUse", bash),
        hook("PostToolUseFailure", { ...bash, error: "Exit code 1\nmissing", is_interrupt: true }),
      ]).at(-1),
    ).toMatchObject({
      ok: false,
      interrupted: true,
    });
    expect(
      read([hook("UserPromptSubmit", { prompt: "<task-notification>done</task-notification>" })])[0],
    ).toMatchObject({ byUser: false });
  });

  it("counts unknown hooks", () => {
    const reader = new ClaudeHookReader();
    read([hook("Dream"), hook("PostToolBatch"), {}], reader);
    expect([...reader.skipped]).toEqual([
      ["Dream", 1],
      ["", 1],
    ]);
  });
});
