import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/setup/longest-first.js";

/**
 * `npm test` is the quick run; `npm run test:full` (or ROUSE_FULL=1) asks for the large counts. A test reads
 * `process.env.ROUSE_FULL` and chooses its own number of runs, so both ways end in that one variable.
 */
export default defineConfig(({ mode }) => {
  const full = mode === "full" || process.env.ROUSE_FULL === "1";
  return {
    // The examples import the package by its name.
    resolve: {
      alias: [
        { find: /^rouse\/core$/, replacement: join(import.meta.dirname, "src/core/index.ts") },
        { find: /^rouse$/, replacement: join(import.meta.dirname, "src/api/library.ts") },
      ],
    },
    test: {
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      exclude: ["test/fixtures/**"],
      globalSetup: ["test/setup/outside.ts"],
      env: full ? { ROUSE_FULL: "1" } : {},
      // A hung test ends; nothing else is measured by these. Two busy cores took four times as long as two idle ones.
      testTimeout: full ? 1_200_000 : 120_000,
      hookTimeout: full ? 600_000 : 120_000,
      // Most of the long ones wait for other processes. Left alone, two cores would run one file at a time.
      maxWorkers: Math.max(4, availableParallelism()),
      sequence: { sequencer: LongestFirst },
      // Real processes on a machine that others use: in CI one failure is tried once more, and named in the report.
      retry: process.env.CI ? 1 : 0,
    },
  };
});
