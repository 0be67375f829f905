import { defineConfig } from "vitest/config";

/**
 * `npm test` is the quick run; `npm run test:full` (or ROUSE_FULL=1) asks for the large counts. A test reads
 * `process.env.ROUSE_FULL` and chooses its own number of runs, so both ways end in that one variable.
 */
export default defineConfig(({ mode }) => {
  const full = mode === "full" || process.env.ROUSE_FULL === "1";
  return {
    test: {
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      exclude: ["test/fixtures/**"],
      env: full ? { ROUSE_FULL: "1" } : {},
      testTimeout: full ? 1_200_000 : 30_000,
      hookTimeout: full ? 600_000 : 60_000,
    },
  };
});
