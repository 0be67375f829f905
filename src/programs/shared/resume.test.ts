import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileFor } from "../registry.js";
import { resumeCommand } from "./resume.js";

const ID = "0199a213-81c0-7800-8aa1-bbab2a035a53";
const resumed = (kind: string, ...began: string[]): unknown => {
  const resume = resumeCommand(profileFor(kind), began, ID, "go on");
  return resume.command ?? resume.reason;
};

describe("resumeCommand", () => {
  it.each([
    ["claude-code", ["/usr/bin/claude", "fix it"], ["/usr/bin/claude", "--resume", ID]],
    [
      "claude-code",
      ["claude", "--model", "opus", "--allowedTools", "Read", "Bash(git *)", "--dangerously-skip-permissions", "fix"],
      [
        "claude",
        "--model",
        "opus",
        "--allowedTools",
        "Read",
        "Bash(git *)",
        "--dangerously-skip-permissions",
        "--resume",
        ID,
      ],
    ],
    ["claude-code", ["claude", "-r", "old", "--model=opus"], ["claude", "--model=opus", "--resume", ID]],
    [
      "claude-code",
      ["claude", "-p", "--output-format", "stream-json", "--verbose", "fix it"],
      ["claude", "--output-format", "stream-json", "--verbose", "-p", "--resume", ID, "go on"],
    ],
    ["codex", ["codex", "-s", "read-only", "fix it"], ["codex", "-s", "read-only", "resume", ID]],
    ["codex", ["codex", "exec", "--json", "fix it"], ["codex", "exec", "--json", "resume", ID, "go on"]],
    ["gemini", ["gemini", "-y", "-p", "fix it"], ["gemini", "-y", "-r", ID, "-p", "go on"]],
    ["opencode", ["opencode", "run", "-m", "a/b", "fix"], ["opencode", "run", "-m", "a/b", "-s", ID, "go on"]],
    ["goose", ["goose"], ["goose", "session", "--resume", "--session-id", ID]],
    [
      "goose",
      ["goose", "session", "--debug", "-n", "tests"],
      ["goose", "session", "--debug", "--resume", "--session-id", ID],
    ],
    [
      "goose",
      ["goose", "run", "--output-format", "stream-json", "-t", "fix it"],
      ["goose", "run", "--output-format", "stream-json", "--resume", "--session-id", ID, "--text", "go on"],
    ],
    ["claude-code", ["claude", "--", "--model", "is a word here"], ["claude", "--resume", ID]],
  ])("%s: %j", (kind, began, command) => {
    expect(resumed(kind, ...began)).toEqual(command);
  });

  it.each([
    ["a wrapper, which may be a sandbox", "claude-code", ["bwrap", "--ro-bind", "/", "/", "claude"]],
    ["an unknown option", "claude-code", ["claude", "--sandbox-all"]],
    ["a program without a profile", "generic", ["sh", "x.sh"]],
  ])("refuses %s", (_, kind, began) => {
    expect(resumed(kind, ...began)).toEqual(expect.any(String));
  });

  it("refuses an id that is an option, a path or empty", () => {
    for (const id of ["--dangerously-skip-permissions", "../x", "", "a b", "a;", null]) {
      expect(resumeCommand(profileFor("claude-code"), ["claude"], id, "x").command).toBeNull();
    }
  });

  it("never adds an option to those of the original command", () => {
    const words = fc.constantFrom("--model", "opus", "-p", "--resume", "--yolo", "-x", "--", "-", "--model=x", "fix");
    fc.assert(
      fc.property(fc.array(words), (args) => {
        const { command } = resumeCommand(profileFor("claude-code"), ["claude", ...args], ID, "go on");
        const allowed = new Set([...args, "-p", "--resume", ID, "go on", "claude", ""]);
        expect(command?.every((word) => allowed.has(word)) ?? true).toBe(true);
      }),
    );
  });
});
