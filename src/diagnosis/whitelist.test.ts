import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIAGNOSIS_ACTIONS } from "../config/diagnosis.js";
import { carryOutActions } from "./act.js";
import { type PipelineAction, parseAction, parseAnswer } from "./answer.js";
import { type Pipeline, parsePipeline } from "./pipeline.js";
import { actionKey, checkAction, selectActions } from "./whitelist.js";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const ago = (minutes: number): number => NOW - minutes * 60_000;

function pipeline(state: object): Pipeline {
  const parsed = parsePipeline(state);
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed;
}
const action = (fields: { type: string; [field: string]: unknown }): PipelineAction => {
  const parsed = parseAction(fields);
  if (typeof parsed === "string" || parsed.type === "send_slack") throw new Error("not an action of a pipeline");
  return parsed;
};
const check = (fields: { type: string; [field: string]: unknown }, state: object): string | null =>
  checkAction(action(fields), pipeline(state), NOW);

const job = { id: 3, project: "shop", status: "processing", worker: "w", worker_alive: false, worker_seen: ago(31) };
const proposal = { id: "p1", project: "shop", status: "approved" };

describe("the precondition of", () => {
  it.each([
    [{ jobs: [job] }, null],
    [{ jobs: [{ ...job, worker_seen: ago(29) }] }, "the worker of job 3 has been dead for 29 min only"],
    [{ jobs: [{ ...job, worker_alive: true }] }, "the worker of job 3 is not known to be dead"],
    [{ jobs: [{ ...job, worker_alive: null }] }, "the worker of job 3 is not known to be dead"],
    [{ jobs: [{ ...job, status: "failed" }] }, "job 3 is failed, not processing"],
    [{}, "there is no job 3"],
  ])("retrigger_job with %j is %j", (state, objection) => {
    expect(check({ type: "retrigger_job", job_id: 3 }, state)).toBe(objection);
  });

  it.each([
    [{ proposals: [proposal] }, null],
    [{ proposals: [{ ...proposal, status: "proposed" }] }, "proposal p1 is proposed, not approved"],
    [{ proposals: [proposal], jobs: [{ ...job, proposal: "p1" }] }, "proposal p1 has the build job 3"],
    [{}, "there is no proposal p1"],
  ])("reject_proposal with %j is %j", (state, objection) => {
    expect(check({ type: "reject_proposal", proposal_id: "p1" }, state)).toBe(objection);
  });

  const lock = { project: "shop", since: ago(11) };
  const merge = { ...job, kind: "merge", worker_alive: true };
  it.each([
    [{ locks: [lock] }, null],
    [{ locks: [{ ...lock, since: ago(10) }] }, "the merge lock of shop has been held for 10 min only"],
    [{ locks: [lock], jobs: [merge] }, "merge job 3 is active"],
    [{ locks: [lock], jobs: [{ ...merge, worker_alive: false }] }, null],
    [{ locks: [{ ...lock, name: "deploy" }] }, "nothing holds the merge lock of shop"],
  ])("release_merge_lock with %j is %j", (state, objection) => {
    expect(check({ type: "release_merge_lock", project_id: "shop" }, state)).toBe(objection);
  });

  it.each([
    [{ jobs: [{ ...job, status: "done" }] }, null],
    [{ jobs: [{ ...job, status: "pending" }] }, "shop is not idle: a job or a proposal is in flight"],
    [{ proposals: [proposal] }, "shop is not idle: a job or a proposal is in flight"],
    [{}, "there is no project shop"],
  ])("trigger_scout with %j is %j", (state, objection) => {
    expect(check({ type: "trigger_scout", project_id: "shop" }, state)).toBe(objection);
  });

  it.each([
    ["connect ETIMEDOUT 10.0.0.1", "failed", null],
    ["network error", "failed", null],
    ["3 tests failed", "failed", "the error of job 3 is not known to be transient"],
    ["timeout", "processing", "job 3 is processing, not failed"],
  ])("reset_job_attempts after %j while %s is %j", (error, status, objection) => {
    expect(check({ type: "reset_job_attempts", job_id: "3" }, { jobs: [{ ...job, error, status }] })).toBe(objection);
  });
});

