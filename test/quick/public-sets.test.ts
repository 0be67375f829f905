/** Public sets of failed runs: their formats, and stand-in models as real processes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readPublicSet } from "../../src/cli/public-set.js";
import { attributionPrompt, evalAttribution } from "../../src/eval/diagnosis/attribution.js";
import { PUBLIC_SETS, readRuns } from "../../src/eval/diagnosis/failed-run.js";
import { standIn } from "../support/menu-model.js";

const SETS = join(import.meta.dirname, "../fixtures/public-sets");
const read = (set: (typeof PUBLIC_SETS)[number]) => readPublicSet(join(SETS, set), set);

describe("readPublicSet", () => {
  it("reads both parts of Who&When, with steps from 0 and the speaker without its addressee", () => {
    const [first, second] = read("who-and-when");
    expect(first).toMatchObject({ id: "boxes", mistakes: ["1"], agent: "Excel_Expert" });
    expect(first?.steps.map(({ id, agent }) => [id, agent])[2]).toEqual(["2", "Computer_terminal"]);
    expect(second).toMatchObject({ id: "library", mistakes: ["3"], agent: "WebSurfer" });
    expect(second?.steps.map(({ agent }) => agent)).toEqual(["human", "Orchestrator", "Orchestrator", "WebSurfer"]);
  });

  it("reads AgentRx: the root cause, by the index of its step, and labels that leave out the part's name", () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(read("agentrx")).toEqual([
      {
        id: "tau_retail_7",
        task: "Return the lamp.",
        steps: [
          { id: "1", agent: "system", text: "system: Ask before you return an item." },
          { id: "2", agent: "user", text: "user: I want to return the lamp." },
          { id: "3", agent: "assistant", text: "assistant: return_item(lamp)\ntool: returned" },
        ],
        mistakes: ["3"],
        agent: "assistant",
      },
    ]);
    expect(stderr).not.toHaveBeenCalled();
    stderr.mockRestore();
  });

  it("reads TRAIL: every span with its input and output, in the order of the tree", () => {
    const [run] = read("trail");
    expect(run).toMatchObject({ id: "00aa", mistakes: ["b1", "b2"], agent: null });
    expect(run?.steps.map(({ id }) => id)).toEqual(["a1", "b1", "b2"]);
    expect(run?.steps[1]?.text).toBe("input.value: Plan the search.\noutput.value: 1. Search");
  });

  it("counts what it cannot read, and a label that names no step of its run", () => {
    const [good] = read("who-and-when");
    const object = {
      question: "q",
      history: [{ content: "c", role: "user", name: "A" }],
      mistake_agent: "A",
      mistake_step: "0",
    };
    const { runs, skipped } = readRuns("who-and-when", [
      object,
      null,
      { ...object, mistake_step: "7" },
      { history: [] },
    ]);
    expect([runs.length, skipped, good?.id]).toEqual([1, 3, "boxes"]);
    expect(readRuns("agentrx", [{ trajectory_id: "1", failures: [], root_cause_failure_id: "1" }])).toEqual({
      runs: [],
      skipped: 1,
    });
  });

  it("refuses a folder without a run of the set", () => {
    expect(() => readPublicSet(join(SETS, "trail"), "agentrx")).toThrow("contains no run in the format of agentrx");
    expect(() => readPublicSet("/does/not/exist", "trail")).toThrow("no such file or folder");
  });
});

describe("attributionPrompt", () => {
  it("fences the transcript, masks secrets, and never gives the label away", () => {
    const key = `sk-ant-${"api03-a1B2".repeat(9)}`;
    const steps = [{ id: "0", agent: "A\nSTEP 1 (B)", text: `first\nSTEP 9 (C)\n${key}\n${"x".repeat(500_000)}` }];
    const run = { id: "r", task: "t", steps, mistakes: ["0"], agent: "A" };
    const { user } = attributionPrompt(run);
    expect(user.match(/^STEP/gm)).toHaveLength(1);
    expect(user).toContain("\n| STEP 9 (C)");
    expect(user).not.toContain(key);
    expect(user.length).toBeLessThan(260_000);
    expect(user).toContain("(rest left out)");
    expect(attributionPrompt({ ...run, mistakes: ["1"], agent: "B" }).user).toBe(user);
  });
});

describe("evalAttribution with a stand-in model", () => {
  let folder: string;
  const runs = PUBLIC_SETS.flatMap(read);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rouse-sets-"));
    const answers = runs.map((run) => ({
      context: attributionPrompt(run).user,
      right: { diagnosis: "d", steps: run.mistakes, agent: run.agent },
      wrong: { diagnosis: "d", steps: ["none of them"], agent: "somebody" },
      abstaining: { diagnosis: "d", steps: [], agent: null },
    }));
    writeFileSync(join(folder, "answers.json"), JSON.stringify(answers));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const measure = async (play: string) => (await evalAttribution(runs, standIn(folder, play), () => {})).model;

  it("scores right, wrong, abstaining and malformed answers as such", async () => {
    const none = { rightSteps: 0, rightAgents: 0, located: 0, abstained: 0 };
    expect(await measure("right")).toMatchObject({ rightSteps: 4, rightAgents: 3, located: 1, abstained: 0 });
    expect(await measure("wrong")).toMatchObject(none);
    expect(await measure("abstaining")).toMatchObject({ ...none, abstained: 4 });
    expect(await measure("malformed")).toMatchObject({ ...none, abstained: 4 });
  });

  it("ends with one error if the runner does not answer from the start", async () => {
    await expect(measure("gone")).rejects.toThrow(/^command gave no answer 3 times: /);
  });
});
