import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NUDGE_TEXTS } from "../../core/action.js";
import { isResumerPrompt } from "../../core/judgement/noise.js";
import { textFor } from "./texts.js";

describe.each(NUDGE_TEXTS)("the text %s", (say) => {
  it("is one line of plain characters that no composer takes for a command, and carries rouse's mark", () => {
    expect(textFor(say)).toMatch(/^[A-Z][ -~]{10,140}$/);
    expect(isResumerPrompt(textFor(say))).toBe(true);
  });

  it("is documented word for word", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/acting.md"), "utf8");
    expect(page).toContain(`| \`${say}\` | \`${textFor(say)}\` |`);
  });

  it("can repeat a task before its mark", () => {
    expect(textFor(say, "fix the parser")).toMatch(/ The task was: fix the parser \[rouse\]$/);
  });
});
