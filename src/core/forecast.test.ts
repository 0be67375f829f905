import { describe, expect, it } from "vitest";
import { useIncidentRig } from "../../test/support/incident-rig.js";
import { START, screen, walk } from "../../test/support/steps.js";
import { forecastOf } from "./forecast.js";
import { problemOf } from "./incidents/problem.js";
import { assess } from "./judgement/assess.js";
import { createEvidence, takeSignal } from "./judgement/evidence/evidence.js";

describe("the announced step", () => {
  const stage = useIncidentRig();
  const next = () => {
    const { state } = stage.test.loop;
    const [incident] = state.incidents.incidents;
    const judge = state.latest.get("api");
    return incident && judge ? forecastOf(state, incident, judge, stage.test.loop.now()) : null;
  };

  it("has the time at which it happens, from the first suspicion on", async () => {
    await stage.hanging();
    const { controls } = stage.acts(() => ({}));
    const announced: string[] = [];
    for (let second = 0; second < 600 && controls.length === 0; second++) {
      await stage.run(1);
      const { do: name, at } = next() ?? {};
      if (name && at) announced.push(`${name} ${Math.round((at - START) / 10_000)}`);
    }
    const at = Math.round((stage.test.loop.now() - START) / 10_000);
    expect(controls).toEqual(["interrupt"]);
    expect(announced.length).toBeGreaterThan(60);
    expect([...new Set(announced)].filter((one) => one !== `interrupt ${at}`)).toEqual([]);
  });

  it("is not announced if it cannot happen, and the reason is given", async () => {
    await stage.hanging();
    stage.acts(() => ({}));
    Object.assign(stage.test.stepRules, { can: () => [] });
    await stage.run(130);
    expect(next()).toMatchObject({ do: null, reason: expect.stringMatching(/\S/) });
    Object.assign(stage.test.stepRules, { can: () => ["nudge"], isObserverHealthy: () => false });
    await stage.run(5);
    expect(next()?.do).toBeNull();
  });
});

describe("the dialog of a limit", () => {
  const dialog = { prompt: "input", question: "Usage limit reached. Keep trying?", limit: true } as const;
  const problem = (userOnly: boolean) => {
    const evidence = createEvidence();
    const reading = { composer: "hidden", busy: null, dialog: userOnly ? { ...dialog, userOnly } : dialog } as const;
    takeSignal(evidence, { ...screen(reading), at: START });
    return problemOf(assess(evidence, START + 5000));
  };

  it("that stays until a user answers it is a question to the user at once", () => {
    expect([problem(true), problem(false)]).toEqual(["needs_input", "rate_limited"]);
  });

  it("is shown as the limit", () => {
    const { said } = walk([
      { at: 0, signal: screen({ composer: "hidden", busy: null, dialog }), expect: "rate_limited/limit" },
    ]);
    expect(said).toEqual(["0 rate_limited/limit"]);
  });
});
