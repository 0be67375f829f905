/** The diagnosis benchmark on its own labels: rules alone, and stand-in models as real processes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LabelledIncident, parseIncident } from "../../src/eval/diagnosis/label.js";
import { promptOf } from "../../src/eval/diagnosis/menu.js";
import { observeIncident, withoutRules } from "../../src/eval/diagnosis/observe.js";
import { type DiagnosisFigures, evalDiagnosis } from "../../src/eval/diagnosis/run.js";
import { standIn } from "../support/menu-model.js";

const FOLDER = join(import.meta.dirname, "../fixtures/diagnosis");
const LABELS = readFileSync(join(FOLDER, "incidents.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => parseIncident(JSON.parse(line)) as LabelledIncident);

it("the labels are valid, and enough", () => {
  expect(LABELS.filter((label) => typeof label === "string")).toEqual([]);
  expect(LABELS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(LABELS.map(({ id }) => id)).size).toBe(LABELS.length);
});

it("rules alone score what docs/evidence/diagnosis.md publishes", async () => {
  const { rules, constant, incidents } = await evalDiagnosis(LABELS, FOLDER, null, () => {});
  const page = readFileSync(join(import.meta.dirname, "../../docs/evidence/diagnosis.md"), "utf8");
  expect(page).toContain(
    `| best constant answer | ${constant.rightCauses} of ${incidents} | ${constant.rightActions} of ${incidents} | 0 |`,
  );
  expect(page).toContain(
    `| rules | ${rules.rightCauses} of ${incidents} | ${rules.rightActions} of ${incidents} | ${rules.harmful} |`,
  );
  // Every mistake is named.
  for (const { id } of rules.mistakes) expect(page).toContain(`${id}`);
});

/** Two that rules get right, one that they miss, an intended state, and two actions on a pipeline. */
const SOME = LABELS.filter(({ id }) => ["h03", "h09", "h08", "p18", "p12", "p06"].includes(id));

describe("with a stand-in model", () => {
  let folder: string;
  let runs: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "rouse-menu-"));
    runs = join(folder, "runs");
    const answers = new Map<string, Record<string, unknown>>();
    for (const label of SOME) {
      const facts = await observeIncident(label, FOLDER);
      for (const context of new Set([facts, withoutRules(facts)].map((one) => promptOf(one).user))) {
        if (answers.has(context)) throw new Error(`${label.id} looks like another incident`);
        answers.set(context, { context, ...answersTo(label) });
      }
    }
    writeFileSync(join(folder, "answers.json"), JSON.stringify([...answers.values()]));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function measure(play: string): Promise<DiagnosisFigures> {
    writeFileSync(runs, "");
    return evalDiagnosis(SOME, FOLDER, standIn(folder, play), () => {});
  }
  const all = SOME.length;

  it("passes one that is always right", async () => {
    const { model, rulesAndModel, rules, objections } = await measure("right");
    const perfect = { rightCauses: all, rightActions: all, harmful: 0, abstained: 0, mistakes: [] };
    expect(model).toMatchObject(perfect);
    expect(rulesAndModel).toMatchObject(perfect);
    expect(rules.rightCauses).toBe(all - 1);
    expect(objections).toEqual([]);
    expect(model?.p95Secs).toBeGreaterThan(0);
  });

  it("does not pass one that is always wrong, and counts each harmful action", async () => {
    const { model, rulesAndModel, objections } = await measure("wrong");
    const useless = { rightCauses: 0, rightActions: 0, harmful: all, abstained: 0 };
    expect(model).toMatchObject(useless);
    expect(rulesAndModel).toMatchObject(useless);
    expect(objections).toHaveLength(3);
  });

  it("does not pass one that abstains: what the rules say stands", async () => {
    const { model, rulesAndModel, rules, objections } = await measure("abstaining");
    expect(model).toMatchObject({ rightCauses: 0, rightActions: 0, harmful: 0, abstained: all });
    const { rightCauses, rightActions } = rules;
    expect(rulesAndModel).toMatchObject({ rightCauses, rightActions, harmful: 0, abstained: 0 });
    expect(objections).toEqual(["rules plus model name no more right causes than rules alone"]);
  });

  it("asks again once after an answer that is not on the menu, and then counts it as no opinion", async () => {
    expect((await measure("malformed")).model).toMatchObject({ abstained: all });
    expect(readFileSync(runs, "utf8").trim().split("\n")).toHaveLength(all * 4);
  });

  it("ends with one error if the runner does not answer from the start", async () => {
    await expect(measure("gone")).rejects.toThrow(/^command gave no answer 3 times: .*7/);
    expect(readFileSync(runs, "utf8").trim().split("\n")).toHaveLength(3);
  });
});

function answersTo({ cause, actions: [best = "none"] }: LabelledIncident): Record<string, unknown> {
  const [type, target] = best.split(" ");
  const ids = { message: "m", job_id: target, proposal_id: target, project_id: target };
  return {
    right: { cause, diagnosis: "It is known.", actions: type === "none" ? [] : [{ type, ...ids }] },
    wrong: {
      cause: cause === "auth" ? "crash" : "auth",
      diagnosis: "It is something else.",
      actions: [{ type: "retrigger_job", job_id: "999" }],
    },
    abstaining: { cause: null, diagnosis: "I cannot tell.", actions: [] },
    malformed: { cause: "gremlins", diagnosis: "It is known.", actions: [] },
  };
}
