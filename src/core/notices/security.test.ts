import { describe, expect, it } from "vitest";
import { RULES } from "../../../test/support/notifier.js";
import { START } from "../../../test/support/steps.js";
import type { AlertRoute } from "./alert.js";
import { planSecurityAlert, type SecurityFinding } from "./security.js";

const FINDING: SecurityFinding = {
  id: "dialog s1 5",
  title: "api tried\u001b[2J",
  lines: ["it\u0007 called"],
  agent: "api",
};
const route = (channel: string, more: Partial<AlertRoute> = {}): AlertRoute => ({
  channel,
  severity: "critical",
  agents: null,
  tags: null,
  problems: null,
  honoursQuiet: true,
  ...more,
});
const channels = (routes: readonly AlertRoute[], fallback: string | null = null): string[] =>
  planSecurityAlert(FINDING, { ...RULES, routes, fallback }, START).planned.deliveries.map(({ channel }) => channel);

describe("an alert about a client", () => {
  it("has one key per finding, and no control characters", () => {
    const { planned, notice } = planSecurityAlert(FINDING, RULES, START);
    expect(planned.key).toBe(planSecurityAlert(FINDING, RULES, START + 1000).planned.key);
    expect(planned.key).not.toBe(planSecurityAlert({ ...FINDING, id: "dialog s1 6" }, RULES, START).planned.key);
    expect(notice).toMatchObject({ kind: "security", edge: "security", severity: "critical", agents: ["api"] });
    expect(JSON.stringify(notice)).not.toMatch(/\\u001b|\\u0007/);
  });

  it("goes to the channels for critical alerts about that agent, else to the fallback", () => {
    const other = route("other", { agents: ["web"] });
    expect(channels([route("ops"), other])).toEqual(["ops"]);
    expect(channels([route("mine", { agents: ["api"], problems: ["needs_input"] }), other])).toEqual(["mine"]);
    expect(channels([other], "other")).toEqual(["other"]);
    expect(channels([other])).toEqual([]);
  });

  it("waits for the end of quiet hours unless critical alerts pass them", () => {
    const quiet = { from: 0, to: 1440, passes: null, minuteOfDay: () => 600 };
    const due = (passes: "critical" | null): number | undefined =>
      planSecurityAlert(FINDING, { ...RULES, routes: [route("ops")], quiet: { ...quiet, passes } }, START).planned
        .deliveries[0]?.dueAt;
    expect(due("critical")).toBe(START);
    expect(due(null)).toBeGreaterThan(START);
  });
});
