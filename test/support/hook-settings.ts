/** A home for each test, with settings of agent programs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type HookPlan, planHooks } from "../../src/setup/hooks-install.js";

export let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-init-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

export const FILES = {
  "claude-code": ".claude/settings.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
} as const;

type Program = keyof typeof FILES;

export function put(program: Program, text: string): string {
  const path = join(home, FILES[program]);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export const plan = (program: Program, more: { remove?: boolean; command?: string[] } = {}): HookPlan =>
  planHooks(program, { command: ["rouse"], env: { HOME: home }, ...more });

export const CLAUDE = `{
  // My settings.
  "model": "opus", /* dear */
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] } // tells me
    ],
    "PreToolUse": []
  },
  "theme": "dark"
}
`;
