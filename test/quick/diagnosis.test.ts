import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { historyText } from "../../src/cli/commands/diagnose.js";
import { openText } from "../../src/cli/text/incident.js";
import { DiagnosisRig } from "../support/diagnosis-rig.js";
import { agent } from "../support/loops.js";

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
  // Or the pipeline would be idle too.
  await (await rig.hub()).add({ title: "Scout", kind: "scout", project: "minions" }, "strategist");
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
    rig.restart();
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

/** Waits for real time: the model program is a real process. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let n = 0; n < 400 && !isTrue(); n++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isTrue()).toBe(true);
}
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
const WATCHDOG =
  "The strategist produced 1 proposal, but it scored 0.53 (below the 0.6 threshold). Consider more specific nudges.";
const answers = { diagnosis: "The scout finds code quality issues only.", slack_message: WATCHDOG, actions: [] };

describe("the explanation of a model", () => {
  beforeEach(async () => {
    rig.config.diagnosis.enabled = true;
    rig.plays("answers", answers);
    await threeCycles();
  });

  it("follows as an update of the same alert, tagged Watchdog, with everything that the alert says", async () => {
    rig.config.diagnosis.enabled = false;
    await rig.pass(1);
    await rig.pass(30);
    rig.config.diagnosis.enabled = true;
    await rig.pass(130);
    expect(rig.test.alertTitles).toEqual([
      "opened pipeline:minions has no viable proposal after several cycles",
      "diagnosis explanation: pipeline:minions has no viable proposal after several cycles",
    ]);
    const [opened, update] = rig.test.arrived;
    expect(update?.subject).toBe(opened?.subject);
    expect(update?.title).toMatch(/^Watchdog: /);
    expect(update?.lines).toContain(`a model's opinion: ${WATCHDOG}`);
    expect(update?.lines[0]).toBe(opened?.lines[0]);
    // Nothing changed: no second run, no second update.
    await rig.pass(600);
    rig.restart();
    await rig.pass(600);
    expect(rig.runs()).toHaveLength(1);
    expect(rig.test.alertTitles).toHaveLength(2);
  });

  it("is part of the alert if it is ready before that is sent", async () => {
    rig.test.rules = { groupWaitMs: 600_000 };
    rig.test.join();
    await rig.pass(1);
    await rig.pass(130);
    expect(rig.runs()).toHaveLength(1);
    await rig.pass(600);
    expect(rig.test.alertTitles).toEqual(["opened pipeline:minions has no viable proposal after several cycles"]);
    expect(rig.test.arrived[0]?.lines).toContain(`a model's opinion: ${WATCHDOG}`);
  });

  it("is not sent for an acknowledged incident, and is shown with it", async () => {
    await rig.pass(1);
    rig.incidents.ack(open()[0]?.id ?? "");
    await rig.pass(130);
    await rig.pass(30);
    expect(rig.test.alertTitles).toEqual([]);
    expect(open()).toMatchObject([{ opinion: { text: answers.diagnosis } }]);
  });

  it("never delays an alert, and a second one never runs beside it", async () => {
    rig.plays("hanging");
    const running = rig.pass(1);
    await until(() => rig.runs().length > 0);
    await rig.test.wait(30);
    expect(rig.test.alertTitles).toEqual(["opened pipeline:minions has no viable proposal after several cycles"]);
    await expect(rig.diagnosis.diagnose(undefined)).rejects.toThrow("a diagnosis is running");
    rig.diagnosis.close();
    await running;
    expect(isAlive(rig.runs()[0]?.pid ?? 0)).toBe(false);
    expect(rig.logged).toEqual(["diagnosis: no opinion: cancelled"]);
  });

  it.each([
    ["malformed", "the program printed no JSON"],
    ["invalid", expect.stringMatching(/^the answer is not valid: diagnosis: /)],
    ["logged_out", "Invalid API key · Please run /login"],
    ["old", expect.stringMatching(/is too old for a diagnosis: it has no --safe-mode; update it$/)],
  ])("is missing, said once, for a model that is %s", async (play, reason) => {
    rig.plays(play);
    for (let n = 0; n < 4; n++) await rig.pass(130);
    expect(rig.logged).toHaveLength(1);
    expect(rig.logged[0]?.replace("diagnosis: no opinion: ", "")).toEqual(reason);
    expect(rig.test.alertTitles).toEqual(["opened pipeline:minions has no viable proposal after several cycles"]);
    expect(open()).toMatchObject([{ opinion: null, phase: "escalated" }]);
    expect(rig.diagnosis.list(10).diagnoses).toMatchObject([{ diagnosis: null, reason }]);
  });

  it("carries out nothing that a hostile model asks for, and shows its words without control characters", async () => {
    rig.plays("hostile");
    await rig.pass(130);
    const [record] = rig.diagnosis.list(10).diagnoses;
    expect(record?.actions).toHaveLength(8);
    expect(new Set(record?.actions.map(({ result }) => result))).toEqual(new Set(["ignored"]));
    expect(`${record?.diagnosis}${record?.message}`).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it("is stored with its evidence, its actions and how the incident ended, and counts by feedback", async () => {
    await rig.pass(1);
    await rig.pass(130);
    const hub = await rig.hub();
    await hub.add(
      { title: "Search", project: "minions", status: "proposed", score: 0.7, threshold: 0.6, cycle: 9 },
      "s",
    );
    await rig.pass(130);
    const { diagnoses } = rig.diagnosis.list(10);
    expect(diagnoses).toMatchObject([
      {
        trigger: "automatic",
        diagnosis: answers.diagnosis,
        findings: [{ about: "minions", problem: "no_viable_proposal" }],
        outcomes: [{ agent: "pipeline:minions", problem: "no_viable_proposal", result: "closed" }],
        feedback: null,
      },
    ]);
    const [first] = diagnoses;
    rig.plays("answers", { ...answers, diagnosis: "Wrong." });
    const second = await rig.diagnosis.diagnose(undefined);
    rig.diagnosis.feedback(first?.id ?? "", "right");
    rig.diagnosis.feedback(second.id, "wrong");
    const third = await rig.diagnosis.diagnose(undefined);
    rig.diagnosis.feedback(third.id, "right");
    const history = rig.diagnosis.list(10);
    expect(history).toMatchObject({ right: 2, wrong: 1 });
    const text = historyText(history, {}, rig.test.loop.now());
    expect(text).toContain("Hit rate: 2 of 3 marked ones were right");
    expect(text).toContain("  pipeline:minions: no_viable_proposal: no longer seen since");
    expect(() => rig.diagnosis.feedback("zzz", "right")).toThrow(/no diagnosis matches "zzz"/);
  });
});

describe("an automatic diagnosis", () => {
  beforeEach(async () => {
    rig.config.diagnosis.enabled = true;
    rig.plays("answers", answers);
  });
  const runsAfter = async (seconds: number): Promise<number> => {
    await rig.pass(seconds);
    return rig.runs().length;
  };

  it("runs every two minutes at most, and only if something is wrong and changed", async () => {
    expect(await runsAfter(300)).toBe(0);
    await threeCycles();
    expect(await runsAfter(130)).toBe(1);
    for (let n = 0; n < 5; n++) expect(await runsAfter(130)).toBe(1);
    await discard(8, 0.2);
    expect(await runsAfter(130)).toBe(2);
    await discard(9, 0.2);
    // The grid: not before two minutes have passed.
    expect(await runsAfter(60)).toBe(2);
    expect(await runsAfter(60)).toBe(3);
  });

  it("is off until the user enables it", async () => {
    rig.config.diagnosis.enabled = false;
    await threeCycles();
    expect(await runsAfter(300)).toBe(0);
  });

  it("is skipped during the stage build, said once, and runs after it", async () => {
    await threeCycles();
    const hub = await rig.hub();
    const { id } = await hub.add({ title: "Build", kind: "build", stage: "build", project: "minions" }, "me");
    const { claim } = await hub.claim(id, { agent: "web", session: "s" });
    expect(await runsAfter(130)).toBe(0);
    expect(await runsAfter(130)).toBe(0);
    expect(rig.logged).toEqual(["diagnosis: skipped: the pipeline is in the stage build"]);
    await expect(rig.diagnosis.diagnose(undefined)).rejects.toThrow("skipped: the pipeline is in the stage build");
    await hub.finish(claim, { outcome: "done" });
    expect(await runsAfter(130)).toBe(1);
  });

  it("is skipped while max_sessions sessions of its program run, or one of them is limited", async () => {
    await threeCycles();
    rig.config.diagnosis.max_sessions = 2;
    for (const n of [1, 2])
      rig.test.loop.register(agent({ id: `s${n}`, name: `a${n}`, kind: "claude-code", pid: 2_000_000 + n }));
    expect(await runsAfter(130)).toBe(0);
    rig.config.diagnosis.max_sessions = 3;
    const until = rig.test.loop.now() + 9_000_000;
    await rig.test.send("s1", [{ kind: "limit", source: "transcript", level: "hit", until, text: "limit" }]);
    rig.test.run(1);
    expect(rig.test.says("a1")).toBe("rate_limited/limit");
    expect(await runsAfter(130)).toBe(0);
    expect(rig.logged).toEqual([
      "diagnosis: skipped: 2 sessions of this program are running (diagnosis.max_sessions is 2)",
      "diagnosis: skipped: a usage limit stops an agent of the program that claude uses",
    ]);
  });

  it("has a daily budget in runs and in dollars, failed runs included", async () => {
    rig.config.diagnosis.runs_per_day = 2;
    await threeCycles();
    expect(await runsAfter(130)).toBe(1);
    rig.plays("malformed");
    await discard(8, 0.2);
    expect(await runsAfter(130)).toBe(2);
    rig.plays("answers", answers);
    await discard(9, 0.2);
    expect(await runsAfter(130)).toBe(2);
    expect(rig.logged.at(-1)).toBe("diagnosis: skipped: 2 runs today (diagnosis.runs_per_day)");
    rig.config.diagnosis.runs_per_day = 50;
    rig.config.diagnosis.cost_usd_per_day = 0.01;
    expect(await runsAfter(130)).toBe(2);
    expect(rig.logged.at(-1)).toBe("diagnosis: skipped: $0.01 spent today (diagnosis.cost_usd_per_day)");
    rig.test.hand.pass(24 * 3_600_000);
    expect(await runsAfter(130)).toBe(3);
  });
});
