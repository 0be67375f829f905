import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, WORKING } from "../../test/support/loops.js";
import { NotifyingLoop } from "../../test/support/notifier.js";
import { parsePolicy } from "../config/policy-file.js";
import { POLICIES } from "../core/policy/builtin.js";
import type { Source } from "../core/signal.js";
import { HOUR } from "../core/text/time.js";
import { budgetPeriodAt } from "./budget-period.js";
import { viewOf } from "./views/view.js";

const local = (day: number, hour: number, minute = 0): number => new Date(2026, 10, day, hour, minute).getTime();

describe("a budget period", () => {
  it("starts at its hour and lasts until the next one", () => {
    const period = { from: local(14, 20), to: local(15, 20) };
    expect(budgetPeriodAt(local(14, 20), 20)).toEqual(period);
    expect(budgetPeriodAt(local(15, 3, 30), 20)).toEqual(period);
    expect(budgetPeriodAt(local(15, 19, 59), 20)).toEqual(period);
    expect(budgetPeriodAt(local(15, 20), 20).from).toBe(local(15, 20));
    expect(budgetPeriodAt(local(15, 3), 0).from).toBe(local(15, 0));
  });
});

describe("an agent with a budget", () => {
  let test: NotifyingLoop;
  beforeEach(() => {
    test = new NotifyingLoop();
  });
  afterEach(() => test.close());

  const tokens = (output: number, source: Source = "transcript") => ({
    kind: "tokens" as const,
    source,
    input: 0,
    output,
  });
  const budgets = (settings: object): void => {
    // Half a day away from the test's clock in any time zone.
    const night_starts_hour = (new Date(test.hand.wall).getHours() + 12) % 24;
    for (const judge of test.loop.sessions()) judge.settings = { ...settings, night_starts_hour };
  };
  async function run(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      test.run(1);
      await new Promise(setImmediate);
    }
  }
  const problems = () => test.loop.incidents.incidents.map(({ problem }) => problem);

  it("is reported once when its sessions together used up the budget, keeps working, and is left alone", async () => {
    test.can = ["interrupt", "nudge"];
    const actions: string[] = [];
    test.outcomeOf = (action) => {
      actions.push(action.do);
      return {};
    };
    test.loop.register(agent({ id: "s0", endedAt: test.hand.wall }));
    test.loop.register(agent());
    budgets({ tokens_per_night: 1000 });
    await test.send("s0", [tokens(700)]);
    await test.send("s1", [...WORKING, tokens(200), tokens(200, "telemetry")]);
    await run(5);
    expect(problems()).toEqual([]);
    await test.send("s1", [tokens(100)]);
    await run(40);
    expect(test.reported).toEqual(["worker.escalated api"]);
    expect(test.payload(0)).toMatchObject({
      cause: "over_budget",
      reason: "1000 tokens used tonight (budget: 1000)",
      done: [],
    });
    const judge = test.loop.find("api");
    expect(judge && viewOf(judge, test.loop.now(), test.loop.incidents)).toMatchObject({
      state: "working",
      healthy: true,
      spend: { tokens: 1000, tokens_budget: 1000, cost_usd: null, unpriced_tokens: 1000, is_over: true },
    });
    expect(actions).toEqual([]);
    expect(test.alertTitles).toEqual(["opened agent api has used up its nightly budget"]);
    expect(test.arrived[0]?.severity).toBe("warning");
  });

  it("is neither forgotten nor reported again by the next run of the daemon", async () => {
    test.loop.register(agent());
    budgets({ tokens_per_night: 100 });
    await test.send("s1", [...WORKING, tokens(200)]);
    await run(5);
    test.restart();
    budgets({ tokens_per_night: 100 });
    await run(20);
    expect(test.reported).toEqual(["worker.escalated api"]);
    expect(problems()).toEqual(["over_budget"]);
    expect(test.loop.find("api")?.spend?.tokens).toBe(200);
  });

  it("is not reported at the end of the period, and is reported again in the next one", async () => {
    test.loop.register(agent());
    budgets({ tokens_per_night: 100 });
    await test.send("s1", [...WORKING, tokens(200)]);
    await run(20);
    test.hand.pass(24 * HOUR);
    await run(20);
    expect(test.reported).toEqual(["worker.escalated api"]);
    expect(test.loop.incidents.incidents[0]?.phase).toBe("closed");
    expect(test.alertTitles).toEqual(["opened agent api has used up its nightly budget"]);
    await test.send("s1", [...WORKING, tokens(200)]);
    await run(5);
    expect(test.reported.filter((one) => one === "worker.escalated api")).toHaveLength(2);
  });

  it("is interrupted once if its policy has a step for it, and that is reported", async () => {
    const text = 'plans.over_budget = [{ do = "interrupt" }]';
    test.policy = parsePolicy("thrifty", text, () => POLICIES.default).policy;
    test.can = ["interrupt", "nudge"];
    const actions: string[] = [];
    test.outcomeOf = (action) => {
      actions.push(`${action.do} ${action.problem}`);
      void test.send("s1", [{ kind: "status", source: "title", status: "idle" }]);
      return {};
    };
    test.loop.register(agent());
    budgets({ tokens_per_night: 100 });
    await test.send("s1", [...WORKING, tokens(200)]);
    await run(60);
    expect(actions).toEqual(["interrupt over_budget"]);
    expect(test.reported).toEqual(["worker.escalated api", "worker.escalated api"]);
    expect(test.payload(1)).toMatchObject({ done: ["interrupt: done"] });
  });
});
