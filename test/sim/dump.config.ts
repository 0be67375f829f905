import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["test/sim/dump.ts"], reporters: ["dot"] } });
