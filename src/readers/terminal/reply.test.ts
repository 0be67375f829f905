import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileFor } from "../../programs/registry.js";
import { compileProfile } from "./compiled.js";
import { readFacts } from "./facts.js";
import { ReplyReader } from "./reply.js";
import { rowOf } from "./row.js";
import type { ScreenCheck } from "./screen-check.js";
import type { ScreenText } from "./screen-text.js";

const AT = Date.parse("2026-03-02T09:00:00Z");
const RULE = "─".repeat(40);

/** A busy screen: a check a moment later finds mostly the same rows, with other numbers and marks. */
const count = fc.nat(1200);
const mark = fc.constantFrom("·", "✢", "✳", "✶", "✻", "✽", "*", "●", "⠋", "⠙", "•", " ");
const reply = fc.oneof(
  fc.tuple(fc.constantFrom("●", " ", "•"), count).map(([bullet, n]) => `${bullet} Running 1 command · ${n}s…`),
  fc.tuple(fc.constantFrom("●", "⏺", " "), fc.nat(3)).map(([bullet, n]) => `${bullet} Read ${n} files`),
  count.map((n) => `  ⎿  $ npm test ${n % 3} (${n}s)`),
  fc.constantFrom("  ⎿  Interrupted", "  ⎿  API Error: 500 overloaded", "● Which one, 1 or 2?", "✻ Cooked for 3s", ""),
);
const status = fc.oneof(
  fc.tuple(mark, count, count).map(([m, s, n]) => `${m} Baking… (${s}s · ↓ ${n} tokens)`),
  fc.tuple(mark, count).map(([m, s]) => `${m} Working (${s}s • esc to interrupt)`),
  fc.tuple(mark, count, fc.nat(10)).map(([m, s, n]) => `${m} API error · Retrying in ${s}s · attempt ${n}/10`),
  fc.tuple(mark, fc.nat(9)).map(([m, n]) => `${m} Trying to reach the model (attempt ${n}/10)`),
  fc.constantFrom("", "✻ Compacting conversation… (9s)"),
);
const below = fc.oneof(
  fc.constant(["❯", RULE, "  ? for shortcuts"]),
  fc.nat(3).map((n) => ["❯ and now", RULE, `  ${n} background tasks`]),
  fc.constantFrom(
    [" Do you want to proceed?", " ❯ 1. Yes", "   2. No", " Esc to cancel"],
    ["› ", "", "  gpt-5 · ~/project"],
  ),
);
const screens = fc
  .tuple(
    fc.array(fc.tuple(reply, status, below), { minLength: 2, maxLength: 4 }),
    fc.array(fc.nat(), { maxLength: 14 }),
  )
  .map(([kinds, picks]) =>
    picks.map((pick) => {
      const [above] = kinds[pick % kinds.length] as (typeof kinds)[number];
      const [, middle] = kinds[(pick >> 4) % kinds.length] as (typeof kinds)[number];
      const [, , foot] = kinds[(pick >> 8) % kinds.length] as (typeof kinds)[number];
      const rows = ["● Fixing it.", "", above, "", middle, RULE, ...foot];
      return { rows: [...rows, ...Array.from({ length: 12 - rows.length }, () => "")], tick: pick % 5 === 0 };
    }),
  );

/** Every row has all colours and attributes, or none. */
const screenOf = (rows: ScreenText["rows"], isStyled: boolean): ScreenText => {
  const answer = (): boolean => isStyled;
  return {
    rows,
    tinted: answer,
    muted: answer,
    redFrame: answer,
    cursor: answer,
    backed: answer,
    ghost: answer,
    isPlain: answer,
  };
};

describe("a screen that is read again and again", () => {
  it.each(["claude", "codex", "gemini", "opencode", "some-program"])(
    "gives the same facts as a first check: %s",
    (agent) => {
      const profile = compileProfile(profileFor(agent));
      fc.assert(
        fc.property(screens, (checks) => {
          const replies = new ReplyReader(profile);
          for (const { rows, tick } of checks) {
            const screen = screenOf(rows.map(rowOf), tick);
            const check: ScreenCheck = {
              at: AT,
              until: () => undefined,
              ticking: ({ text }) => tick && /\ds/.test(text),
            };
            expect(readFacts(profile, screen, check, replies)).toEqual(readFacts(profile, screen, check));
          }
        }),
        { numRuns: process.env.ROUSE_FULL ? 2000 : 200 },
      );
    },
  );
});

it("rouse's own question on the screen is not taken for a question of the agent", () => {
  const asks = (...message: string[]): string | undefined => {
    const rows = [...message, "", RULE, "❯", RULE, "  ? for shortcuts"].map(rowOf);
    const screen = screenOf(rows, false);
    return readFacts(compileProfile(profileFor("claude")), screen, {
      at: AT,
      until: () => undefined,
      ticking: () => false,
    }).asks;
  };
  expect(asks("● Which one, 1 or 2?")).toContain("Which one");
  expect(asks("● Are you there? Which step is next? [rouse]")).toBeUndefined();
});

it("a reading has as many of the last lines as the user wants to quote", () => {
  const rows = Array.from({ length: 60 }, (_, n) => rowOf(`line ${n}`));
  const screen = screenOf(rows, false);
  const tailOf = (options = {}) =>
    new ReplyReader(compileProfile(profileFor("some-program")), options).read(screen, rows.length).tail;
  expect(tailOf()).toHaveLength(5);
  expect(tailOf({ previewLines: 50 })).toHaveLength(50);
});
