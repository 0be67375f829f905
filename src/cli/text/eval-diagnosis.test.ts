import { describe, expect, it } from "vitest";
import { type ArmFigures, scoreArm } from "../../eval/diagnosis/score.js";
import { attributionText, diagnosisFiguresText, mistakesText } from "./eval-diagnosis.js";

const constant = { cause: "none", action: "send_slack", rightCauses: 1, rightActions: 1 };
const arm = (cause: string | null, more: Partial<ArmFigures> = {}): ArmFigures => ({
  ...scoreArm([
    {
      label: { id: "p12", cause: "lock_held", actions: ["release_merge_lock shop"], harmless: [] },
      verdict: {
        cause,
        actions: cause === "auth" ? ["retrigger_job 9"] : [],
        sendsMessage: true,
        costUsd: null,
        tookMs: null,
      },
    },
  ]),
  ...more,
});

describe("figures of the diagnosis benchmark", () => {
  it("show each arm beside the best constant answer, and why a model does not pass", () => {
    const model = arm("auth", { p95Secs: 4.26, costUsd: 1.5 });
    const figures = { incidents: 1, constant, rules: arm("lock_held"), model, rulesAndModel: model };
    expect(diagnosisFiguresText({ ...figures, objections: ["a", "b"] }, "claude", 100)).toMatchInlineSnapshot(`
      "1 labelled incidents

                                   cause     action       harm  abstained      p95 s       cost
        best constant answer         1/1        1/1          –          –          –          –
        rules                        1/1        0/1          0          0          –          –
        model                        0/1        0/1          1          0        4.3      $1.50
        rules and model              0/1        0/1          1          0        4.3      $1.50

      best constant answer: cause none, action send_slack
      claude does not pass: a; b
      "
    `);
    expect(diagnosisFiguresText({ ...figures, objections: [] }, "claude", 100)).toContain("\nclaude passes\n");
    expect(diagnosisFiguresText({ incidents: 1, constant, rules: arm("lock_held") }, null, 100)).not.toContain("pass");
  });

  it("list each mistake with what was said, the wrong action and the harm", () => {
    const figures = { incidents: 1, constant, rules: arm("lock_held"), model: arm("auth"), rulesAndModel: arm(null) };
    expect(mistakesText(figures)).toMatchInlineSnapshot(`
      "
      rules: wrong
        p12  lock_held; wrong action: send_slack

      model: wrong
        p12  lock_held, said auth; wrong action: retrigger_job 9; harm: retrigger_job 9

      rules and model: wrong
        p12  lock_held, said nothing; wrong action: send_slack
      "
    `);
  });
});

it("figures of a public set name the position of the best constant step from 1", () => {
  const model = { rightSteps: 1, rightAgents: 2, located: 0.5, abstained: 0, costUsd: null, p95Secs: 3 };
  const best = { step: 0, agent: "Coder", rightSteps: 1, rightAgents: 1 };
  expect(attributionText({ runs: 2, constant: best, model }, "trail")).toMatchInlineSnapshot(`
    "2 failed runs of trail

                                  step      agent    located  abstained      p95 s       cost
      best constant answer         1/2        1/2          –          –          –          –
      model                        1/2        2/2      0.500          0        3.0          –

    best constant answer: step 1 of the run, agent Coder
    "
  `);
  expect(attributionText({ runs: 2, constant: { ...best, agent: null } }, "trail")).toContain("step 1 of the run\n");
});
