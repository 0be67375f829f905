#!/usr/bin/env node
/**
 * Seeded mutation run: changes the source in one small way at a time and runs the nearest unit tests. A mutant that no
 * test notices has survived: a rule without a test, or a change without an effect. Run by `npm run mutate`; not part of CI.
 *
 * It may be ended at any time and continues where it was. A mutant stays killed until its file or the test that killed it
 * changes; any other result holds until the file or one of the tests near it changes.
 *
 *   --count N      how many mutants (default 300)
 *   --seed TEXT    which ones (default "rouse")
 *   --only TEXT    of these, only the ones in files whose path contains it
 *   --folders A,B  other files or folders than those below
 *   --workers N    test files at once (default 2)
 *   --quick        only the quick tests of the same area; a later run without it goes on with the survivors
 *   --list         print the mutants and run nothing
 *   --state FILE   where the results are kept (default .mutate/state.json)
 *   --write        write the figure, the date and the survivors to docs/evidence/mutation.md; their reasons are kept. With
 *                  another seed, write only its figure
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { digest, mutantsOf, pickMutants } from "./mutation/mutants.mjs";
import { nearTests, readImports } from "./mutation/near-tests.mjs";
import { readFresh, readReasons, reportOf, withFresh } from "./mutation/report.mjs";
import { createRunner } from "./mutation/runner.mjs";

/** What is mutated: files, or folders with everything below them. */
const FOLDERS = ["src/core/policy", "src/core/incidents", "src/core/notices", "src/effects"];
/** The folders of unit tests. Whole daemons and the simulator are too slow to run for each mutant. */
const TESTS = ["src/", "test/effects/", "test/fixtures/mutate/"];
/** This many of the nearest test files are run for a mutant, except those that take longer than this. */
const TESTS_MAX = 8;
const SLOW_MS = 60_000;
/** Test files that take less than this run first; most mutants end there. */
const QUICK_MS = 5000;
/** Of the slow ones only the nearest are run. */
const SLOW_TESTS_MAX = 2;
/** Tests of pure functions share one module graph in one thread, which halves the time of a mutant. They run first. */
const PURE = "src/core/";
const TIMEOUT_MIN_MS = 120_000;
const CLEAN_TIMEOUT_MS = 20 * 60_000;
const MAIN_SEED = "rouse";

const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    seed: { type: "string", default: MAIN_SEED },
    only: { type: "string", default: "" },
    folders: { type: "string" },
    workers: { type: "string", default: "2" },
    state: { type: "string", default: join(root, ".mutate", "state.json") },
    quick: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

const read = (file) => readFileSync(join(root, file), "utf8");
const folders = values.folders?.split(",") ?? FOLDERS;
const files = folders.flatMap(sourcesIn);
const all = files.flatMap((file) => mutantsOf(file, read(file)));
const picked = pickMutants(all, values.seed, Number(values.count)).filter(({ file }) => file.includes(values.only));

const { runTests, endRunner } = createRunner(root, values.workers);

if (values.list) for (const mutant of picked) console.log(describe(mutant));
else await run();

async function run() {
  const importers = readImports(root, ["src", "test"]);
  const isTest = (name) => TESTS.some((folder) => name.startsWith(folder));
  const nearest = new Map(files.map((file) => [file, nearTests(importers, file, isTest).slice(0, TESTS_MAX)]));
  const state = readState();
  process.once("exit", endRunner);
  await measure(state, new Set(picked.flatMap(({ file }) => nearest.get(file))));
  const results = [];
  for (const [place, mutant] of picked.entries()) {
    const every = nearest.get(mutant.file);
    const near = every.filter((test) => !values.quick || isQuickNear(test, mutant, state.tests));
    const known = state.mutants[mutant.id];
    // A survivor of all its tests is one of the quick ones too.
    const bases = known?.killers ? [known.killers] : [near, every];
    if (!bases.some((tests) => known?.basis === basisOf(mutant, tests))) {
      const verdict = await judge(mutant, near, state.tests);
      state.mutants[mutant.id] = { ...verdict, basis: basisOf(mutant, verdict.killers ?? near) };
      saveState(state);
    }
    const { result } = state.mutants[mutant.id];
    results.push({ ...mutant, result });
    console.log(`${place + 1}/${picked.length} ${result.padEnd(9)} ${describe(mutant)}`);
  }
  const survivors = results.filter(({ result }) => result === "survived" || result === "untested");
  console.log(`\n${figureOf(results)}`);
  for (const survivor of survivors) console.log(`${survivor.result}: ${describe(survivor)}`);
  if (values.write) writeReport(results, survivors);
  endRunner();
}

