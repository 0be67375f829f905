import { describe, expect, it } from "vitest";
import { bestConstant, checkPass, type IncidentLabel, scoreArm } from "./score.js";
import type { Verdict } from "./verdict.js";

const label = (more: Partial<IncidentLabel> = {}): IncidentLabel => ({
  id: "1",
  cause: "lock_held",
  actions: ["release_merge_lock shop"],
  harmless: [],
  ...more,
});
const verdict = (more: Partial<Verdict> = {}): Verdict => ({
  cause: "lock_held",
  actions: ["release_merge_lock shop"],
  sendsMessage: true,
  costUsd: null,
  tookMs: null,
  ...more,
});
const score = (given: Partial<Verdict>, wanted: Partial<IncidentLabel> = {}) =>
  scoreArm([{ label: label(wanted), verdict: verdict(given) }]);

describe("scoreArm", () => {
  it("counts a right cause and a right action", () => {
    expect(score({})).toMatchObject({ rightCauses: 1, rightActions: 1, harmful: 0, abstained: 0, mistakes: [] });
  });

  it("takes a message alone as the action send_slack, and no message as none", () => {
    expect(score({ actions: [] }, { actions: ["send_slack"] }).rightActions).toBe(1);
    expect(score({ actions: [], sendsMessage: false }, { actions: ["none"] }).rightActions).toBe(1);
    expect(score({ actions: [] }).rightActions).toBe(0);
  });

  it("accepts every right action as the first one", () => {
    expect(score({ actions: [] }, { actions: ["none", "send_slack"] }).rightActions).toBe(1);
  });

  it("counts every action that is neither right nor harmless as harm, wherever it stands", () => {
    const actions = ["release_merge_lock shop", "trigger_scout shop"];
    expect(score({ actions })).toMatchObject({ rightActions: 1, harmful: 1, mistakes: [{ harm: [actions[1]] }] });
    expect(score({ actions }, { harmless: ["trigger_scout shop"] })).toMatchObject({ harmful: 0, mistakes: [] });
  });

  it("counts no answer as an abstention, never as the right action none", () => {
    const silent = { cause: null, actions: [], sendsMessage: false };
    expect(score(silent, { actions: ["none"] })).toMatchObject({ abstained: 1, rightCauses: 0, rightActions: 0 });
  });

  it("sums known costs and gives the 95th percentile of the times", () => {
    const judged = Array.from({ length: 20 }, (_, index) => ({
      label: label(),
      verdict: verdict({ costUsd: index === 0 ? null : 0.5, tookMs: (index + 1) * 1000 }),
    }));
    expect(scoreArm(judged)).toMatchObject({ costUsd: 9.5, p95Secs: 20 });
    expect(score({})).toMatchObject({ costUsd: null, p95Secs: null });
  });
});

it("the best constant answer is the cause and the action that are right most often", () => {
  const labels = [
    label(),
    label({ cause: "none", actions: ["none", "send_slack"] }),
    label({ cause: "none", actions: ["none"] }),
    label({ cause: "auth", actions: ["send_slack"] }),
    label({ cause: "auth", actions: ["send_slack"] }),
    label({ cause: "auth", actions: ["send_slack"] }),
  ];
  expect(bestConstant(labels)).toEqual({ cause: "auth", action: "send_slack", rightCauses: 3, rightActions: 4 });
});

describe("checkPass", () => {
  const [right, wrong] = [score({}), score({ cause: "auth", actions: [] })];

  it("passes a model that adds right causes without harm", () => {
    expect(checkPass(wrong, right)).toEqual([]);
  });

  it("does not pass a model that only equals the rules", () => {
    expect(checkPass(right, right)).toEqual(["rules plus model name no more right causes than rules alone"]);
  });

  it("does not pass a model that does worse in actions, or any damage", () => {
    expect(checkPass({ ...right, rightCauses: 0 }, { ...wrong, rightCauses: 1 })).toEqual([
      "rules plus model choose fewer right actions than rules alone",
    ]);
    expect(checkPass(wrong, { ...right, harmful: 2 })).toEqual(["2 incidents have an action that would do damage"]);
  });
});
