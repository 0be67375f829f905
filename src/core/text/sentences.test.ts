import { expect, it } from "vitest";
import { joinSentences } from "./sentences.js";

it.each([
  [["loop: nudge (attempt 1 of 2)", "same call 4 times"], "loop: nudge (attempt 1 of 2). Same call 4 times"],
  [["The turn ended.", "Then the process exited"], "The turn ended. Then the process exited"],
  [["it is working now", undefined], "it is working now"],
  [["", "it is idle"], "it is idle"],
])("joins %j as sentences, without a period at the end", (parts, text) => {
  expect(joinSentences(parts)).toBe(text);
});
