#!/usr/bin/env node
/**
 * Fails when the working tree judges, decides or scores differently than the commit BASE:
 *
 *     npm run check:timelines BASE -- [--rename OLD=NEW]... [--rules FILE] [--ignore-reasons]
 *     node scripts/check-timelines.mjs --dumps BASE_FILE TREE_FILE [options]
 *
 * Compared are the timelines of BASE's recordings in test/fixtures/cases and of the corpus in ROUSE_CORPUS, what the default
 * policy would have done, the scores of `rouse eval`, and the simulator's decisions. The dump of a commit is kept in
 * .timelines/. Exit code: 0 equal, 1 different, 2 wrong usage or a failed build.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareDumps } from "./timelines/compare.mjs";

const USAGE = "usage: npm run check:timelines BASE -- [--rename OLD=NEW]... [--rules FILE] [--ignore-reasons]";
const SCRIPTS = dirname(fileURLToPath(import.meta.url));
const TREE = dirname(SCRIPTS);
const CORPUS = process.env.ROUSE_CORPUS || null;
const SIMULATOR = "test/sim/dump.config.ts";

class Unusable extends Error {}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Unusable)) throw error;
  console.error(`check:timelines: ${error.message}`);
  process.exitCode = 2;
}

async function main() {
  const { values, positionals } = readArguments();
  const options = {
    renames: [...values.rename.map(readRename), ...values.rules.flatMap(readRules)],
    ignoreReasons: values["ignore-reasons"],
  };
  if (positionals.length !== (values.dumps ? 2 : 1)) throw new Unusable(USAGE);
  const [base, tree] = values.dumps ? positionals.map(readDump) : await dumpBoth(positionals[0]);
  const { cases, differences } = compareDumps(base, tree, options);
  for (const text of differences) console.log(`${text}\n`);
  console.log(`timelines: ${cases} compared, ${differences.length} different`);
  return differences.length > 0 ? 1 : 0;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rename: { type: "string", multiple: true, default: [] },
        rules: { type: "string", multiple: true, default: [] },
        "ignore-reasons": { type: "boolean", default: false },
        dumps: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new Unusable(`${error.message}\n${USAGE}`);
  }
}

function readRename(text) {
  const at = text.indexOf("=");
  if (at < 1) throw new Unusable(`--rename takes OLD=NEW, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function readRules(path) {
  const isPair = (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === "string");
  const rules = readJson(path, (text) => JSON.parse(text));
  if (!Array.isArray(rules) || !rules.every(isPair))
    throw new Unusable(`${path} is not a JSON list of ["old", "new"] pairs`);
  return rules;
}

function readDump(path) {
  return readJson(path, (text) => text.trimEnd().split("\n").filter(Boolean).map(JSON.parse));
}

function readJson(path, parse) {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Unusable(`${path}: ${error.message}`);
  }
}

/** Both sides read the recordings of BASE, so that a new recording does not count as a difference. */
async function dumpBoth(name) {
  const commit = commitOf(name);
  const folder = join(TREE, ".timelines", `${commit.slice(0, 12)}-${keyOfCache()}`);
  if (!existsSync(join(folder, "done"))) await dumpCommit(commit, folder);
  const hasSimulator = existsSync(join(folder, "simulator.jsonl"));
  if (!hasSimulator) console.log(`${name} has no ${SIMULATOR}: the simulator is not compared`);
  const now = mkdtempSync(join(tmpdir(), "rouse-timelines-"));
  try {
    await dump(TREE, join(folder, "cases"), now, hasSimulator);
    return [folder, now].map(readFolder);
  } finally {
    rmSync(now, { recursive: true, force: true });
  }
}

function commitOf(name) {
  try {
    return git("rev-parse", "--verify", "--quiet", `${name}^{commit}`).trim();
  } catch {
    throw new Unusable(`"${name}" is not a commit\n${USAGE}`);
  }
}

/** A dump is reused for the same corpus and the same collector. */
function keyOfCache() {
  const hash = createHash("sha256").update(readFileSync(join(SCRIPTS, "timelines/collect.mjs")));
  return hash
    .update(CORPUS ?? "")
    .digest("hex")
    .slice(0, 8);
}

async function dumpCommit(commit, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const checkout = join(mkdtempSync(join(tmpdir(), "rouse-base-")), "base");
  git("worktree", "add", "--detach", "--quiet", checkout, commit);
  try {
    symlinkSync(join(TREE, "node_modules"), join(checkout, "node_modules"));
    await runNode(checkout, ["node_modules/typescript/bin/tsc", "-b"]);
    cpSync(join(checkout, "test/fixtures/cases"), join(folder, "cases"), { recursive: true });
    await dump(checkout, join(folder, "cases"), folder, existsSync(join(checkout, SIMULATOR)));
    writeFileSync(join(folder, "done"), "");
  } finally {
    git("worktree", "remove", "--force", checkout);
    rmSync(dirname(checkout), { recursive: true, force: true });
  }
}

/** Two processes: the recordings, and the simulator. */
async function dump(checkout, cases, folder, hasSimulator) {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--root", ".", "--config", SIMULATOR];
  await Promise.all([
    runNode(checkout, [
      join(SCRIPTS, "timelines/collect.mjs"),
      checkout,
      cases,
      CORPUS ?? "-",
      join(folder, "recordings.jsonl"),
    ]),
    hasSimulator ? runNode(checkout, vitest, { ROUSE_SIM_DUMP: join(folder, "simulator.jsonl") }) : null,
  ]);
}

function readFolder(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .flatMap((name) => readDump(join(folder, name)));
}

function runNode(cwd, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        output += data;
      });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Unusable(`${args.join(" ")} failed in ${cwd} (${code})\n${output.slice(-4000)}`));
    });
  });
}

function git(...args) {
  return execFileSync("git", args, { cwd: TREE, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