/** Each test once without a mutant: a test that fails anyway proves nothing, and its time bounds that of a mutant. */
async function measure(state, tests) {
  const isKnown = (test) => state.tests[test]?.passes && state.tests[test].basis === digest(read(test));
  const stale = [...tests].filter((test) => !isKnown(test));
  if (stale.length === 0) return;
  console.log(`running ${stale.length} test files without a mutant`);
  const { files: ran } = await runTests({ tests: stale, mutant: null, bail: 0, isolate: true }, CLEAN_TIMEOUT_MS);
  for (const { name, passes, ms } of ran) {
    const test = relative(root, name);
    if (!passes) console.log(`skipped, fails without a mutant: ${test}`);
    state.tests[test] = { basis: digest(read(test)), passes, ms };
  }
  saveState(state);
}

function sourcesIn(place) {
  if (statSync(join(root, place)).isFile()) return [place];
  return readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `${place}/${name}`)
    .sort();
}

function isQuickNear(test, { file }, known) {
  const areaOf = (path) => path.split("/")[1];
  return known[test]?.ms < QUICK_MS && areaOf(test) === areaOf(file);
}

/** What a result rests on. */
function basisOf({ file }, tests) {
  const contentOf = (name) => (existsSync(join(root, name)) ? read(name) : "");
  return digest([file, ...tests].map((name) => `${name}\0${contentOf(name)}`).join("\0"));
}

function describe({ file, line, what }) {
  return `${file}:${line}  ${what}`;
}

/** `killed`, `timeout`, `survived`, or `untested` (no test that passes imports the file), and the tests that noticed. */
async function judge(mutant, near, known) {
  const usable = near.filter((test) => known[test]?.passes && known[test].ms <= SLOW_MS);
  if (usable.length === 0) return { result: "untested" };
  const timeOf = (tests) => tests.reduce((sum, test) => sum + known[test].ms, 0);
  const isQuick = (test) => known[test].ms < QUICK_MS;
  const slow = usable.filter((test) => !isQuick(test)).slice(0, SLOW_TESTS_MAX);
  const isPure = (test) => test.startsWith(PURE);
  const quick = usable.filter(isQuick);
  for (const tests of [quick.filter(isPure), quick.filter((test) => !isPure(test)), slow]) {
    if (tests.length === 0) continue;
    const isolate = !tests.every(isPure);
    const end = await runTests({ tests, mutant, bail: 1, isolate }, TIMEOUT_MIN_MS + 5 * timeOf(tests));
    if (end.isLate) return { result: "timeout", killers: tests };
    if (!end.passes) return killedBy(end.files, tests);
  }
  return { result: "survived" };
}

/** By all of them if none is named: a mutant may break the run itself. `why`: a test that was only late proves nothing. */
function killedBy(files, tests) {
  const failed = files.filter(({ passes }) => !passes);
  const killers = failed.length > 0 ? failed.map(({ name }) => relative(root, name)) : tests;
  return { result: "killed", killers, why: failed[0]?.why ?? "" };
}

function readState() {
  try {
    return JSON.parse(readFileSync(values.state, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return { tests: {}, mutants: {} };
    throw error;
  }
}

function saveState(state) {
  mkdirSync(dirname(values.state), { recursive: true });
  writeFileSync(`${values.state}.new`, JSON.stringify(state));
  renameSync(`${values.state}.new`, values.state);
}

function figureOf(results) {
  const count = (...ends) => results.filter(({ result }) => ends.includes(result)).length;
  const killed = count("killed", "timeout");
  const share = Math.round((1000 * killed) / Math.max(1, results.length)) / 10;
  return `${killed} of ${results.length} mutants killed (${share} %), ${count("survived")} survived, ${count("untested")} without a test`;
}

function writeReport(results, survivors) {
  const path = join(root, "docs", "evidence", "mutation.md");
  mkdirSync(dirname(path), { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const facts = {
    date,
    seed: values.seed,
    candidates: all.length,
    figure: figureOf(results),
    folders,
    isQuick: values.quick,
  };
  const page =
    values.seed === MAIN_SEED
      ? reportOf(facts, survivors, readReasons(path), readFresh(path))
      : withFresh(readFileSync(path, "utf8"), facts);
  writeFileSync(path, page);
  console.log(`written to ${path}`);
}
