import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOOL_CLASSES } from "../../core/signal.js";
import { classifyTool } from "./tools.js";

describe("classifyTool", () => {
  it.each<[string, unknown, string]>([
    // Claude Code
    ["Read", { file_path: "/a.ts" }, "instant"],
    ["Glob", { pattern: "**/*.ts" }, "instant"],
    ["Grep", { pattern: "x" }, "instant"],
    ["LS", { path: "/" }, "instant"],
    ["TodoWrite", { todos: [] }, "instant"],
    ["Edit", { file_path: "/a.ts", old_string: "a", new_string: "b" }, "edit"],
    ["MultiEdit", { file_path: "/a.ts", edits: [] }, "edit"],
    ["Write", { file_path: "/a.ts", content: "x" }, "edit"],
    ["NotebookEdit", { notebook_path: "/a.ipynb", new_source: "x" }, "edit"],
    ["Bash", { command: "ls" }, "shell"],
    ["Bash", { command: "npm test" }, "test"],
    ["BashOutput", { bash_id: "1" }, "background"],
    ["TaskOutput", { task_id: "1", block: true, timeout: 30000 }, "background"],
    ["Task", { description: "look", prompt: "…" }, "subagent"],
    ["Agent", { description: "look", prompt: "…" }, "subagent"],
    ["WebFetch", { url: "https://example.com" }, "web"],
    ["WebSearch", { query: "x" }, "web"],
    ["AskUserQuestion", { questions: [] }, "question"],
    ["ExitPlanMode", { plan: "…" }, "plan"],
    ["mcp__github__create_issue", {}, "mcp"],
    // Codex
    ["shell", { command: ["bash", "-lc", "pytest -q"] }, "test"],
    ["shell_command", '{"command":"ls"}', "shell"],
    ["exec_command", '{"cmd":"npm run dev","yield_time_ms":1000}', "endless"],
    ["local_shell_call", { action: { type: "exec", command: ["sleep", "5"] } }, "sleep"],
    ["write_stdin", '{"session_id":3,"chars":""}', "background"],
    ["wait", {}, "background"],
    ["apply_patch", "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch", "edit"],
    ["update_plan", {}, "instant"],
    ["request_user_input", {}, "question"],
    ["web_search", { q: "x" }, "web"],
    ["view_image", { path: "a.png" }, "instant"],
    ["spawn_agent", {}, "subagent"],
    ["shell", { command: ["bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF"] }, "edit"],
    // Gemini CLI and Qwen Code
    ["read_file", { absolute_path: "/a" }, "instant"],
    ["read_many_files", { paths: ["a"] }, "instant"],
    ["run_shell_command", { command: "vim a" }, "interactive"],
    ["replace", { file_path: "/a", old_string: "a", new_string: "b" }, "edit"],
    ["write_file", { file_path: "/a", content: "x" }, "edit"],
    ["search_file_content", { pattern: "x" }, "instant"],
    ["grep_search", { pattern: "x" }, "instant"],
    ["list_directory", { path: "/" }, "instant"],
    ["google_web_search", { query: "x" }, "web"],
    ["web_fetch", { prompt: "x" }, "web"],
    ["save_memory", { fact: "x" }, "instant"],
    ["ask_user", {}, "question"],
    ["exit_plan_mode", {}, "plan"],
    ["github__list_issues", {}, "mcp"],
    // OpenCode
    ["read", { filePath: "/a" }, "instant"],
    ["edit", { filePath: "/a", oldString: "a", newString: "b" }, "edit"],
    ["bash", { command: "make" }, "build"],
    ["list", { path: "/" }, "instant"],
    ["webfetch", { url: "x" }, "web"],
    ["task", { prompt: "x" }, "subagent"],
    ["question", {}, "question"],
    ["patch", { patchText: "*** Begin Patch" }, "edit"],
    // Others
    ["execute_command", { command: "ls" }, "shell"],
    ["str_replace_based_edit_tool", { command: "view", path: "/a" }, "instant"],
    ["str_replace_based_edit_tool", { command: "str_replace", path: "/a", old_str: "a", new_str: "b" }, "edit"],
    ["ask_followup_question", {}, "question"],
    ["ScheduleWakeup", { delaySeconds: 270 }, "sleep"],
    ["browser_click", { index: 1 }, "web"],
    ["summon_unicorn", { colour: "pink" }, "other"],
    ["", undefined, "other"],
    ["Bash", undefined, "shell"],
    ["Bash", { command: 5 }, "shell"],
    ["constructor", {}, "other"],
    ["__proto__", {}, "mcp"],
  ])("calls %s %j %s", (name, args, expected) => {
    expect(classifyTool(name, args).class).toBe(expected);
  });

  it.each<[string, unknown, number | undefined]>([
    ["Bash", { command: "npm test", timeout: 300_000 }, 300_000],
    ["Bash", { command: "npm test" }, undefined],
    ["Bash", { command: "timeout 60 npm test", timeout: 300_000 }, 60_000],
    ["Bash", { command: "sleep 500", timeout: 120_000 }, 120_000],
    ["exec_command", '{"cmd":"npm test","yield_time_ms":60000}', 60_000],
    ["shell", { command: ["pytest"], timeout_ms: 120_000 }, 120_000],
    ["write_stdin", { chars: "", yield_time_ms: 30_000 }, 30_000],
    ["TaskOutput", { task_id: "1", timeout: 600_000 }, 600_000],
    ["execute_command", { command: "ls", timeout: 30 }, 30_000],
    ["ScheduleWakeup", { delaySeconds: 270 }, 270_000],
    ["Bash", { command: "ls", timeout: -5 }, undefined],
    ["Bash", { command: "ls", timeout: {} }, undefined],
    ["Bash", { command: "ls", timeout: "x" }, undefined],
  ])("reads the time-out of %s %j", (name, args, expected) => {
    expect(classifyTool(name, args).timeoutMs).toBe(expected);
  });

  it("recognises calls that continue in the background", () => {
    expect(classifyTool("Bash", { command: "npm run dev", run_in_background: true }).background).toBe(true);
    expect(classifyTool("run_shell_command", { command: "npm run dev", is_background: true }).background).toBe(true);
    expect(classifyTool("Bash", { command: "npm run dev &" })).toMatchObject({ class: "shell", background: true });
    expect(classifyTool("Agent", { prompt: "x", run_in_background: true }).background).toBe(true);
    expect(classifyTool("Bash", { command: "npm run dev" }).background).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ["Read", { file_path: "/src/a.ts" }, "/src/a.ts"],
    ["Bash", { command: "cd x && npm test" }, "npm test"],
    ["WebFetch", { url: "https://example.com/a", prompt: "p" }, "https://example.com/a"],
    ["mcp__db__query", { sql: "x" }, "mcp__db__query"],
    ["apply_patch", { input: "*** Begin Patch\n*** Add File: new.py\n+x\n*** End Patch" }, "new.py"],
  ])("names the subject of %s %j", (name, args, subject) => {
    expect(classifyTool(name, args).subject).toBe(subject);
  });

  describe("edits", () => {
    const edit = (before: string, after: string, path = "/a.ts") =>
      classifyTool("Edit", { file_path: path, old_string: before, new_string: after });
    const patch = (before: string, after: string) =>
      classifyTool(
        "apply_patch",
        `*** Begin Patch\n*** Update File: a.py\n@@\n context\n-${before}\n+${after}\n*** End Patch`,
      );

    it("gives an edit and its undo the same effect, with different resulting states", () => {
      for (const make of [edit, patch]) {
        expect(make("a", "b").effect).toBe(make("b", "a").effect);
        expect(make("a", "b").after).not.toBe(make("b", "a").after);
        expect(make("a", "b").effect).not.toBe(make("a", "c").effect);
      }
    });

    it("distinguishes the same edit in two files", () => {
      expect(edit("a", "b").effect).not.toBe(edit("a", "b", "/b.ts").effect);
      expect(edit("a", "b").after).not.toBe(edit("a", "b", "/b.ts").after);
    });

    it("reads the argument names of every program alike", () => {
      const open = classifyTool("edit", { filePath: "/a.ts", oldString: "a", newString: "b" });
      expect(open.effect).toBe(edit("a", "b").effect);
    });

    it("uses a written file's content as the resulting state", () => {
      const write = (content: string) => classifyTool("Write", { file_path: "/a.ts", content });
      expect(write("x").after).toBe(write("x").after);
      expect(write("x").after).not.toBe(write("y").after);
    });

    it("reads several edits of one call, and a unified diff", () => {
      const many = classifyTool("MultiEdit", {
        file_path: "/a",
        edits: [
          { old_string: "a", new_string: "b" },
          { old_string: "c", new_string: "d" },
        ],
      });
      expect(many.effect).toBeTypeOf("string");
      const diff = classifyTool("apply_diff", { diff: "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-int a;\n+int b;\n" });
      expect(diff).toMatchObject({ class: "edit", subject: "x.c" });
    });
  });

  it("never throws for any arguments", () => {
    const tools = fc.constantFrom(
      "Bash",
      "Edit",
      "apply_patch",
      "exec_command",
      "Write",
      "MultiEdit",
      "mcp__a__b",
      "wait",
    );
    fc.assert(
      fc.property(fc.oneof(tools, fc.string()), fc.anything(), (name, args) => {
        expect(TOOL_CLASSES).toContain(classifyTool(name, args).class);
      }),
      { numRuns: 500 },
    );
  });
});
