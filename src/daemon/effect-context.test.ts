import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { rousePaths } from "../config/paths.js";
import { effectContextOf } from "./effect-context.js";
import type { Loop } from "./loop.js";

describe("text that was typed into an agent", () => {
  it("does not end the daemon if it cannot be stored", async () => {
    const ended: unknown[] = [];
    const end = (reason: unknown): void => void ended.push(reason);
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", end);
    try {
      const loop = { ingest: () => Promise.reject(new Error("the disk is full")) } as unknown as Loop;
      const context = effectContextOf(() => loop, { transcriptOf: () => null }, rousePaths({ ROUSE_HOME: "/nowhere" }));
      context.typed?.("s1", { kind: "typed", source: "rouse", at: 1 } as never);
      await sleep(10);
    } finally {
      process.off("unhandledRejection", end);
      for (const listener of others) process.on("unhandledRejection", listener);
    }
    expect(ended).toEqual([]);
  });
});
