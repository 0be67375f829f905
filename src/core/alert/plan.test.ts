import { expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { RULES } from "../../../test/support/telling.js";
import { POLICIES } from "../policy/builtin.js";
import { planAlerts } from "./plan.js";

it("a trouble that comes back after its outage was over is told by itself", () => {
  const world = new World(POLICIES.observe);
  world.look(0, "needs_input/permission", { agent: "api" });
  const [incident] = world.open("api");
  if (!incident) throw new Error("it has no incident");
  incident.outage = "o1";
  const edge = { at: START, severity: "critical", kind: "worker.error" } as const;
  const told = { subject: "outage:o1", members: [], channels: ["ops"] };
  const input = { book: world.book, rules: { ...RULES, groupWaitMs: 0 }, now: START + 60_000 };
  const during = planAlerts({ ...input, known: [{ ...told, edges: [{ ...edge, edge: "opened" }] }] });
  expect(during.filter((one) => one.edge === "opened")).toEqual([]);
  const edges = [
    { ...edge, edge: "opened" },
    { ...edge, edge: "resolved" },
  ] as const;
  const after = planAlerts({ ...input, known: [{ ...told, edges }] });
  expect(after.map((one) => `${one.edge} ${one.subject}`)).toEqual([`opened incident:${incident.id}.0`]);
});
