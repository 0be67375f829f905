import { describe, expect, it } from "vitest";
import { type Pipeline, parsePipeline } from "./pipeline.js";
import { findingsOf, findPipelineProblems } from "./pipeline-problems.js";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const ago = (minutes: number): number => NOW - minutes * 60_000;

function pipeline(state: object): Pipeline {
  const parsed = parsePipeline(state);
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed;
}
const found = (state: object): string[] => findPipelineProblems(pipeline(state), NOW).map(({ text }) => text);
const kinds = (state: object): string[] => findPipelineProblems(pipeline(state), NOW).map(({ kind }) => kind);

const proposal = (cycle: number, score: number, status = "rejected") => ({
  id: `p${cycle}`,
  project: "minions",
  title: "Refactor",
  status,
  score,
  threshold: 0.6,
  cycle,
});

describe("cycles without a viable proposal", () => {
  it("are a problem in the third cycle, with the score and the threshold of seed 003's example", () => {
    const proposals = [proposal(5, 0.41), proposal(6, 0.58), proposal(7, 0.53)];
    const [problem] = findPipelineProblems(pipeline({ proposals }), NOW);
    expect(problem).toMatchObject({
      kind: "no_viable_proposal",
      text: "3rd consecutive cycle of minions with no viable proposal: in cycle 7, 1 proposal, it scored 0.53 (threshold 0.6).",
      evidence: [
        "cycle 5: 1 proposal, it scored 0.41 (threshold 0.6)",
        "cycle 6: 1 proposal, it scored 0.58 (threshold 0.6)",
        "cycle 7: 1 proposal, it scored 0.53 (threshold 0.6)",
      ],
    });
  });

  it("count a cycle in which the scout found nothing", () => {
    const jobs = [7, 8, 9].map((cycle) => ({ id: cycle, project: "x", kind: "scout", status: "completed", cycle }));
    expect(kinds({ jobs })).toContain("no_viable_proposal");
  });

  it("are no problem after two cycles, or if the last one has a viable proposal", () => {
    expect(kinds({ proposals: [proposal(6, 0.1), proposal(7, 0.2)] })).not.toContain("no_viable_proposal");
    const viable = [proposal(5, 0.1), proposal(6, 0.1), proposal(7, 0.1), proposal(8, 0.6, "proposed")];
    expect(kinds({ proposals: viable })).not.toContain("no_viable_proposal");
  });
});

describe("jobs", () => {
  const job = { id: 3, project: "x", kind: "build", status: "processing", worker: "w", worker_alive: false };

  it("have a dead worker once it has been dead for 30 minutes", () => {
    expect(found({ jobs: [{ ...job, worker_seen: ago(30) }] })).toEqual([
      "Job 3 of x is processing, but its worker w has been dead for 30 min.",
    ]);
    expect(found({ jobs: [{ ...job, worker_seen: ago(29) }] })).toEqual([]);
    expect(found({ jobs: [{ ...job, worker_seen: ago(90), worker_alive: null }] })).toEqual([]);
    expect(found({ jobs: [{ ...job, worker_seen: ago(90), status: "failed" }] })).toEqual([]);
  });

  it("that build nothing three times in a row are a problem", () => {
    const built = (id: number, changes: number) => ({ ...job, id, status: "done", changes, updated: ago(100 - id) });
    expect(kinds({ jobs: [built(1, 2), built(2, 0), built(3, 0), built(4, 0)] })).toContain("no_change_built");
    expect(kinds({ jobs: [built(1, 0), built(2, 0), built(3, 0), built(4, 1)] })).not.toContain("no_change_built");
  });
});

describe("proposals, locks and idleness", () => {
  it("an approved proposal without a build job is a problem after ten minutes", () => {
    const approved = { ...proposal(1, 0.9, "approved"), updated: ago(10) };
    expect(found({ proposals: [approved] })).toEqual(["Proposal p1 of minions is approved, but has no build job."]);
    expect(found({ proposals: [{ ...approved, updated: ago(9) }] })).toEqual([]);
    const jobs = [{ id: 9, project: "minions", kind: "build", status: "pending", proposal: "p1" }];
    expect(found({ proposals: [approved], jobs })).toEqual([]);
  });

  it("a lock is held too long after ten minutes without an active merge job", () => {
    const locks = [{ project: "x", holder: "web", since: ago(10) }];
    const merging = { id: 1, project: "x", kind: "merge", status: "processing", worker_alive: true };
    expect(kinds({ locks })).toEqual(["lock_held"]);
    expect(kinds({ locks, jobs: [merging] })).toEqual([]);
    expect(kinds({ locks, jobs: [{ ...merging, worker_alive: false, worker_seen: ago(1) }] })).toEqual(["lock_held"]);
    expect(kinds({ locks: [{ project: "x", since: ago(9) }] })).toEqual([]);
    expect(kinds({ locks: [{ project: "x", since: ago(90), holder_alive: true }] })).toEqual([]);
  });

  it("a pipeline with nothing in flight is idle, and a finished list of tasks is not", () => {
    expect(kinds({ proposals: [proposal(1, 0.1)] })).toEqual(["pipeline_idle"]);
    expect(kinds({ proposals: [{ ...proposal(1, 0.1), updated: ago(9) }] })).toEqual([]);
    expect(kinds({ jobs: [{ id: 1, project: "x", kind: "task", status: "done" }] })).toEqual([]);
    expect(kinds({ proposals: [proposal(1, 0.1)], jobs: [{ id: 1, project: "minions", status: "pending" }] })).toEqual(
      [],
    );
  });
});

it("several jobs with one problem are one finding, with the first three and a number", () => {
  const jobs = [1, 2, 3, 4, 5].map((id) => ({
    id,
    project: "x",
    status: "processing",
    worker: "w",
    worker_alive: false,
    worker_seen: ago(31),
  }));
  const findings = findingsOf(findPipelineProblems(pipeline({ jobs }), NOW));
  expect(findings).toMatchObject([{ project: "x", problem: "dead_worker", advice: "Set job 1 to pending again." }]);
  expect(findings[0]?.reasons).toHaveLength(4);
  expect(findings[0]?.reasons.at(-1)).toBe("and 2 more");
});

it("a state that does not fit is refused with the field and the reason", () => {
  expect(parsePipeline({ jobs: [{ id: 1, status: "lost" }] })).toMatch(/^jobs\.0\.status: /);
  expect(parsePipeline([])).toMatch(/expected object/);
});
