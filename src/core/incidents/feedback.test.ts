import { expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { takeFeedback } from "./feedback.js";

it("keeps the feedback on the latest 2000 pairs of agent and problem", () => {
  const world = new World();
  world.check(0, "stuck/loop", { agent: "new" });
  const [incident] = world.open("new");
  if (!incident) throw new Error("it has no incident");
  const old = Array.from({ length: 2000 }, (_, n) => ({ agent: `a${n}`, problem: "loop", falseAlarms: 1, right: 0 }));
  world.incidentState.feedback = old as typeof world.incidentState.feedback;
  takeFeedback(world.incidentState, incident, "false-alarm", 5);
  const { feedback } = world.incidentState;
  expect(feedback).toHaveLength(2000);
  expect(feedback[0]?.agent).toBe("a1");
  expect(feedback.at(-1)).toEqual({ agent: "new", problem: "loop", falseAlarms: 1, right: 0 });
});
