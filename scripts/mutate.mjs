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
 *   --list         print the mutants and run nothing
 *   --write        write the figure, the date and the survivors to docs/evidence/mutation.md; their reasons are kept
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { digest, mutantsOf, pickMutants } from "./mutation/mutants.mjs";
import { nearTests, readImports } from "./mutation/near-tests.mjs";
import { readReasons, reportOf } from "./mutation/report.mjs";

/** What is mutated: files, or folders with everything below them. */
const FOLDERS = ["src/core/policy", "src/core/incidents", "src/core/notices", "src/effects"];
/** The folders of unit tests. Whole daemons and the simulator are too slow to run for each mutant. */
const TESTS = ["src/", "test/effects/", "test/fixtures/mutate/"];
/** This many of the nearest test files are run for a mutant, except those that take longer than this. */
const TESTS_MAX = 8;
const SLOW_MS = 60_000;
/** Test files that take less than this run first; most mutants end there. */
const QUICK_MS = 2000;
/** The slow ones wait for other processes most of the time, so they run side by side. */
const SLOW_WORKERS = 4;
/** Tests of pure functions share one module graph, which halves the time of a mutant. */
const PURE = "src/core/";
const TIMEOUT_MIN_MS = 30_000;
const CLEAN_TIMEOUT_MS = 20 * 60_000;

const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "rouse" },
    only: { type: "string", default: "" },
    folders: { type: "string" },
    workers: { type: "string", default: "2" },
    state: { type: "string", default: join(root, ".mutate", "state.json") },
    list: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

const read = (file) => readFileSync(join(root, file), "utf8");
const folders = values.folders?.split(",") ?? FOLDERS;
const files = folders.flatMap(sourcesIn);
const all = files.flatMap((file) => mutantsOf(file, read(file)));
const picked = pickMutants(all, values.seed, Number(values.count)).filter(({ file }) => file.includes(values.only));

if (values.list) for (const mutant of picked) console.log(describe(mutant));
else await run();

async function run() {
  const importers = readImports(root, ["src", "test"]);
  const isTest = (name) => TESTS.some((folder) => name.startsWith(folder));
  const nearest = new Map(files.map((file) => [file, nearTests(importers, file, isTest).slice(0, TESTS_MAX)]));
  const state = readState();
  await measure(state, new Set(picked.flatMap(({ file }) => nearest.get(file))));
  const results = [];
  for (const [place, mutant] of picked.entries()) {
    const near = nearest.get(mutant.file);
    const known = state.mutants[mutant.id];
    if (!known || known.basis !== basisOf(mutant, known.killers ?? near)) {
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
}

/** Each test once without a mutant: a test that fails anyway proves nothing, and its time bounds that of a mutant. */
async function measure(state, tests) {
  const isKnown = (test) => state.tests[test]?.passes && state.tests[test].basis === digest(read(test));
  const stale = [...tests].filter((test) => !isKnown(test));
  if (stale.length === 0) return;
  console.log(`running ${stale.length} test files without a mutant`);
  const { files: ran } = await runTests(stale, null, CLEAN_TIMEOUT_MS, [`--maxWorkers=${values.workers}`]);
  for (const file of ran) {
    const test = relative(root, file.name);
    if (hasFailed(file)) console.log(`skipped, fails without a mutant: ${test}`);
    state.tests[test] = {
      basis: digest(read(test)),
      passes: !hasFailed(file),
      ms: Math.ceil(file.endTime - file.startTime),
    };
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
  for (const tests of [usable.filter(isQuick), usable.filter((test) => !isQuick(test))]) {
    if (tests.length === 0) continue;
    const isPure = tests.every((test) => test.startsWith(PURE));
    const workers = isQuick(tests[0]) ? values.workers : SLOW_WORKERS;
    const options = ["--bail=1", `--maxWorkers=${workers}`, ...(isPure ? ["--no-isolate"] : [])];
    const end = await runTests(tests, mutant, TIMEOUT_MIN_MS + 5 * timeOf(tests), options);
    if (end.isLate) return { result: "timeout", killers: tests };
    if (!end.passes) return { result: "killed", killers: namesOf(end.files.filter(hasFailed), tests) };
  }
  return { result: "survived" };
}

function hasFailed({ status }) {
  return status !== "passed";
}

/** All of them if none is named: a mutant may break the run itself. */
function namesOf(failed, tests) {
  return failed.length > 0 ? failed.map(({ name }) => relative(root, name)) : tests;
}

/** Runs tests in a process of their own; `files` is what the JSON reporter of vitest says about each. */
async function runTests(tests, mutant, timeoutMs, more) {
  const report = `${values.state}.tests`;
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const config = join(import.meta.dirname, "mutate-vitest.mjs");
  const reporting = ["--reporter=json", `--outputFile=${report}`];
  const options = ["run", "--config", config, ...reporting, ...more];
  // A group of its own: a mutant that loops for ever is ended together with its workers.
  const child = spawn(process.execPath, [vitest, ...options, ...tests], {
    cwd: root,
    detached: true,
    stdio: "ignore",
    env: { ...process.env, ROUSE_MUTANT: JSON.stringify(mutant) },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  const files = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : [];
  rmSync(report, { force: true });
  return { isLate, passes: !isLate && code === 0, files };
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
  const facts = { date, seed: values.seed, candidates: all.length, figure: figureOf(results), folders };
  writeFileSync(path, reportOf(facts, survivors, readReasons(path)));
  console.log(`written to ${path}`);
}
