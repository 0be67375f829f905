/** Every entry of rouse's logs is one line of JSON with the original meaning. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ControlLog } from "../../src/api/control-log.js";
import { logLine } from "../../src/config/log-line.js";
import { CANARIES } from "../support/canaries.js";
import { EVIL, UNSAFE } from "../support/evil.js";
import { FORGED } from "../support/receivers.js";

const TEXTS = 10_000;
const REQUESTS = 500;
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

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  it("of client requests has one line per request and one per outcome, whatever the clients sent", () => {
    const path = join(folder, "touches.jsonl");
    const log = new ControlLog(path);
    const written = texts.slice(0, REQUESTS / 2);
    for (const one of written) {
      const session = { id: one };
      const id = log.intend({ at: 0, client: one, agent: one, session, action: "type", text: one });
      log.outcome({ id, at: 0, result: "refused", reason: one });
    }
    const kept = [`${path}.old`, path].map((file) => readOr(file)).join("");
    const lines = kept.split("\n").slice(0, -1);
    expect(lines.length).toBe(2 * written.length);
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(new Set(ids).size).toBe(written.length);
    expect(UNSAFE.test(kept)).toBe(false);
  });
});

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
