/** Runs tests with one mutant in place of its file; the file itself is never written. Used by mutate.mjs. */
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import { applyMutant } from "./mutation/mutants.mjs";

const root = resolve(import.meta.dirname, "..");

/** The nearest tests first: most mutants die there, and the others need not be loaded. */
class NearestFirst extends BaseSequencer {
  async sort(files) {
    const order = (process.env.ROUSE_MUTANT_TESTS ?? "").split(",");
    const place = ({ moduleId }) => order.indexOf(relative(root, moduleId));
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

const mutate = {
  name: "mutate",
  enforce: "pre",
  load(id) {
    // Both change from run to run while vitest stays alive.
    const mutant = JSON.parse(process.env.ROUSE_MUTANT ?? "null");
    if (mutant === null || id.split("?")[0] !== join(root, mutant.file)) return null;
    return applyMutant(readFileSync(join(root, mutant.file), "utf8"), mutant);
  },
};

export default defineConfig({
  root,
  plugins: [mutate],
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/setup/outside.ts"],
    setupFiles: ["scripts/mutate-guard.mjs"],
    sequence: { sequencer: NearestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
