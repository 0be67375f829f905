/**
 * `npm run bench`: ratios measured side by side in one run, each against its bar. `--json` prints them for programs,
 * `--strict` exits with 1 when a bar is missed, `--rounds N` takes the best of N (15), `--only NAME` runs one part,
 * `--cases FOLDER` reads the terminals of other recordings, `--profile FOLDER` writes a CPU profile of the daemon.
 */
import { parseArgs } from "node:util";
import { benchDashboard } from "./dashboard.mjs";
import { benchFleet } from "./fleet.mjs";
import { benchHost } from "./host.mjs";
import { benchJournal } from "./journal.mjs";
import { benchJudging } from "./judging.mjs";
import { benchMemory } from "./memory.mjs";
import { benchPassthrough } from "./passthrough.mjs";
import { casesIn } from "./recordings.mjs";
import { benchReplay } from "./replay.mjs";
import { benchStartUp } from "./start-up.mjs";
import { benchTerminal } from "./terminal.mjs";
import { benchTop } from "./top.mjs";

const { values } = parseArgs({
  options: {
    json: { type: "boolean" },
    strict: { type: "boolean" },
    rounds: { type: "string", default: "15" },
    only: { type: "string", multiple: true },
    cases: { type: "string" },
    profile: { type: "string" },
  },
});
const rounds = Math.max(1, Number.parseInt(values.rounds, 10) || 15);

const PARTS = {
  terminal: () => benchTerminal({ rounds, cases: values.cases }),
  judging: () => benchJudging({ rounds }),
  replay: () => benchReplay({ rounds: Math.min(rounds, 3) }),
  journal: benchJournal,
  memory: benchMemory,
  "start-up": benchStartUp,
  top: benchTop,
  dashboard: benchDashboard,
  passthrough: benchPassthrough,
  host: benchHost,
  fleet: () => benchFleet({ profile: values.profile }),
};
const unknown = (values.only ?? []).filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`unknown part: ${unknown.join(", ")}; available: ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}

if (values.cases !== undefined && casesIn(values.cases).length === 0) {
  console.error(`no recordings in ${values.cases}; expected a folder of case folders, as in test/fixtures/cases`);
  process.exit(2);
}

const rows = [];
for (const name of values.only ?? Object.keys(PARTS)) rows.push(...(await PARTS[name]()));
const results = rows.map((row) => ({
  ...row,
  met: row.relation === ">=" ? row.figure >= row.bar : row.figure <= row.bar,
}));

if (values.json) {
  const machine = { node: process.version, arch: process.arch, platform: process.platform };
  console.log(JSON.stringify({ at: new Date().toISOString(), machine, rounds, results }, null, 1));
} else {
  for (const { name, figure, unit, relation, bar, met, detail } of results) {
    const more = Object.entries(detail).map(([key, value]) => `${key} ${short(value)}`);
    const mark = met ? "met" : "MISSED";
    console.log(`${name.padEnd(62)} ${short(figure).padStart(10)} ${relation} ${short(bar)} ${unit}  ${mark}`);
    if (more.length > 0) console.log(`    ${more.join(", ")}`);
  }
}
if (values.strict && results.some((row) => !row.met)) process.exitCode = 1;

function short(value) {
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  return value.toFixed(value < 0.1 ? 4 : value < 10 ? 2 : 1);
}
