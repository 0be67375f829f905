import { describe, expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { POLICIES } from "../../core/policy/builtin.js";
import { findIncident } from "./incident-view.js";

describe("an incident", () => {
  const sensors = new World(POLICIES.observe);
  sensors.check(0, "stuck/loop", { agent: "api" });
  sensors.check(10, "working", { agent: "api", progress: 5 });
  sensors.check(60, "working", { agent: "api", progress: 55 });
  sensors.check(0, "error/auth", { agent: "web" });
  const [ended, open] = sensors.incidentState.incidents;
  const found = (word: string): string => {
    const incident = findIncident(sensors.incidentState, word, ["api", "web", "docs"]);
    return typeof incident === "string" ? incident : `found ${incident.problem}`;
  };

  it("is found by its id, by the first three characters of it, or by an agent with an open incident", () => {
    const id = open?.id ?? "";
    expect([found(id), found(id.slice(0, 3)), found("web")]).toEqual(["found auth", "found auth", "found auth"]);
  });

  it.each([
    ["api", `"api" has no open incident; closed incidents, latest first: ${ended?.id} (loop)`],
    ["docs", '"docs" has no incident'],
    ["nothing", 'no incident matches "nothing"; see `rouse incidents --all`'],
    [
      open?.id.slice(0, 2) ?? "",
      `"${open?.id.slice(0, 2)}" is too short for an incident id; expected at least 3 characters`,
    ],
  ])("is not found by %s, and the answer says why", (word, says) => {
    expect(found(word)).toBe(says);
  });
});
