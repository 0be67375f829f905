import { defineConfig } from "vitest/config";

/**
 * `npm run test:real`. Most cases wait for real time to pass; the limit is the start of the clients on few cores.
 */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.real.ts"],
    // A file mostly waits too.
    maxWorkers: 4,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxConcurrency: Number(process.env.ROUSE_REAL_JOBS) || 4,
  },
});
