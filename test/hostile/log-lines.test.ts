/** Every entry of rouse's logs is one line of JSON with the original meaning. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logLine } from "../../src/config/log-line.js";
import { CANARIES } from "../support/canaries.js";
import { EVIL, UNSAFE } from "../support/evil.js";
import { FORGED } from "../support/receivers.js";

const TEXTS = 10_000;
const PIECES = [
  "\n",
  "\r\n",
  "\u2028",
  "\u0085",
  '"',
  "\\",
  "}",
  '\n{"at":"2026-01-01T00:00:00.000Z","from":"daemon","text":"forged"}\n',
];
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES),
      fc.constantFrom(EVIL, ...FORGED.map((one) => one.slice(0, 500))),
      fc.string({ unit: "binary", maxLength: 40 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const texts = fc.sample(text, { numRuns: TEXTS, seed: 20261115 });

describe("a log", () => {
  it(`of ${TEXTS} texts has as many lines, each of which parses back to its text`, () => {
    const log = texts.map((one) => logLine("host", one, 0)).join("");
    // By any character that some program treats as the end of a line.
    const lines = log.split(/\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/);
    expect(lines.pop()).toBe("");
    expect(lines).toHaveLength(TEXTS);
    expect(UNSAFE.test(log)).toBe(false);
    const wrong = lines.filter((line, at) => (JSON.parse(line) as { text: string }).text !== texts[at]);
    expect(wrong).toEqual([]);
  });

  it("contains no secret, and keeps the text around it", () => {
    const log = CANARIES.map((canary) => logLine("daemon", `it said ${canary} there`, 0)).join("");
    expect(CANARIES.filter((canary) => log.includes(canary))).toEqual([]);
    expect(log.match(/it said \*+/g)).toHaveLength(CANARIES.length);
  });
});
