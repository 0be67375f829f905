import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** `npm test`: the tests beside the sources, and what in `test` is as quick. */
const QUICK = ["src/**/*.test.ts", "test/*.test.ts", "test/{channels,quick,sensors,store}/**/*.test.ts"];

/**
 * `npm test` runs the project `quick`, `npm run test:system` all other tests: real terminals, tmux, the simulator, hostile input,
 * the demo. `npm run test:full` (or ROUSE_FULL=1) runs both with the large counts: a test reads `process.env.ROUSE_FULL` and
 * chooses its own number of runs.
 */
export default defineConfig(({ mode }) => {
  const full = mode === "full" || process.env.ROUSE_FULL === "1";
  const project = (name: string, include: string[], exclude: string[], timeout: number) => ({
    // The examples import the package by its name.
    resolve: {
      alias: [
        { find: /^rouse\/core$/, replacement: join(import.meta.dirname, "src/core/index.ts") },
        { find: /^rouse$/, replacement: join(import.meta.dirname, "src/api/library.ts") },
      ],
    },
    test: {
      name,
      include,
      exclude: ["test/fixtures/**", ...exclude],
      globalSetup: ["test/setup/outside.ts"],
      env: full ? { ROUSE_FULL: "1" } : {},
      // A hung test ends; nothing else is measured by these. Two very busy cores took nine times as long as two idle ones.
      testTimeout: full ? 1_200_000 : timeout,
      hookTimeout: full ? 600_000 : timeout,
    },
  });
  return {
    test: {
      // Most of the long ones wait for other processes. Left alone, two cores would run one file at a time.
      maxWorkers: Math.max(4, availableParallelism()),
      projects: [project("quick", QUICK, [], 120_000), project("system", ["test/**/*.test.ts"], QUICK, 300_000)],
    },
  };
});
