/**
 * Writes what the command line prints for every recording, one JSON line {part, case, entries} each:
 *
 *     node collect.mjs CHECKOUT CASES CORPUS|- OUT
 *
 * All commands run in this one process: the command line is imported again for each, its modules stay loaded.
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [checkout = "", cases = "", corpusArgument = "-", out = ""] = process.argv.slice(2);
const corpus = corpusArgument === "-" ? null : resolve(corpusArgument);
const main = pathToFileURL(resolve(checkout, "dist/cli/main.js")).href;
const found = [];
let runs = 0;
process.stdout.setMaxListeners(0);
process.env.TZ = "UTC";

const folders = [cases, ...(corpus && existsSync(join(corpus, "live")) ? [join(corpus, "live")] : [])];
for (const folder of folders) {
  const part = folder === cases ? "cases" : "live";
  for (const row of rowsOf(await rouse("replay", folder, "--json"))) add(part, row.case, row.timeline);
  // Older commits print `wouldDo`, and `cause` for the problem of a step.
  for (const row of rowsOf(await rouse("replay", folder, "--policy", "default", "--json")))
    add(
      `${part}, policy`,
      row.case,
      (row.planned_steps ?? row.wouldDo).map(({ t, do: name, cause, problem = cause, ...rest }) => ({
        t,
        do: name,
        problem,
        ...rest,
      })),
    );
}
if (corpus && existsSync(join(corpus, "peer_cases.jsonl")))
  for (const row of rowsOf(await rouse("replay", "--events", join(corpus, "peer_cases.jsonl"), "--json")))
    add("events", row.case, row.timeline);
for (const file of transcriptsOf(corpus)) {
  const rows = rowsOf(await rouse("replay", "--transcript", join(corpus, "sessions", file), "--json"));
  add(
    "transcripts",
    file,
    rows.flatMap(({ timeline }) => timeline),
  );
}
for (const folder of [cases, ...(corpus ? [corpus] : [])]) {
  const { text, problems } = await rouse("eval", folder, "--json");
  add("eval", folder === cases ? "cases" : "corpus", text === "" ? [failure(problems)] : figuresOf(JSON.parse(text)));
}
writeFileSync(out, found.map((row) => `${JSON.stringify(row)}\n`).join(""));
process.exit(0);

function add(part, name, entries) {
  found.push({ part, case: name, entries });
}

function transcriptsOf(folder) {
  if (!folder || !existsSync(join(folder, "sessions"))) return [];
  return readdirSync(join(folder, "sessions"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
    .sort();
}

/** A failed command leaves its error in place of its rows. */
function rowsOf({ text, problems }) {
  if (text === "") return [{ case: "none", timeline: [failure(problems)], planned_steps: [failure(problems)] }];
  return text.trimEnd().split("\n").map(JSON.parse);
}

function failure(reason) {
  return { failed: true, reason };
}

/** Every number and word of a score as an entry of its own, so that a difference names its position. */
function figuresOf(value, path = "") {
  if (value === null || typeof value !== "object") return [{ figure: path, value }];
  return Object.entries(value).flatMap(([key, inner]) => figuresOf(inner, path === "" ? key : `${path}.${key}`));
}

async function rouse(...args) {
  process.argv = [process.argv[0], join(checkout, "bin/rouse"), ...args];
  let text = "";
  let problems = "";
  // The prototype's own write stays, and is seen again once these are gone.
  process.stdout.write = (chunk) => {
    text += chunk;
    return true;
  };
  process.stderr.write = (chunk) => {
    problems += chunk;
    return true;
  };
  try {
    runs += 1;
    await import(`${main}?run=${runs}`);
  } finally {
    delete process.stdout.write;
    delete process.stderr.write;
  }
  return { text, problems };
}
