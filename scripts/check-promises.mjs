#!/usr/bin/env node
/**
 * `npm run check:promises [-- --only TEXT]`: breaks each promise of docs/promises.md in its smallest way and checks that
 * the test which the page names fails. The files themselves are never written. Not part of CI; `npm test` checks that
 * every promise has a break and that each break still fits its file.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createRunner } from "./mutation/runner.mjs";
import { BREAKS, mutantOf } from "./promises/breaks.mjs";

const TIMEOUT_MS = 10 * 60_000;
const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const { runTests, endRunner } = createRunner(root);
process.once("exit", endRunner);

const clean = new Map();
const passesClean = async (test) => {
  if (!clean.has(test)) {
    const { passes } = await runTests({ tests: [test], mutant: null, bail: 1, isolate: true }, TIMEOUT_MS);
    clean.set(test, passes);
  }
  return clean.get(test);
};

const wanted = BREAKS.filter(({ promise, file }) => `${promise} ${file}`.includes(values.only));
let survived = 0;
for (const one of wanted) {
  const source = readFileSync(join(root, one.file), "utf8");
  let result = "fails without the break";
  if (await passesClean(one.test)) {
    const run = { tests: [one.test], mutant: mutantOf(one, source), bail: 1, isolate: true };
    const { passes, files } = await runTests(run, TIMEOUT_MS);
    result = passes ? "SURVIVED" : "caught";
    if (!passes && files[0]?.why) result += `: ${files[0].why.slice(0, 160)}`;
  }
  if (!result.startsWith("caught")) survived++;
  console.log(
    `${one.promise}\n  ${one.file}: ${one.from.trim()}  →  ${one.to.trim() || "nothing"}\n  ${one.test}: ${result}`,
  );
}
console.log(`\n${wanted.length - survived} of ${wanted.length} breaks caught`);
endRunner();
process.exitCode = survived > 0 ? 1 : 0;
