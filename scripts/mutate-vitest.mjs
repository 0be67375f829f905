/** Runs tests with one mutant in place of its file; the file itself is never written. Used by mutate.mjs. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { applyMutant } from "./mutation/mutants.mjs";

const root = resolve(import.meta.dirname, "..");
const mutant = JSON.parse(process.env.ROUSE_MUTANT ?? "null");

const mutate = {
  name: "mutate",
  enforce: "pre",
  load(id) {
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
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
