/** Patterns on hostile text: bounded if the engine is RE2, linear if a function of rouse reads the text itself. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digest } from "../../src/core/digest.js";
import { closingOf, hasMarker } from "../../src/core/judgement/closing.js";
import { createTextTail, endText, feedText } from "../../src/core/judgement/evidence/text-loop.js";
import { isAcknowledgement, isNoise, isResumerPrompt } from "../../src/core/judgement/noise.js";
import { errorKey, infraOf, normaliseResult } from "../../src/core/judgement/normalise.js";
import { redact } from "../../src/core/text/redact.js";
import { sanitize, sanitizedJson } from "../../src/core/text/sanitize.js";
import { profileFor } from "../../src/programs/registry.js";
import { classifyCommand } from "../../src/programs/shared/commands.js";
import { compilePattern } from "../../src/programs/shared/pattern.js";
import { classifyTool } from "../../src/programs/shared/tools.js";
import { readKeys } from "../../src/readers/keys.js";
import { knownVendorError } from "../../src/readers/records/vendor-errors.js";
import { readResetTime } from "../../src/readers/reset-time/reset-time.js";
import { compileProfile } from "../../src/readers/terminal/compiled.js";
import { findComposer } from "../../src/readers/terminal/composer.js";
import { findDialog } from "../../src/readers/terminal/dialog.js";
import { durationMs, tokenCount } from "../../src/readers/terminal/numbers.js";
import { ScreenRow } from "../../src/readers/terminal/row.js";
import { RowClocks } from "../../src/readers/terminal/row-clocks.js";
import { joinRows, maskText } from "../../src/readers/terminal/screen-text.js";

const FULL = process.env.ROUSE_FULL === "1";
const SIZE = 100_000;
const PATTERN_MS_MAX = 50;
/** Pieces that make a careless pattern backtrack: each is repeated until the text is long enough. */
const PIECES = [
  ...Array.from('a1 \n(`".?│─/=\\<>,;:-*#|'),
  ..."a?,1h ,1 ,- ,a. ,❯ 1. x\n,│ ● 1. Yes │\n,\u001b[31m,$(,&& ,a=b ,'a' ,12:30 ,resets 5pm ,retrying in 1s ,1/2 ,Error: ,API Error ,● x\n,limit reached ,<promise>,x@y.z ,2026-01-01T00:00:00Z ,rate limit until ,try again in 1 h 2 m ,I can ,if you want ,before I go ,cat <<E\n,|&;<>(,-f ,tail -,up ,tool_use ,violate ,token ,messages[1,resets 1:,_a,\n- ,sk-,TOKEN_,token=,-----BEGIN PRIVATE KEY-----,http://a:,eyJ,M,bearer ,漢,👩‍👩‍👧,```\n,[1m[2m".split(
    ",",
  ),
];
const hostile = (piece: string, size = SIZE): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

function patternsOf(id: string): string[] {
  const { titles, rules, dialogs, noise, queued, message, versionRow, composer } = profileFor(id);
  const own = [composer.first, composer.not, composer.top, composer.bottom, composer.more, ...composer.placeholders];
  return [...titles, ...rules, ...dialogs]
    .map(({ when }) => when)
    .concat([...noise, queued, message, versionRow, ...own].filter((source) => source !== null));
}

describe.each(["claude-code", "codex", "gemini", "opencode", "goose", "generic"])("the patterns of %s", (id) => {
  it("read only the beginning of a long text, so that its length costs nothing", () => {
    for (const source of new Set(patternsOf(id))) {
      const compiled = compilePattern(source);
      for (const piece of PIECES) {
        const text = hostile(piece);
        expect(compiled.groups(text), source).toEqual(compiled.groups(text.slice(0, 4096)));
      }
    }
  });
});

