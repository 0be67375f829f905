/** The published figure: docs/evidence/mutation.md. Reasons are written by hand and survive the next run. */
import { existsSync, readFileSync } from "node:fs";

const NO_REASON = "not reviewed";
const QUICK_NOTE = ` This figure is of
\`--quick\`: only tests of the same area that take a few seconds, without the tests in real terminals.`;
const cell = (text) => text.replaceAll("|", "\\|");
const placeOf = ({ file, line }) => `${file}:${line}`;
const keyOf = (place, what) => `${place.replace(/:\d+$/, "")} ${what}`;

/** Reasons by file and change; the line may have moved. */
export function readReasons(path) {
  if (!existsSync(path)) return new Map();
  const rows = readFileSync(path, "utf8").matchAll(/^\| `([^`]+)` \| `` (.+) `` \| (.+) \|$/gm);
  return new Map([...rows].map(([, place, what, reason]) => [keyOf(place, what), reason]));
}

export function reportOf({ date, seed, candidates, figure, folders, isQuick }, survivors, reasons) {
  const rows = survivors.map((one) => {
    const what = cell(one.what);
    return `| \`${placeOf(one)}\` | \`\` ${what} \`\` | ${reasons.get(keyOf(placeOf(one), what)) ?? NO_REASON} |`;
  });
  return `# Mutation run

${figure}. ${date}, seed \`${seed}\`, out of ${candidates} possible mutants of ${folders.map((folder) => `\`${folder}\``).join(", ")}.

\`npm run mutate\` changes the source in one small way at a time and runs the nearest unit tests; \`npm run mutate -- --write\`
writes this page. The simulator and the end-to-end tests are not run.${isQuick ? QUICK_NOTE : ""}

## Survivors

| place | change | reason |
|---|---|---|
${rows.join("\n")}
`;
}
