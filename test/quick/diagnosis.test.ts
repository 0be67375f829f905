import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openText } from "../../src/cli/text/incident.js";
import { DiagnosisRig } from "../support/diagnosis-rig.js";

let rig: DiagnosisRig;
beforeEach(() => {
  rig = new DiagnosisRig();
});
afterEach(() => rig.close());

/** A proposal that did not reach its threshold, as in the seed's example. */
async function discard(cycle: number, score: number): Promise<void> {
  const hub = await rig.hub();
  const about = { title: "Refactor", project: "minions", status: "proposed", score, threshold: 0.6, cycle } as const;
  const { id } = await hub.add(about, "strategist");
  await hub.transition(id, "reject", { actor: "user", author: "strategist" });
}
async function threeCycles(): Promise<void> {
  for (const [cycle, score] of [
    [5, 0.41],
    [6, 0.58],
    [7, 0.53],
  ] as const)
    await discard(cycle, score);
}
const open = () => rig.incidents.list({ all: false });

describe("a problem of a pipeline", () => {
  it("is an incident with one alert, advice and an end: the third cycle without a viable proposal, 0.53 below 0.6", async () => {
    await threeCycles();
    await rig.pass(1);
    expect(open()).toMatchObject([
      {
        agent: "pipeline:minions",
        problem: "no_viable_proposal",
        phase: "escalated",
        reasons: [
          "3rd consecutive cycle of minions with no viable proposal: in cycle 7, 1 proposal, it scored 0.53 (threshold 0.6).",
          "cycle 5: 1 proposal, it scored 0.41 (threshold 0.6)",
          "cycle 6: 1 proposal, it scored 0.58 (threshold 0.6)",
          "cycle 7: 1 proposal, it scored 0.53 (threshold 0.6)",
        ],
        commands: ["rouse diagnose", expect.stringMatching(/^rouse ack /), expect.stringMatching(/^rouse feedback /)],
      },
    ]);
    expect(openText(open(), {}, rig.test.loop.now())).toMatch(
      /^incident \w{8} {2}pipeline:minions: no_viable_proposal, needs you: Compare what the scout finds with what the project asks for, or review the threshold\.\n$/,
    );
    await rig.pass(30);
    expect(rig.test.alertTitles).toEqual(["opened pipeline:minions has no viable proposal after several cycles"]);
    expect(rig.test.arrived[0]).toMatchObject({ kind: "watchdog", severity: "warning" });
    expect(rig.test.arrived[0]?.lines[0]).toMatch(/^why: 3rd consecutive cycle of minions .* 0\.53 \(threshold 0\.6\)/);

    // A fourth cycle is the same problem, and a viable proposal ends it.
    await discard(8, 0.2);
    await rig.pass(130);
    expect(open()).toMatchObject([{ reasons: [expect.stringMatching(/^4th consecutive cycle/), {}, {}, {}, {}] }]);
    const hub = await rig.hub();
    await hub.add(
      { title: "Search", project: "minions", status: "proposed", score: 0.7, threshold: 0.6, cycle: 9 },
      "s",
    );
    await rig.pass(130);
    expect(open()).toEqual([]);
    expect(rig.test.alertTitles.slice(1)).toEqual([
      "resolved pipeline:minions: resolved, the problem is no longer seen",
    ]);
  });

  it("stays one incident with one alert over a restart of the daemon, and while the tasks cannot be read", async () => {
    await threeCycles();
    await rig.pass(30);
    const [before] = open();
    rig.test.restart();
    await rig.test.wait(30);
    expect(open()).toMatchObject([{ id: before?.id, phase: "escalated" }]);
    rig.config.diagnosis.context = ["/nonexistent/context"];
    await rig.pass(130);
    await rig.pass(130);
    expect(open()).toMatchObject([{ id: before?.id }]);
    expect(rig.logged).toEqual(["pipeline: diagnosis.context: /nonexistent/context: program not found"]);
    expect(rig.test.alertTitles).toHaveLength(1);
  });

  it("can be silenced and acknowledged, and does not concern an agent", async () => {
    await threeCycles();
    await rig.pass(1);
    const [incident] = open();
    expect(rig.incidents.ack(incident?.id ?? "")).toMatchObject({ acked_at: expect.any(String) });
    await rig.pass(600);
    expect(rig.test.alertTitles).toEqual([]);
    expect(rig.test.reported).toEqual([]);
  });
});

it("without tasks and without a context command, no hub is opened", async () => {
  await rig.pass(200);
  expect(open()).toEqual([]);
  expect(rig.logged).toEqual([]);
});
