import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { waitingJson } from "./slow-answers.js";

describe("a slow answer", () => {
  it("is the result of the work", async () => {
    expect(await waitingJson(Promise.resolve({ done: 1 })).json()).toEqual({ done: 1 });
  });

  it("does not end the daemon if its client left before the work was done", async () => {
    const ended: unknown[] = [];
    const end = (reason: unknown): void => void ended.push(reason);
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", end);
    try {
      let finish: (value: unknown) => void = () => {};
      const work = new Promise((resolve) => {
        finish = resolve;
      });
      await waitingJson(work).body?.cancel();
      finish({ done: 1 });
      await sleep(10);
    } finally {
      process.off("unhandledRejection", end);
      for (const listener of others) process.on("unhandledRejection", listener);
    }
    expect(ended).toEqual([]);
  });
});
