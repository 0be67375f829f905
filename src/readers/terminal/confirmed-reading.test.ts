import { expect, it } from "vitest";
import { ConfirmedReading } from "./confirmed-reading.js";
import type { ScreenFacts } from "./screen-check.js";

const facts: ScreenFacts = { reply: "r", lastLine: "l", busy: false, composer: "empty" };

it.each<[string, Partial<ScreenFacts>, Partial<ScreenFacts>]>([
  ["the number of background tasks", { background: 1 }, { background: 2 }],
  ["busy", { busy: true }, { busy: false }],
  ["the composer", { composer: "empty" }, { composer: "draft" }],
  ["compaction", {}, { compacting: true }],
])("states a change of %s once two checks agree on it", (_, before, after) => {
  const settling = new ConfirmedReading();
  for (const at of [0, 500]) {
    settling.see({ ...facts, ...before }, at);
    settling.say(at);
  }
  settling.see({ ...facts, ...after }, 1000);
  expect(settling.isUnsettled).toBe(true);
  expect(settling.say(1000)).toBeNull();
  settling.see({ ...facts, ...after }, 1500);
  expect(settling.say(1500)).toMatchObject(after);
});
