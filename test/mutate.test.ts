import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "..", "scripts", "mutate.mjs");
const FIXTURE = "test/fixtures/mutate";
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-mutate-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function mutate(...options: string[]): string {
  const state = join(folder, "state.json");
  const args = [SCRIPT, "--folders", FIXTURE, "--state", state, ...options];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout;
}
const lines = (text: string): string[] => text.split("\n").filter(Boolean);

describe("the mutation run", () => {
  it("lists the same mutants for the same seed, in another order for another seed, and none in types", () => {
    const listed = lines(mutate("--list"));
    expect(lines(mutate("--list"))).toEqual(listed);
    const others = lines(mutate("--list", "--seed", "other"));
    expect(others).not.toEqual(listed);
    expect(others.sort()).toEqual(listed.sort());
    expect(listed.sort()).toEqual([
      `${FIXTURE}/limits.ts:2  18 → 0`,
      `${FIXTURE}/limits.ts:2  18 → 36`,
      `${FIXTURE}/limits.ts:2  age >= 18 → age > 18`,
      `${FIXTURE}/limits.ts:4  65 → 0`,
      `${FIXTURE}/limits.ts:4  65 → 130`,
      `${FIXTURE}/limits.ts:4  age > 65 → age >= 65`,
    ]);
  });

  it("separates killed mutants from survivors, changes no source file, and does not repeat known results", () => {
    const source = readFileSync(join(import.meta.dirname, "fixtures/mutate/limits.ts"), "utf8");
    const first = lines(mutate("--count", "2"));
    expect(first).toEqual([
      "running 1 test files without a mutant",
      `1/2 killed    ${FIXTURE}/limits.ts:2  18 → 0`,
      `2/2 survived  ${FIXTURE}/limits.ts:4  age > 65 → age >= 65`,
      "1 of 2 mutants killed (50 %), 1 survived, 0 without a test",
      `survived: ${FIXTURE}/limits.ts:4  age > 65 → age >= 65`,
    ]);
    expect(lines(mutate("--count", "2"))).toEqual(first.slice(1));
    expect(readFileSync(join(import.meta.dirname, "fixtures/mutate/limits.ts"), "utf8")).toBe(source);
  });
});