describe("patterns that a user may write", () => {
  const atom = fc.constantFrom(
    "a",
    "1",
    ".",
    "\\w",
    "\\s",
    "[^x]",
    "\\pL",
    "(a|ab)",
    "(a|a)*",
    "(a*)*",
    "(a+)+",
    "^",
    "$",
    "\\b",
  );
  const times = fc.constantFrom("", "*", "+", "?", "{2,30}", "{0,200}", "{1000}", "*?", "+?");
  const piece = fc.tuple(atom, times).map(([what, often]) => (/^[\^$\\]b?$/.test(what) ? what : what + often));
  const source = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
  const nested = fc.tuple(source, times).map(([inner, often]) => `(?:${inner})${often}`);

  it("are refused, or read any hostile text within the limit", () => {
    const slow: string[] = [];
    for (const written of fc.sample(fc.oneof(source, nested), { numRuns: FULL ? 10_000 : 200, seed: 11 })) {
      let compiled: ReturnType<typeof compilePattern>;
      try {
        compiled = compilePattern(written);
      } catch {
        continue;
      }
      for (const part of ["a", "a1 ", "ab\n"]) {
        const text = hostile(part);
        const ms = leastMs((given) => compiled.test(given), text);
        if (FULL && ms > PATTERN_MS_MAX) slow.push(`${written}: ${ms.toFixed(1)} ms`);
      }
    }
    expect(slow).toEqual([]);
  });
});

const claude = profileFor("claude-code");
/** Rows that were not matched before. */
const screen = (text: string): ScreenRow[] =>
  text
    .split("\n")
    .slice(0, 500)
    .map((row) => new ScreenRow(row));
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  closingOf,
  hasMarker: (text) => hasMarker(text, "<promise>COMPLETE</promise>"),
  normaliseResult,
  errorKey,
  infraOf,
  isNoise,
  isResumerPrompt,
  isAcknowledgement,
  digest,
  plain: sanitize,
  redact,
  plainJson: (text) => sanitizedJson({ text }),
  textLoop: (text) => {
    const tail = createTextTail();
    feedText(tail, text);
    return endText(tail);
  },
  classifyCommand: (text) => classifyCommand(text),
  classifyTool: (text) => classifyTool("Bash", { command: text }),
  readResetTime: (text) => readResetTime(text, 1_767_614_400_000, "Europe/Berlin"),
  knownVendorError: (text) => knownVendorError({ text }),
  readKeys: (text) => readKeys(text, 0),
  durationMs,
  tokenCount,
  maskText,
  joinRows: (text) => joinRows(text.split("\n").map((row) => new ScreenRow(row))),
  ticks: (text) => new RowClocks().check(screen(text), 0),
  findComposer: (text) => findComposer(compileProfile(claude), screen(text)),
  findDialog: (text) => findDialog(compileProfile(claude), screen(text)),
};

/** The least CPU time of several runs, in milliseconds: other processes on the machine only add to it. */
function leastMs(read: (text: string) => unknown, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) {
    const before = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * The factor for twice the text if it is too large, else null. Two is linear, four is quadratic; below some
 * milliseconds the clock is too coarse. A quadratic function is slow in every measurement; one that was only slow
 * because of shared caches and cores is not slow three times.
 */
function grows(read: (text: string) => unknown, piece: string): string | null {
  let said: string | null = null;
  for (let tries = 0; tries < 3; tries++) {
    const [one, two] = [leastMs(read, hostile(piece)), leastMs(read, hostile(piece, 2 * SIZE))];
    if (two <= 20 || two <= 3 * one) return null;
    said = `${JSON.stringify(piece)}: ${one.toFixed(1)} ms, then ${two.toFixed(1)} ms`;
  }
  return said;
}

describe.each(Object.entries(READERS))("%s", (_, read) => {
  // The search for a period takes about 2 µs per character, so the quick run uses a fifth.
  it("finishes on any hostile text", () => {
    for (const piece of PIECES) expect(() => read(hostile(piece, FULL ? SIZE : SIZE / 5))).not.toThrow();
  });

  it.runIf(FULL)("takes no more than about twice as long for twice the text", () => {
    expect(PIECES.flatMap((piece) => grows(read, piece) ?? [])).toEqual([]);
  });
});
