#!/usr/bin/env node
/**
 * `npm run check:promises [-- --only TEXT] [-- --again]`: breaks each promise of docs/promises.md in its smallest ways and
 * checks that the test which the page names fails. The files themselves are never written. Part of the mutation run, not of
 * CI; `npm test` checks that every promise has a break and that each break still fits its file.
 *
 * It may be ended at any time and continues where it was: a result is kept in .mutate/promises.json while the broken file
 * and its test stay the same. `--again` forgets them.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { digest } from "./mutation/mutants.mjs";
import { createRunner } from "./mutation/runner.mjs";
import { BREAKS, mutantOf } from "./promises/breaks.mjs";

const TIMEOUT_MS = 10 * 60_000;
const root = resolve(import.meta.dirname, "..");
const state = join(root, ".mutate", "promises.json");
const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, again: { type: "boolean", default: false } },
});
const { runTests, endRunner } = createRunner(root);
process.once("exit", endRunner);

const read = (file) => readFileSync(join(root, file), "utf8");

const clean = new Map();
const passesClean = async (test) => {
  if (!clean.has(test)) {
    const { passes } = await runTests({ tests: [test], mutant: null, bail: 1, isolate: true }, TIMEOUT_MS);
    clean.set(test, passes);
  }
  return clean.get(test);
};

async function check(one) {
  if (!(await passesClean(one.test))) return "fails without the break";
  const run = { tests: [one.test], mutant: mutantOf(one, read(one.file)), bail: 1, isolate: true };
  const { passes, files, isLate } = await runTests(run, one.timeoutMs ?? TIMEOUT_MS);
  if (passes) return "SURVIVED";
  if (isLate) return "caught: it does not end";
  return files[0]?.why ? `caught: ${files[0].why.slice(0, 160)}` : "caught";
}

function readKept() {
  if (values.again) return {};
  try {
    return JSON.parse(readFileSync(state, "utf8"));
  } catch {
    return {};
  }
}

const kept = readKept();
const wanted = BREAKS.filter(({ promise, file, test }) => `${promise} ${file} ${test}`.includes(values.only));
let survived = 0;
for (const one of wanted) {
  const key = digest(JSON.stringify([one, read(one.file), read(one.test)]));
  const result = kept[key] ?? (await check(one));
  if (result.startsWith("caught")) {
    kept[key] = result;
    mkdirSync(dirname(state), { recursive: true });
    writeFileSync(state, JSON.stringify(kept));
  } else survived++;
  console.log(
    `${one.promise}\n  ${one.file}: ${one.from.trim()}  →  ${one.to.trim() || "nothing"}\n  ${one.test}: ${result}`,
  );
}
console.log(`\n${wanted.length - survived} of ${wanted.length} breaks caught`);
endRunner();
process.exitCode = survived > 0 ? 1 : 0;
