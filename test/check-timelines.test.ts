import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "..", "scripts", "check-timelines.mjs");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-timelines-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  part: string;
  case: string;
  entries: Record<string, unknown>[];
}

const ENTRY = {
  t: 7.5,
  state: "stuck",
  cause: "loop",
  confidence: 0.9,
  until: null,
  reasons: ["The same call 4 times"],
};

const rowsOf = (...entries: Record<string, unknown>[]): Row[] => [
  { part: "cases", case: "claude/normal", entries: [{ t: 0, state: "idle" }, ...entries] },
  { part: "simulator", case: "seed 1", entries: [{ t: 60, kind: "action", agent: "ada", do: "nudge" }] },
];

function check(base: readonly Row[], tree: readonly Row[], ...options: string[]) {
  const files = [base, tree].map((rows, n) => {
    const path = join(folder, `${n}.jsonl`);
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return path;
  });
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, "--dumps", ...files, ...options], {
    encoding: "utf8",
  });
  return { status, stdout };
}

const usage = (...args: string[]) => spawnSync(process.execPath, [SCRIPT, ...args], { encoding: "utf8" });

describe("the comparison of timelines", () => {
  it("ends with 0 when both dumps are equal", () => {
    expect(check(rowsOf(ENTRY), rowsOf(ENTRY))).toEqual({ status: 0, stdout: "timelines: 2 compared, 0 different\n" });
  });

  it("does not call another order of keys a difference", () => {
    const { state, ...rest } = ENTRY;
    expect(check(rowsOf(ENTRY), rowsOf({ ...rest, state })).status).toBe(0);
  });

  it.each([
    ["state", "working"],
    ["cause", null],
    ["t", 7.6],
    ["until", "2026-01-01T00:00:00Z"],
    ["reasons", ["another reason"]],
  ])("ends with 1 and shows the first entry whose %s differs", (key, value) => {
    const { status, stdout } = check(rowsOf(ENTRY), rowsOf({ ...ENTRY, [key]: value }));
    expect(status).toBe(1);
    expect(stdout).toContain("cases: claude/normal\n  entry 2\n");
    expect(stdout).toMatch(/^ {2}- .*"t":7\.5/m);
    expect(stdout).toContain(`"${key}":${JSON.stringify(value)}`);
    expect(stdout).not.toContain("seed 1");
  });

  it("ends with 1 when an entry is missing or added", () => {
    expect(check(rowsOf(ENTRY), rowsOf()).stdout).toContain("entry 2, of 2 in the base and 1 now");
    expect(check(rowsOf(), rowsOf(ENTRY)).status).toBe(1);
  });

  it("ends with 1 when a whole recording is missing or added", () => {
    const { status, stdout } = check(rowsOf(ENTRY), rowsOf(ENTRY).slice(0, 1));
    expect(stdout).toContain("simulator: seed 1\n  missing in the working tree");
    expect(status).toBe(1);
    expect(check(rowsOf(ENTRY).slice(0, 1), rowsOf(ENTRY)).stdout).toContain("missing in the base");
  });

  it("accepts words and keys that were renamed on purpose", () => {
    const renamed = [{ ...ENTRY, cause: "cycle", reasons: ['The same "tool" 4 times'] }];
    expect(check(rowsOf(ENTRY), rowsOf(...renamed), "--rename", "loop=cycle").status).toBe(1);
    const rules = join(folder, "rules.json");
    writeFileSync(rules, JSON.stringify([["same call", 'same "tool"']]));
    expect(check(rowsOf(ENTRY), rowsOf(...renamed), "--rename", "loop=cycle", "--rules", rules).status).toBe(0);
  });

  it("compares states, causes and times only when reasons are ignored", () => {
    const reworded = { ...ENTRY, confidence: 0.8, reasons: ["reworded"] };
    expect(check(rowsOf(ENTRY), rowsOf(reworded), "--ignore-reasons").status).toBe(0);
    expect(check(rowsOf(ENTRY), rowsOf({ ...reworded, cause: null }), "--ignore-reasons").status).toBe(1);
  });

  it.each([
    ["no commit is given", []],
    ["the commit does not exist", ["no-such-commit"]],
    ["an option is unknown", ["HEAD", "--rename-all"]],
    ["a rename has no new word", ["HEAD", "--rename", "loop"]],
    ["a dump cannot be read", ["--dumps", "/no/such/file", "/no/such/file"]],
  ])("ends with 2 when %s", (_, args) => {
    const { status, stderr } = usage(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^check:timelines: /);
  });
});
