import { expect, it } from "vitest";
import { carryOver } from "./carry-over.js";
import { createIncidentState } from "./incident.js";

it("a renamed agent keeps its feedback, added to that of an earlier agent of the new name, by problem", () => {
  const state = createIncidentState();
  state.feedback = [
    { agent: "new", problem: "api", falseAlarms: 7, right: 7 },
    { agent: "other", problem: "loop", falseAlarms: 5, right: 5 },
    { agent: "new", problem: "loop", falseAlarms: 1, right: 0 },
    { agent: "old", problem: "loop", falseAlarms: 2, right: 3 },
  ];
  carryOver(state, "old", "new");
  expect(state.feedback).toEqual([
    { agent: "new", problem: "api", falseAlarms: 7, right: 7 },
    { agent: "other", problem: "loop", falseAlarms: 5, right: 5 },
    { agent: "new", problem: "loop", falseAlarms: 3, right: 3 },
  ]);
});

it("a renamed agent has been unobserved since the earlier time of both names, and is listed once", () => {
  const state = createIncidentState();
  state.blind = [
    { agent: "old", since: 20 },
    { agent: "new", since: 10 },
    { agent: "other", since: 5 },
  ];
  carryOver(state, "old", "new");
  expect(state.blind).toEqual([
    { agent: "other", since: 5 },
    { agent: "new", since: 10 },
  ]);
});
