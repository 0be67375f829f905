/** 100 MB through `rouse run` and through `script -qc`, each in the same outer terminal, in turn. */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { timed } from "./measure.mjs";
import { BIN, canMeasure, makeHome, median, removeHome, run } from "./processes.mjs";

const MEGABYTES = 100;
const ROUNDS = 7;
const RATIO_MAX = 1.6;

export function benchPassthrough() {
  if (!canMeasure) return [];
  const home = makeHome("off");
  try {
    const file = writeOutput(join(home.path, "output"));
    const programs = {
      script: `script -qc "cat ${file}" /dev/null`,
      rouse: `${process.execPath} ${BIN} run -- cat ${file}`,
    };
    const took = { script: [], rouse: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const names = Object.keys(programs);
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        // The outer terminal reads the bytes as fast as it can.
        const command = ["script", "-qc", programs[name], join(home.path, "typescript")];
        took[name].push(timed(() => run(home, ["sh", "-c", 'exec "$@" >/dev/null', "sh", ...command])));
      }
    }
    const [script, rouse] = [median(took.script), median(took.rouse)];
    return [
      {
        name: `passthrough of ${MEGABYTES} MB, rouse run (median of ${ROUNDS})`,
        figure: rouse / script,
        unit: "× script -qc",
        relation: "<=",
        bar: RATIO_MAX,
        detail: { rouseMs: rouse, scriptMs: script, best: Math.min(...took.rouse) / Math.min(...took.script) },
      },
    ];
  } finally {
    removeHome(home);
  }
}

function writeOutput(path) {
  const lines = Array.from({ length: 20_000 }, (_, n) => `${n} \x1b[32mok\x1b[0m a line of the output of a build\n`);
  const block = Buffer.from(lines.join(""));
  const file = openSync(path, "w");
  for (let left = MEGABYTES * 1e6; left > 0; left -= block.length) {
    writeSync(file, block, 0, Math.min(left, block.length));
  }
  closeSync(file);
  return path;
}
