import { beforeEach, expect, it } from "vitest";
import type { Signal } from "../../core/signal.js";
import { SignalBacklog } from "./signal-backlog.js";

const seen = (at: number): Signal => ({ kind: "output", at, source: "screen", bytes: 1 });

let stored: number[];
let isFull: boolean;
let backlog: SignalBacklog;
beforeEach(() => {
  stored = [];
  isFull = true;
  backlog = new SignalBacklog(async (_, signals) => {
    if (isFull) throw new Error("disk full");
    stored.push(...signals.map(({ at }) => at));
  });
});

it("sends every signal once and in order, however often the store refuses", async () => {
  await backlog.add("s1", [seen(1), seen(2)]);
  await Promise.all([backlog.add("s1", [seen(3)]), backlog.add("s1", [seen(4)])]);
  expect(backlog.isDone).toBe(false);
  isFull = false;
  await backlog.reportAgain();
  expect(stored).toEqual([1, 2, 3, 4]);
  expect(backlog.isDone).toBe(true);
});

it("keeps the newest signals if the store refuses for a long time", async () => {
  for (let n = 0; n < 21; n++)
    await backlog.add(
      "s1",
      Array.from({ length: 1000 }, (_, i) => seen(n * 1000 + i)),
    );
  isFull = false;
  await backlog.reportAgain();
  expect([stored.length, stored[0], stored.at(-1)]).toEqual([20_000, 1000, 20_999]);
});
