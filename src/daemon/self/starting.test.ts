import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { answerStarting, inPieces, type RestoreProgress } from "./starting.js";

describe("the start of the daemon", () => {
  it("answers with its progress while it works", async () => {
    const fold: RestoreProgress = { folded: 0, of: 4 };
    const server = createServer((request, response) => answerStarting("1.0", fold, request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const ask = async (path: string): Promise<[number, unknown]> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return [answer.status, await answer.json()];
    };
    const answers: Promise<[number, unknown]>[] = [];
    function* work(): Generator<number, number> {
      for (let folded = 1; folded <= 4; folded++) {
        if (folded === 2) answers.push(ask("/v1/health"), ask("/v1/sessions"));
        const until = performance.now() + 40;
        while (performance.now() < until);
        yield folded;
      }
      return 4;
    }
    await inPieces(work(), fold);
    const [health, other] = await Promise.all(answers);
    expect(health).toEqual([
      200,
      { ok: false, version: "1.0", pid: process.pid, starting: { folded: expect.any(Number), of: 4 } },
    ]);
    expect(other).toEqual([
      503,
      { error: expect.stringMatching(/^the daemon is starting: \d+ % of its journal is read/) },
    ]);
    expect(fold.folded).toBe(4);
    await new Promise((resolve) => server.close(resolve));
  });

  it("fails if its work fails", async () => {
    function* broken(): Generator<number, number> {
      yield 1;
      throw new Error("disk");
    }
    await expect(inPieces(broken(), { folded: 0, of: 0 })).rejects.toThrow("disk");
  });
});