describe("an answer", () => {
  const select = (raw: object, permitted: readonly string[] = DIAGNOSIS_ACTIONS) => {
    const answer = parseAnswer({ diagnosis: "d", actions: [], ...raw });
    if (typeof answer === "string") throw new Error(answer);
    return selectActions(answer, permitted);
  };

  it("sends one message, also if it has both a slack_message and send_slack", () => {
    const actions = [
      { type: "send_slack", message: "b" },
      { type: "send_slack", message: "c" },
    ];
    expect(select({ slack_message: "a", actions })).toMatchObject({ message: "a", ignored: [{}, {}] });
    expect(select({ actions })).toMatchObject({ message: "b", ignored: [{ action: "send_slack" }] });
    expect(select({})).toMatchObject({ message: null });
  });

  it("gets nothing carried out that the user has not permitted, or that rouse does not know", () => {
    const actions = [{ type: "push" }, { type: "trigger_scout", project_id: "x" }, { type: "retrigger_job" }];
    expect(select({ actions }, [])).toMatchObject({ actions: [], ignored: [{ action: "push" }, {}, {}] });
    expect(select({ actions }).actions.map(({ type }) => type)).toEqual(["trigger_scout"]);
  });

  it("whatever it holds, never adds to the set of permitted actions, and repeats none", () => {
    const field = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant("shop"));
    const one = fc.record(
      {
        type: fc.oneof(fc.constantFrom(...DIAGNOSIS_ACTIONS), fc.string({ maxLength: 50 })),
        message: field,
        job_id: field,
        proposal_id: field,
        project_id: field,
        permitted: field,
      },
      { requiredKeys: ["type"] },
    );
    const raw = fc.record({
      diagnosis: fc.string({ minLength: 1 }),
      slack_message: fc.option(fc.string()),
      actions: fc.array(one, { maxLength: 30 }),
    });
    fc.assert(
      fc.property(raw, fc.subarray([...DIAGNOSIS_ACTIONS]), (value, permitted) => {
        const answer = parseAnswer(value);
        if (typeof answer === "string") return;
        const { actions } = selectActions(answer, permitted);
        expect(actions.every(({ type }) => permitted.includes(type) && (type as string) !== "send_slack")).toBe(true);
        expect(new Set(actions.map(actionKey)).size).toBe(actions.length);
        expect(actions.length).toBeLessThanOrEqual(5);
      }),
      { numRuns: process.env.ROUSE_FULL ? 1_000_000 : 2000 },
    );
  });
});

describe("acting", () => {
  const scout = action({ type: "trigger_scout", project_id: "shop" });
  const idle = pipeline({ jobs: [{ ...job, status: "done" }] });
  const options = { now: () => NOW, done: new Set<string>() };

  it("reads the pipeline again before each action: a change between answer and act refuses it", async () => {
    const acted: string[] = [];
    let state = idle;
    const access = {
      read: async () => state,
      act: async ({ type }: PipelineAction) => {
        acted.push(type);
        state = pipeline({ jobs: [{ ...job, status: "pending" }] });
      },
    };
    const outcomes = await carryOutActions([scout, scout], access, options);
    expect(acted).toEqual(["trigger_scout"]);
    expect(outcomes.map(({ result }) => result)).toEqual(["done", "refused"]);
  });

  it("is refused if the pipeline cannot be read, and within 24 h of the same action", async () => {
    const act = async (): Promise<void> => Promise.reject(new Error("never"));
    const unread = await carryOutActions([scout], { read: async () => "no database", act }, options);
    expect(unread).toEqual([{ action: "trigger_scout shop", result: "refused", reason: "no database" }]);
    const again = { ...options, done: new Set([actionKey(scout)]) };
    expect(await carryOutActions([scout], { read: async () => idle, act }, again)).toMatchObject([
      { result: "refused" },
    ]);
    expect(await carryOutActions([scout], { read: async () => idle, act }, options)).toMatchObject([
      { result: "failed", reason: "never" },
    ]);
  });
});
