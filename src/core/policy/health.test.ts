import { describe, expect, it } from "vitest";
import { POLICIES } from "./builtin.js";
import { withHealth } from "./health.js";

const KEYS = {
  enabled: true,
  auto_kill_on_idle: true,
  auto_kill_on_repeated_error: false,
  rate_limit_backoff_seconds: 90,
  auto_resume_hours: 12,
};
const steps = (keys: Partial<typeof KEYS>, problem: "silent_stream" | "repeated_error", policy = POLICIES.default) =>
  (withHealth(policy, { ...KEYS, ...keys }).plans[problem] ?? []).map((step) => step.do);

describe("the health keys of the configuration", () => {
  it("turn all recovery off if they are disabled", () => {
    expect(withHealth(POLICIES.default, { ...KEYS, enabled: false }).plans).toEqual({});
  });

  it("keep a stalled agent from being stopped if auto_kill_on_idle is off", () => {
    expect(steps({}, "silent_stream")).toContain("stop");
    expect(steps({ auto_kill_on_idle: false }, "silent_stream")).not.toContain("stop");
    expect(steps({ auto_kill_on_idle: false }, "silent_stream")).toContain("interrupt");
  });

  it("add a stop after repeated errors only on request, and only to a plan with steps", () => {
    expect(steps({}, "repeated_error")).not.toContain("stop");
    expect(steps({ auto_kill_on_repeated_error: true }, "repeated_error").at(-1)).toBe("stop");
    expect(steps({ auto_kill_on_repeated_error: true }, "repeated_error", POLICIES.observe)).toEqual([]);
  });

  it("add that stop only once", () => {
    const policy = withHealth(POLICIES.default, { ...KEYS, auto_kill_on_repeated_error: true });
    const again = steps({ auto_kill_on_repeated_error: true }, "repeated_error", policy);
    expect(again.filter((name) => name === "stop")).toHaveLength(1);
  });

  it("set the back-off after a limit in seconds", () => {
    expect(withHealth(POLICIES.default, KEYS).limits.backoffMs).toBe(90_000);
  });

  it("add that stop to a plan of a single step", () => {
    const [first] = POLICIES.default.plans.repeated_error ?? [];
    if (!first) throw new Error("the plan is empty");
    const policy = { ...POLICIES.default, plans: { repeated_error: [first] } };
    expect(steps({ auto_kill_on_repeated_error: true }, "repeated_error", policy)).toEqual([first.do, "stop"]);
  });

  it("set the age of the last nudge, which is at least an hour", () => {
    expect(withHealth(POLICIES.default, KEYS).autoResumeMs).toBe(12 * 3_600_000);
    expect(withHealth(POLICIES.default, { ...KEYS, auto_resume_hours: 0 }).autoResumeMs).toBe(3_600_000);
  });
});
