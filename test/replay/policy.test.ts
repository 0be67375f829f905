import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ACTIONS } from "../../src/core/action.js";
import { POLICIES } from "../../src/core/policy/builtin.js";
import type { Policy } from "../../src/core/policy/policy.js";
import { type SimulatedAction, WhatIf } from "../../src/core/what-if.js";
import { parseLiveTruth } from "../../src/eval/truth.js";
import { openCase, SOURCE_NAMES } from "../../src/replay/case-folder.js";
import { foldRecording } from "../../src/replay/fold.js";
import { replayCase } from "../../src/replay/replay-case.js";
import { CORPUS, caseFolders, OWN_CASES } from "../support/recordings.js";
import { rouse } from "../support/rouse.js";

const SOURCES = new Set(SOURCE_NAMES);
const WITH_CORPUS = CORPUS && process.env.ROUSE_FULL ? caseFolders(`${CORPUS}/live`) : [];
const CASES = [...caseFolders(OWN_CASES), ...WITH_CORPUS];

/** Labels for which no recovery is needed. */
const CALM = new Set(["starting", "idle", "working", "tool_running", "retrying", "interrupted", "done", "exited"]);

const isHealthy = (meta: Record<string, unknown>): boolean =>
  parseLiveTruth(meta)?.timeline.every(([, label]) => CALM.has(label)) ?? false;

async function wouldOver(path: string): Promise<{ healthy: boolean; wouldDo: SimulatedAction[] }> {
  const wouldDo: SimulatedAction[] = [];
  let healthy = false;
  for (const policy of Object.values(POLICIES)) {
    const { meta, wouldDo: found = [] } = await replayCase(path, {
      sources: SOURCES,
      zone: "UTC",
      whatIf: (_program, _startAt, settings) => new WhatIf({ policy, origin: "spawn", settings }),
    });
    healthy = isHealthy(meta);
    wouldDo.push(...found);
  }
  return { healthy, wouldDo };
}

/** The actions if the user had set a silence timeout, short enough to expire in a recording. */
const IMPATIENT = { idle_timeout_minutes: 1, own: { idle_timeout_minutes: 1 } };

async function impatientOver(path: string, policy: Policy): Promise<SimulatedAction[]> {
  const { inputs, profile, startAt, size } = await openCase(path, SOURCES);
  let wouldDo: readonly SimulatedAction[] = [];
  await foldRecording(inputs, {
    profile,
    startAt,
    zone: "UTC",
    size,
    settings: IMPATIENT,
    whatIf: (settings) => {
      const whatIf = new WhatIf({ policy, origin: "spawn", settings });
      wouldDo = whatIf.wouldDo;
      return whatIf;
    },
  });
  return [...wouldDo];
}

describe("a policy over recordings", () => {
  it("does not act on a healthy agent, and stops only stuck agents, under any built-in policy", async () => {
    const actions: string[] = [];
    for (const path of CASES) {
      const { healthy, wouldDo } = await wouldOver(path);
      for (const { do: name, problem, reason } of wouldDo)
        if ((healthy && ACTIONS[name].controls) || (ACTIONS[name].destructive && problem === "needs_input"))
          actions.push(`${path}: ${name}: ${reason}`);
    }
    expect(actions).toEqual([]);
  }, 600_000);

  it("does not act on a healthy agent with an idle timeout of a minute", async () => {
    const actions: string[] = [];
    for (const path of CASES) {
      if (!isHealthy((await openCase(path, SOURCES)).meta)) continue;
      for (const policy of [POLICIES.default, POLICIES.aggressive])
        for (const { do: name, reason } of await impatientOver(path, policy))
          if (ACTIONS[name].controls) actions.push(`${path}: ${name}: ${reason}`);
    }
    expect(actions).toEqual([]);
  }, 600_000);

  it("does not change the timeline, and is shown only on request", () => {
    const some = caseFolders(OWN_CASES).filter((_, i) => i % 6 === 0);
    const plain = rouse(["replay", "--json", ...some]).stdout;
    const acted = rouse(["replay", "--json", "--policy", "default", ...some]).stdout;
    const lines = acted
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.every(({ policy, planned_steps }) => policy === "default" && Array.isArray(planned_steps))).toBe(true);
    const stripped = lines.map(({ case: name, timeline }) => ({ case: name, timeline }));
    expect(stripped).toEqual(
      plain
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
  });

  it("plans no more actions for recordings of one night than the budget of one machine", () => {
    const folder = mkdtempSync(join(tmpdir(), "rouse-policy-"));
    const file = join(folder, "frugal.toml");
    writeFileSync(file, "[budgets]\nnode = { times = 2, minutes = 60 }\n");
    const gaveUp = Array.from({ length: 4 }, () => `${OWN_CASES}/claude/overloaded-529`);
    const { stdout, stderr } = rouse(["replay", "--json", "--policy", file, ...gaveUp]);
    rmSync(folder, { recursive: true });
    expect(stderr).toBe("");
    const cases = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { planned_steps: { do: string }[] });
    expect(cases.map(({ planned_steps }) => planned_steps.map(({ do: name }) => name))).toEqual([
      ["nudge"],
      ["nudge"],
      [],
      [],
    ]);
  });

  it("leaves a dialog to the user", () => {
    const { stdout } = rouse(["replay", "--policy", "aggressive", `${OWN_CASES}/claude/permission`]);
    expect(stdout).toContain("escalate to you\n           needs you");
    expect(stdout).not.toContain("nudge");
  });

  it("is refused in one line if its name is wrong or its file is broken", () => {
    const wrong = rouse(["replay", "--policy", "agressive", OWN_CASES]);
    expect(wrong).toMatchObject({ status: 2, stdout: "" });
    expect(wrong.stderr).toBe(
      'rouse: unknown policy "agressive"; did you mean aggressive? available: observe, default, aggressive\n',
    );
    expect(rouse(["policy", "show", "./nowhere.toml"]).stderr).toBe("rouse: ./nowhere.toml: no such file\n");
  });
});

describe("rouse policy", () => {
  it("shows a recovery plan and simulates it", () => {
    expect(rouse(["policy", "show", "default"]).stdout).toContain(
      "needs_input           notify at once, then escalate to you; human-only",
    );
    const tried = rouse(["policy", "test", "--problem", "loop", "--json"]).stdout;
    expect(JSON.parse(tried)).toMatchObject({
      policy: "default",
      trials: [
        {
          problem: "loop",
          planned_steps: [{ t: 60, do: "interrupt" }, { do: "nudge", say: "repeating" }, { do: "escalate" }],
        },
      ],
    });
    const transcript = rouse(["policy", "test", "--problem", "loop", "--origin", "transcript", "--json"]).stdout;
    expect(JSON.parse(transcript)).toMatchObject({ trials: [{ planned_steps: [{ do: "escalate" }] }] });
  });
});
