#!/usr/bin/env node
/**
 * Writes docs/evidence/figures.json and the pages that publish figures. Reads the JSON of earlier runs; figures without a new
 * file keep their value and date:
 *
 *   npm run figures -- [--corpus eval.json] [--recordings eval.json] [--bench bench.json]
 */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchFigures, corpusFigures, mutationFigures, recordingsFigures } from "./figures/collect.mjs";
import { PAGES, publish } from "./figures/publish.mjs";

const { values } = parseArgs({
  options: { corpus: { type: "string" }, recordings: { type: "string" }, bench: { type: "string" } },
});
const at = (path) => new URL(`../${path}`, import.meta.url);
const read = (path) => readFileSync(at(path), "utf8");
const dateOf = (path) => statSync(path).mtime.toISOString().slice(0, 10);
const taken = (path, collect) =>
  path === undefined ? null : collect(JSON.parse(readFileSync(path, "utf8")), dateOf(path));

const FILE = "docs/evidence/figures.json";
const MUTATION = "docs/evidence/mutation.md";
const before = existsSync(at(FILE)) ? JSON.parse(read(FILE)).figures : {};
const now = {
  corpus: taken(values.corpus, corpusFigures),
  recordings: taken(values.recordings, recordingsFigures),
  speed: taken(values.bench, benchFigures),
  mutation: existsSync(at(MUTATION)) ? mutationFigures(read(MUTATION), dateOf(at(MUTATION))) : null,
};
// A new run replaces all figures of its part.
const kept = Object.entries(before).filter(([key]) => !now[key.split(".")[0]]);
const figures = Object.assign(Object.fromEntries(kept), ...Object.values(now).map((part) => part ?? {}));
writeFileSync(at(FILE), `${JSON.stringify({ figures }, null, 2)}\n`);
for (const [path, text] of Object.entries(PAGES)) writeFileSync(at(path), publish(read(path), text(figures)));
