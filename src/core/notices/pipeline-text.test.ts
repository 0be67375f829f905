import { expect, it } from "vitest";
import { pipelineText, tasksText } from "./pipeline-text.js";

const NONE = { pending: 0, processing: 0, blocked: 0, done: 0, failed: 0 };

it.each([
  [NONE, "Pipeline idle. 0 pending, 0 processing."],
  [{ ...NONE, pending: 3 }, "Pipeline waiting. 3 pending, 0 processing."],
  [{ ...NONE, processing: 2, blocked: 1 }, "Pipeline running. 0 pending, 2 processing, 1 blocked."],
  [{ ...NONE, done: 37, failed: 3 }, "Pipeline idle. 0 pending, 0 processing. Closed: 37 done, 3 failed."],
])("says what waits, what runs and what was closed", (totals, text) => {
  expect(pipelineText(totals)).toBe(text);
});

it("says the same about tasks in the words of their states", () => {
  expect(tasksText({ ...NONE, processing: 2, blocked: 1, done: 37 })).toBe(
    "Tasks: 0 pending, 2 in progress, 1 blocked. Closed: 37 done.",
  );
});
