import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pattern } from "../../agents/pattern.js";
import { profileFor } from "../../agents/registry.js";
import { countdown } from "./countdown.js";

const AGENTS = ["claude", "codex", "gemini", "opencode", "some-program"];
const RULES = [...new Set(AGENTS.flatMap((agent) => profileFor(agent).rules.map(({ when }) => when)))];

/** Rows as programs print them, with numbers of any length in them. */
const number = fc.stringMatching(/^[0-9]{1,4}$/);
const row = fc.oneof(
  fc
    .tuple(fc.constantFrom("✻", "●", "·"), number, number)
    .map(([mark, s, n]) => `${mark} API error (${n}) · Retrying in ${s}s · attempt ${n}/10`),
  fc.tuple(number, number).map(([n, s]) => `  ⎿  $ node test.mjs ${n} (${s}s · ctrl+b to run in background)`),
  fc.tuple(number, number).map(([n, s]) => `⠼ Trying to reach gemini-${n} (Attempt ${n}/10) (esc to cancel, ${s}s)`),
  fc.tuple(number, number).map(([n, s]) => `• Reconnecting... ${n}/5 (${s}s • esc to interrupt)`),
  fc.tuple(number, number).map(([n, s]) => `  ⎿  ${n}-hour limit reached ∙ resets ${s}pm, ${n} background tasks`),
  number.map((n) => `■ You've hit your usage limit. Try again in ${n} days ${n} minutes.`),
  fc.string({ unit: fc.constantFrom("0", "5", "9", " ", "s", "h", "/", "·", "⎿", "a", "(", ")") }),
);

describe("a pattern for rows that count", () => {
  it("finds what the pattern itself finds, in every row and for every rule of ours", () => {
    const rules = RULES.map((when) => ({ itself: pattern(when), counting: countdown(pattern(when)) }));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
        for (const text of rows) {
          for (const { itself, counting } of rules) expect(counting.groups(text)).toEqual(itself.groups(text));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("asks once for rows that differ in their digits alone", () => {
    let asked = 0;
    const itself = pattern("Retrying in (?P<delay>[0-9]{1,3}s)");
    const counting = countdown({
      ...itself,
      spans: (text) => {
        asked++;
        return itself.spans(text);
      },
    });
    const delays = ["19s", "18s", "17s", "9s", "8s"].map((s) => counting.groups(`API error · Retrying in ${s}`)?.delay);
    expect(delays).toEqual(["19s", "18s", "17s", "9s", "8s"]);
    expect(asked).toBe(2);
  });

  it("is the pattern itself where one digit means another thing than the next", () => {
    const itself = pattern("(?P<kind>[57])-hour limit");
    expect(countdown(itself)).toBe(itself);
    expect(countdown(itself).groups("5-hour limit")).toEqual({ kind: "5" });
  });
});
