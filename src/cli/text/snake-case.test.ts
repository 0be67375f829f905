import { expect, it } from "vitest";
import { snakeCased } from "./snake-case.js";

it("keys of the code become snake_case at every depth; names and values stay", () => {
  const figures = { falseAlarms: [{ quietSeconds: 1, truth: "notHeld" }], "Bash npm": 2, p95: null };
  expect(snakeCased(figures)).toEqual({
    false_alarms: [{ quiet_seconds: 1, truth: "notHeld" }],
    "Bash npm": 2,
    p95: null,
  });
});
