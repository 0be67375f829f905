/** Broken or foreign files, given to `rouse replay` and `rouse eval` beside good ones. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Figures } from "../../src/eval/bars.js";
import { OWN_CASES } from "../support/recordings.js";
import { rouse } from "../support/rouse.js";

const CAST =
  '{"version": 2, "width": 80, "height": 24, "timestamp": 1770000000}\n[0.1, "o", "hello"]\n[9, "o", "there"]\n';
const EVENTS = '{"id": "good", "events": [{"t": 0, "kind": "message", "role": "user", "text": "begin"}]}\n';

let root: string;
const file = (name: string): string => join(root, name);
const lines = (text: string): string[] => text.split("\n").filter(Boolean);

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-wrong-"));
  writeFileSync(file("full.cast"), CAST);
  writeFileSync(file("bin.bin"), Buffer.from([0, 1, 2, 250, 10, 255, 7]));
  writeFileSync(file("foo.jsonl"), '{"foo": 1}\n{"foo": 2}\n');
  writeFileSync(file("events.jsonl"), `${EVENTS}{"foo": 1}\n`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("rouse replay", () => {
  it.each([
    ["--transcript", "nosuch", /^rouse: no such file or folder: .*nosuch$/m],
    ["--transcript", "full.cast", /^rouse: .*full\.cast is not a transcript that rouse can read/],
    [
      "--events",
      "bin.bin",
      /^rouse: .*bin\.bin contains no event streams: each line must be a JSON object like \{id, events/,
    ],
    ["--events", "foo.jsonl", /^rouse: .*foo\.jsonl contains no event streams/],
    ["--signals", "bin.bin", /^rouse: .*bin\.bin contains no signals/],
  ])("reports in one line what is wrong with %s %s, continues, and exits with 1", (option, name, complaint) => {
    const { status, stdout, stderr } = rouse(["replay", "--json", option, file(name), file("full.cast")]);
    expect(lines(stderr)).toEqual([expect.stringMatching(complaint)]);
    expect(lines(stdout).map((line) => (JSON.parse(line) as { case: string }).case)).toEqual([
      expect.stringMatching(/full\.cast$/),
    ]);
    expect(status).toBe(1);
  });

  it("counts the invalid lines of --events, and uses the others", () => {
    const { status, stdout, stderr } = rouse(["replay", "--json", "--events", file("events.jsonl")]);
    expect(lines(stdout).map((line) => (JSON.parse(line) as { case: string }).case)).toEqual(["good"]);
    expect(lines(stderr)).toEqual([`rouse: ${file("events.jsonl")}: skipped 1 line (not event streams)`]);
    expect(status).toBe(0);
  });

  it("finds cases behind links, each of them once, even if links form a circle", () => {
    mkdirSync(file("linked/real"), { recursive: true });
    mkdirSync(file("elsewhere/one"), { recursive: true });
    writeFileSync(file("elsewhere/one/session.cast"), CAST);
    writeFileSync(file("linked/real/session.cast"), CAST);
    symlinkSync(file("elsewhere/one"), file("linked/link"));
    symlinkSync(file("linked"), file("linked/round"));
    symlinkSync(file("nowhere"), file("linked/torn"));
    const { status, stdout, stderr } = rouse(["replay", "--json", file("linked")]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const cases = lines(stdout).map((line) => (JSON.parse(line) as { case: string }).case);
    expect(cases).toEqual(["linked/link", "linked/real"]);
  });
});

describe("rouse eval", () => {
  it.each([
    ["screens.jsonl", "garbage\n", "screens"],
    ["screens.jsonl", "", "screens"],
    ["peer_cases.jsonl", '{"foo": 1}\n', "event streams"],
    ["segments.jsonl", "{", "labelled segments"],
  ])("scores the other parts of a corpus whose %s is %j, and exits with 1", (name, text, what) => {
    const corpus = mkdtempSync(join(root, "corpus-"));
    cpSync(join(OWN_CASES, "claude/permission"), join(corpus, "live/claude/permission"), { recursive: true });
    writeFileSync(join(corpus, name), text);
    const { status, stdout, stderr } = rouse(["eval", "--json", corpus]);
    const figures = JSON.parse(stdout) as Figures;
    expect(figures.live).toMatchObject({ cases: 1, replayed: 1, misses: [] });
    expect(lines(stderr)).toEqual([expect.stringContaining(`${name} contains no ${what}: each line must be`)]);
    expect(status).toBe(1);
  });
});
