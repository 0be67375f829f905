/** The published figure: docs/evidence/mutation.md. Reasons are written by hand and survive the next run. */
import { existsSync, readFileSync } from "node:fs";

const NO_REASON = "not reviewed";
const FRESH = /^Fresh seed: .+$/m;
const NO_FRESH = "Fresh seed: not run yet.";
const QUICK_NOTE = ", quick tests of the same area only";
const cell = (text) => text.replaceAll("|", "\\|");
const placeOf = ({ file, line }) => `${file}:${line}`;
const keyOf = (place, what) => `${place.replace(/:\d+$/, "")} ${what}`;

/** Reasons by file and change; the line may have moved. */
export function readReasons(path) {
  if (!existsSync(path)) return new Map();
  const rows = readFileSync(path, "utf8").matchAll(/^\| `([^`]+)` \| `` (.+) `` \| (.+) \|$/gm);
  return new Map([...rows].map(([, place, what, reason]) => [keyOf(place, what), reason]));
}

/** The figure of a seed that no test was written for; kept by a run of the main seed. */
export function readFresh(path) {
  return (existsSync(path) && FRESH.exec(readFileSync(path, "utf8"))?.[0]) || NO_FRESH;
}

/** The page with another figure of a fresh seed, and otherwise unchanged. */
export function withFresh(page, facts) {
  return page.replace(FRESH, () => `Fresh seed: ${figureLine(facts)}`);
}

const figureLine = ({ figure, date, seed, isQuick }) =>
  `${figure}. ${date}, seed \`${seed}\`${isQuick ? QUICK_NOTE : ""}.`;

export function reportOf(facts, survivors, reasons, fresh) {
  const rows = survivors.map((one) => {
    const what = cell(one.what);
    return `| \`${placeOf(one)}\` | \`\` ${what} \`\` | ${reasons.get(keyOf(placeOf(one), what)) ?? NO_REASON} |`;
  });
  return `# Mutation run

${figureLine(facts)}

${fresh}

Tests were written for survivors of the first seed, so its figure is too high for the code as a whole. No test was written for
the survivors of the fresh seed: its figure is the better estimate. A seed is fresh until tests are written for its survivors;
after that, the next estimate needs another seed.

## How it is measured

A mutant is the source with one small change: a comparison or an operator replaced, a condition set to true or false, a number
doubled or set to zero, an element or a statement removed. There are ${facts.candidates} possible mutants of ${facts.folders.map((folder) => `\`${folder}\``).join(", ")};
the seed decides which of them are tried. For each one, up to eight test files that import the changed file run, the nearest
first, of the slow ones at most two. It is killed if a test fails or does not end in time; otherwise it has survived. The
simulator, the recordings and the end-to-end tests do not run, so they may notice some survivors.

\`npm run mutate\` tries the mutants and continues where it was ended: a result is kept while the source and its tests stay the
same. \`npm run mutate -- --write\` writes this page; with another \`--seed\`, only the line of the fresh seed.

## Survivors

| place | change | reason |
|---|---|---|
${rows.join("\n")}
`;
}
