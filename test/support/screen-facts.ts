/** The facts of one screen, written as rows. */
import { profileFor } from "../../src/programs/registry.js";
import { compileProfile } from "../../src/readers/terminal/compiled.js";
import { readFacts } from "../../src/readers/terminal/facts.js";
import { rowOf } from "../../src/readers/terminal/row.js";
import type { ScreenCheck, ScreenFacts } from "../../src/readers/terminal/screen-check.js";
import type { ScreenText } from "../../src/readers/terminal/screen-text.js";

const AT = Date.parse("2026-03-02T09:00:00Z");
export const RULE: string = "─".repeat(40);

const UNKNOWN = {
  tinted: () => null,
  muted: () => null,
  redFrame: () => null,
  backed: () => null,
  ghost: () => null,
  cursor: () => null,
  isPlain: () => false,
};

export function facts(
  agent: string,
  rows: string[],
  tinted: boolean | null = null,
  drawn: Partial<ScreenText> = {},
  check: Partial<ScreenCheck> = {},
): ScreenFacts {
  const screen: ScreenText = { ...UNKNOWN, rows: rows.map(rowOf), tinted: () => tinted, ...drawn };
  return readFacts(compileProfile(profileFor(agent)), screen, {
    at: AT,
    until: () => undefined,
    ticking: () => false,
    ...check,
  });
}

/** An unknown program at its prompt. */
export const stranger = (...above: string[]): string[] => [
  ...above,
  "",
  RULE,
  "*   Type your message",
  RULE,
  "  YOLO mode",
];
