import { describe, expect, it } from "vitest";
import { isPoll } from "./poll.js";

describe("isPoll", () => {
  it.each([
    ["bash", { command: "sleep 30; gh run view" }],
    ["bash", { command: "curl -s x && sleep 5" }],
    ["execute_bash", { command: "" }],
    ["shell", { cmd: "  " }],
    ["check_background_agent", { id: 1 }],
    ["getTaskStatus", {}],
    ["mcp__ci__job_status", {}],
    ["TaskOutput", {}],
    ["process", { action: "poll" }],
    ["wait_for_build", {}],
  ])("is true for %s %j", (tool, args) => {
    expect(isPoll(tool, args)).toBe(true);
  });

  it.each([
    ["bash", { command: "ls" }],
    ["bash", { command: "grep sleep a.py" }],
    ["git_status", {}],
    ["read", { path: "status.txt" }],
    ["task", { prompt: "x" }],
    ["run_command", { command: "npm test" }],
    ["check_syntax", {}],
    ["exec", null],
    ["", 7],
  ])("is false for %s %j", (tool, args) => {
    expect(isPoll(tool, args)).toBe(false);
  });
});
