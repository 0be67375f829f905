/** Reads a user's copy of a public set of failed runs: every `.json` and `.jsonl` file of a folder. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sanitize } from "../core/text/sanitize.js";
import { type FailedRun, type PublicSet, readRuns } from "../eval/diagnosis/failed-run.js";
import { whyUnreadable } from "../replay/bad-input.js";
import { BadInput } from "../replay/files.js";

export function readPublicSet(folder: string, set: PublicSet): FailedRun[] {
  const { runs, skipped } = readRuns(set, objectsIn(folder));
  if (runs.length === 0) throw new BadInput(`${folder} contains no run in the format of ${set}`);
  if (skipped > 0)
    process.stderr.write(
      `rouse: ${sanitize(folder)}: skipped ${skipped} objects (not a run of ${set} with its label)\n`,
    );
  return runs;
}

/** What is not JSON counts as an object that fits nothing. */
function objectsIn(folder: string): unknown[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .flatMap((name) => {
        const isLines = name.endsWith(".jsonl");
        if (!isLines && !name.endsWith(".json")) return [];
        const text = readFileSync(join(folder, name), "utf8");
        return isLines ? text.split("\n").flatMap((line) => (line.trim() === "" ? [] : parsed(line))) : parsed(text);
      });
  } catch (error) {
    throw new BadInput(whyUnreadable(folder, error));
  }
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [null];
  }
}
