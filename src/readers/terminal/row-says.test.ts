import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileFor } from "../../programs/registry.js";
import { compilePattern } from "../../programs/shared/pattern.js";
import { compileProfile } from "./compiled.js";
import { rowOf } from "./row.js";

const AGENTS = ["claude", "codex", "gemini", "opencode", "some-program"];
const REGIONS = ["status", "foot", "last"] as const;

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
  number.map((n) => `❯ ${n}. draft`),
  number.map((n) => `● Claude Code v2.${n}`),
  fc.string({ unit: fc.constantFrom("0", "5", "9", " ", "s", "h", "/", "·", "⎿", "a", "(", ")") }),
);

describe("the matches of a profile in a row", () => {
  it("are those of each of its patterns", () => {
    fc.assert(
      fc.property(fc.constantFrom(...AGENTS), fc.array(row, { maxLength: 6 }), (agent, texts) => {
        const profile = profileFor(agent);
        const { says } = compileProfile(profile);
        for (const text of texts) {
          const said = says(rowOf(text));
          for (const region of REGIONS) {
            const rules = profile.rules.filter(
              (rule) => rule.region === region && compilePattern(rule.when).test(text),
            );
            expect(said[region].map(({ rule }) => rule.when.source)).toEqual(rules.map(({ when }) => when));
            for (const { rule, groups } of said[region]) {
              expect(groups).toEqual(compilePattern(rule.when.source).groups(text));
            }
          }
          const fits = (source: string | null) => source !== null && compilePattern(source).test(text);
          expect(said.isMessage).toBe(fits(profile.message));
          expect(said.message).toBe(profile.message === null ? null : textOf(profile.message, text, "text"));
          expect(said.isFirst).toBe(fits(profile.composer.first));
          expect(said.isQueued).toBe(fits(profile.queued));
          expect(said.version).toBe(profile.versionRow === null ? null : textOf(profile.versionRow, text, "version"));
        }
      }),
      { numRuns: 500 },
    );
  });
});

const textOf = (source: string, text: string, group: string): string | null =>
  compilePattern(source).groups(text)?.[group] ?? null;
