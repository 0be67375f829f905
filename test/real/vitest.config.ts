import { defineConfig } from "vitest/config";

/**
 * `npm run test:real`. Most cases wait for real time to pass; the limit is the start of the clients on few cores.
 */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    // The live table takes hours and is run cell by cell; the rest is run as a whole.
    include: process.env.ROUSE_REAL_CELL ? ["live.real.ts"] : ["*.real.ts"],
    exclude: process.env.ROUSE_REAL_CELL ? [] : ["live.real.ts"],
    // A file mostly waits too.
    maxWorkers: 4,
    // A missed recovery of a starved client takes longest.
    testTimeout: 2_400_000,
    hookTimeout: 900_000,
    maxConcurrency: Number(process.env.ROUSE_REAL_JOBS) || 4,
  },
});
