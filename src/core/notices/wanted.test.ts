import { expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { POLICIES } from "../policy/builtin.js";
import type { AlertState, Notice } from "./alert.js";
import { subjectOf } from "./contents.js";
import { isStillWanted } from "./wanted.js";

it("an alert is not sent once all its incidents are acknowledged or silenced, but its end is", () => {
  const world = new World(POLICIES.observe);
  for (const agent of ["a", "b"]) world.check(0, "needs_input/permission", { agent });
  const { incidents, silences } = world.incidentState;
  const alert = { subject: "group:g", members: incidents.map(subjectOf) } as unknown as AlertState;
  const wanted = (edge: string, alerts = [alert]): boolean => {
    const notice = { kind: "watchdog", edge, subject: "group:g" } as Notice;
    return isStillWanted(notice, world.incidentState, new Map(alerts.map((one) => [one.subject, one])), START);
  };
  const [first, second] = incidents;
  if (!first || !second) throw new Error("incidents are missing");
  expect(wanted("opened")).toBe(true);
  first.ackedAt = START;
  expect(wanted("opened")).toBe(true);
  silences.push({ agent: "b", problem: null, at: START, until: START + 1 });
  expect(wanted("opened")).toBe(false);
  expect(wanted("resolved")).toBe(true);
  expect(wanted("opened", [])).toBe(true);
});
