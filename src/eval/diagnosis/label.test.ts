import { describe, expect, it } from "vitest";
import { parseIncident } from "./label.js";

const row = { id: "1", cause: "auth", actions: ["send_slack"], at: "2026-03-02T09:00:00Z" };

describe("parseIncident", () => {
  it("fills what a row leaves out", () => {
    expect(parseIncident(row)).toMatchObject({
      ...row,
      at: Date.parse(row.at),
      harmless: [],
      agents: [],
      settings: {},
    });
  });

  it.each([
    [{ cause: "gremlins" }, "cause: "],
    [{ actions: [] }, "actions: "],
    [{ actions: ["reboot"] }, "actions.0: expected none, send_slack, or an action with its target"],
    [{ actions: ["retrigger_job"] }, "actions.0: expected none"],
    [{ at: undefined }, "an incident without a recording needs `at`"],
    [{ pipeline: { jobs: [{ id: 1, status: "lost" }] } }, "pipeline: jobs.0.status: "],
    [
      { agents: [{ name: "a", kind: "codex", seconds: 1, signals: [{ t: 0, kind: "wink" }] }] },
      "agents.0.signals.0: not a signal",
    ],
  ])("refuses %j", (more, reason) => {
    expect(parseIncident({ ...row, ...more })).toContain(reason);
  });
});
