import { describe, expect, it } from "vitest";
import { programOf } from "./process.js";

const ROWS: [string, string | null][] = [
  ["claude", "claude-code"],
  ["/home/ann/.local/bin/claude --resume 7", "claude-code"],
  ["node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -p hello", "claude-code"],
  ["node --max-old-space-size=8192 /usr/bin/gemini", "gemini"],
  ["/opt/node/bin/node -r /x/hook.js /usr/bin/codex exec task", "codex"],
  ["node /usr/lib/node_modules/@openai/codex/bin/codex.js", "codex"],
  ["/x/vendor/x86_64-unknown-linux-musl/codex/codex resume --last", "codex"],
  ["bun run /usr/bin/opencode", "opencode"],
  ["opencode run hello", "opencode"],
  ["goose session --resume", "goose"],
  ["goose run -t hello", "goose"],
  ["goose configure", null],
  ["goose up", null],
  ["codex app-server", null],
  ["codex mcp-server", null],
  ["claude mcp serve", null],
  ["claude --debug mcp", null],
  ["claude agents", null],
  ["claude logs 4a5f578d", null],
  ["claude attach 4a5f578d", "claude-code"],
  ["opencode serve --port 1", null],
  ["vim claude", null],
  ["bash -c claude", null],
  ["tmux new-session claude", null],
  ["node /usr/bin/rouse run -- claude", null],
  ["node -e claude", null],
  ["node --test claude", null],
  ["grep -r codex", null],
  ["claude-notes", null],
  ["", null],
];

describe("programOf", () => {
  it.each(ROWS)("reads %j as %s", (words, kind) => {
    expect(programOf(words === "" ? [] : words.split(" "))).toBe(kind);
  });

  it("takes a session in the background for an agent, and the process that holds its terminal for none", () => {
    const exe = "/home/ann/.local/share/claude/versions/2.1.325";
    expect(programOf(["claude bg-spare", "--bg-spare", "/tmp/cc/a.sock"], exe)).toBe("claude-code");
    expect(programOf(["claude bg-pty-host", "--bg-pty-host", "/tmp/cc/a.sock", "200", "50"], exe)).toBe(null);
  });

  it("recognises a release that is started by its version number", () => {
    expect(programOf(["2.1.325"], "/home/ann/.local/share/claude/versions/2.1.325")).toBe("claude-code");
  });
});
