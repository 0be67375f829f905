/** Real rows of problems, cut from the recordings; and a few of our own for texts that no recording shows. */
import { join } from "node:path";
import { type Line, OWN_CASES, screenAt, textOf } from "../support/recordings.js";

export interface Specimen {
  name: string;
  lines: Line[];
}

/** Which rows of which screen: case, second, first and last row. */
const RECORDED: readonly (readonly [name: string, folder: string, t: number, from: number, to: number])[] = [
  ["claude permission", "claude/permission", 60, 19, 32],
  ["claude options only", "claude/permission", 60, 27, 32],
  ["claude question", "claude/ask-tool", 60, 15, 28],
  ["claude trust", "claude/trust-dialog", 20, 1, 16],
  ["claude 401 retry", "claude/auth-401-mid", 40, 34, 34],
  ["claude 529 retry", "claude/overloaded-529", 5.5, 34, 34],
  ["claude 529 given up", "claude/overloaded-529", 100, 14, 15],
  ["claude limit row", "claude/usage-limit", 40, 13, 13],
  ["claude limit note", "claude/usage-limit", 40, 15, 15],
  ["claude limit foot", "claude/usage-limit", 40, 37, 38],
  ["codex permission", "codex/permission", 60, 26, 39],
  ["codex limit", "codex/usage-limit", 40, 15, 16],
  ["codex unreachable", "codex/conn-refused", 60, 31, 33],
  ["gemini loop dialog", "gemini/loop-identical", 60, 30, 38],
  ["gemini permission", "gemini/permission", 60, 15, 25],
  ["gemini trust", "gemini/trust-dialog", 20, 9, 22],
  ["opencode permission", "opencode/permission", 60, 30, 38],
  ["opencode limit", "opencode/usage-limit", 60, 38, 38],
];

const RED = "\u001b[38;2;255;107;128m";
const WRITTEN: readonly (readonly [name: string, rows: readonly string[]])[] = [
  ["gemini error", ["✕ [API Error: 401 the key that was given is not valid]"]],
  ["gemini retry", [" ⠙ Trying to reach gemini-pro (Attempt 3/10) (esc to cancel, 12s)"]],
  ["gemini quota", ["⚡ You have reached your daily quota for this model."]],
  [
    "codex dropped stream",
    ["• Reconnecting... 3/5 (12s • esc to interrupt)", "  └ Stream disconnected before completion"],
  ],
  ["opencode error", ["  ┃", "  ┃  Unauthorized: the credentials have expired", "  ┃"]],
  [
    "claude login",
    ["Select login method:", "", " ❯ 1. Account with subscription", "   2. Console account", "", " Enter to confirm"],
  ],
  ["credit", ["  ⎿  Credit balance is too low"]],
];

export async function specimens(): Promise<Specimen[]> {
  const all: Specimen[] = [];
  for (const [name, folder, t, from, to] of RECORDED) {
    all.push({ name, lines: (await screenAt(join(OWN_CASES, folder), t)).slice(from, to + 1) });
  }
  for (const { name, lines } of all.slice()) {
    if (!/retry|given up|limit|unreachable/.test(name)) continue;
    const words = lines.map(textOf).map((text) => text.replace(/^[^\p{L}\p{N}]+/u, ""));
    all.push({
      name: `${name}, its words`,
      lines: words.map((text, i) => [{ sgr: lines[i]?.at(-1)?.sgr ?? "", text }]),
    });
  }
  for (const [name, rows] of WRITTEN) all.push({ name, lines: rows.map((text) => [{ sgr: RED, text }]) });
  return all;
}
