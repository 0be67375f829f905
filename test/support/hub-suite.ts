/** What every store of the hub has to do. Each test gets an empty hub. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Claimed, ClaimRef, Hub, TaskCondition, TaskFields } from "../../src/hub/hub.js";
import { HubError } from "../../src/hub/hub-error.js";

/** One empty hub with a clock that only moves by `advance`. */
export interface HubRig {
  /** A connection of this node; rigs close them at the end. */
  open(node?: string): Promise<Hub>;
  advance(ms: number): Promise<void>;
  /** As an agent: plain SQL on `agent_progress`. Throws what the database says. */
  agentSql(sql: string): Promise<void>;
  /** As the owner of the data. */
  ownerSql(sql: string): Promise<void>;
  /** JSON_ARRAY_APPEND of this database. */
  appendStep(step: number): string;
  close(): Promise<void>;
}

const AGENT = { agent: "api", session: "s-1" };
const MINUTE = 60_000;

export function describeHub(name: string, start: () => Promise<HubRig>): void {
  describe(`the hub on ${name}`, () => {
    let rig: HubRig;
    let hub: Hub;

    beforeEach(async () => {
      rig = await start();
      hub = await rig.open();
    });
    afterEach(async () => rig?.close());

    const add = (fields: Partial<TaskFields> = {}) => hub.add({ title: "Add login", ...fields }, "anna");
    const claimed = async (fields: Partial<TaskFields> = {}): Promise<Claimed> =>
      hub.claim((await add(fields)).id, AGENT);

    describe("tasks", () => {
      it("keeps every field of a task", async () => {
        const fields: TaskFields = {
          title: "Add login",
          description: "With\nlines and 'quotes' and ü",
          diagnosis: "No session store",
          qa: "Two browsers",
          check: ["npm", "test", "--", "a b"],
          steps: ["Schema", "Endpoint"],
          project: "shop",
          kind: "proposal",
          stage: "build",
          priority: 7,
          score: 0.53,
          threshold: 0.6,
          cycle: 3,
          parent: (await add()).id,
          tags: ["web", "urgent"],
          blockedBy: [(await add()).id],
          workspace: "/srv/shop",
          maxContinuations: 1,
        };
        const { id } = await hub.add({ ...fields, source: "beads", sourceKey: "bd-7" }, "anna");
        const found = await hub.get(id);
        expect(found).toMatchObject({
          ...fields,
          status: "pending",
          source: "beads",
          sourceKey: "bd-7",
          author: "anna",
          attempts: 0,
          continuations: 0,
          fence: 0,
          worker: null,
          lastError: null,
          claim: null,
          waitsFor: fields.blockedBy,
        });
        expect(found.createdAt).toBe(await hub.now());
      });

      it("creates the progress record together with the task", async () => {
        const { id } = await add();
        expect(await hub.progress({ task: id })).toMatchObject([
          { task: id, fence: null, agentTaskName: null, status: null, completedSteps: [], lastCheckpoint: null },
        ]);
      });

      it("returns the existing task when a source adds the same key again", async () => {
        const first = await hub.add({ title: "One", source: "beads", sourceKey: "bd-1" }, "anna");
        const second = await hub.add({ title: "Two", source: "beads", sourceKey: "bd-1" }, "anna");
        expect(second).toEqual(first);
        expect(await hub.list()).toHaveLength(1);
      });

      it("lists by priority and age, filtered, without the long texts", async () => {
        const low = await add({ project: "a", tags: ["x", "y"] });
        const high = await add({ priority: 5, project: "b", tags: ["x"] });
        const listed = await hub.list();
        expect(listed.map(({ id }) => id)).toEqual([high.id, low.id]);
        expect(listed[0]).not.toHaveProperty("description");
        expect((await hub.list({ tags: ["x", "y"] })).map(({ id }) => id)).toEqual([low.id]);
        expect((await hub.list({ project: "b" })).map(({ id }) => id)).toEqual([high.id]);
        expect(await hub.list({ status: ["done", "failed"] })).toEqual([]);
        expect((await hub.list({ after: low.id })).map(({ id }) => id)).toEqual([high.id]);
        expect(await hub.list({ limit: 1 })).toHaveLength(1);
        await hub.claim(low.id, AGENT);
        await (await rig.open("lab-2")).claim(high.id, AGENT);
        expect((await hub.list({ node: "lab-1" })).map(({ id }) => id)).toEqual([low.id]);
      });

      it("counts tasks by status, also only those that changed since a time", async () => {
        const first = await claimed();
        await hub.finish(first.claim, { outcome: "done" });
        await rig.advance(MINUTE);
        const since = await hub.now();
        const second = await claimed();
        await add();
        const none = { proposed: 0, approved: 0, blocked: 0, failed: 0, rejected: 0 };
        expect(await hub.counts()).toEqual({ ...none, pending: 1, in_progress: 1, done: 1 });
        expect(await hub.counts({ updatedSince: since })).toEqual({ ...none, pending: 1, in_progress: 1, done: 0 });
        expect((await hub.list({ updatedSince: since, status: ["in_progress", "done"] })).map(({ id }) => id)).toEqual([
          second.task.id,
        ]);
      });

      it("edits only the named fields and records which", async () => {
        const { id, ...before } = await add({ steps: ["a"], priority: 1 });
        const edited = await hub.edit(id, { title: "New", tags: ["t"], attempts: 0, lastError: null }, "ben");
        expect(edited).toEqual({ ...before, id, title: "New", tags: ["t"] });
        expect((await hub.events({ task: id })).at(-1)).toMatchObject({
          kind: "edited",
          author: "ben",
          data: { fields: ["title", "tags", "attempts", "lastError"] },
        });
      });

      it("refuses unknown tasks, parents and blockers", async () => {
        await refused(hub.get(99), "unknown_task");
        await refused(hub.edit(99, { title: "x" }, "anna"), "unknown_task");
        await refused(hub.claim(99, AGENT), "unknown_task");
        await refused(hub.comment(99, "x", "anna"), "unknown_task");
        await refused(hub.transition(99, "done", { actor: "user", author: "anna" }), "unknown_task");
        await refused(hub.checkpoint({ task: 99, fence: 1 }, { text: "x", source: "cli" }), "unknown_task");
        await refused(add({ parent: 99 }), "unknown_parent");
        await refused(add({ blockedBy: [99] }), "unknown_blocker");
        expect(await hub.list()).toEqual([]);
      });

      it("refuses a circle in blocked-by and names both tasks", async () => {
        const first = await add();
        const second = await add({ blockedBy: [first.id] });
        const third = await add({ blockedBy: [second.id] });
        const error = await refused(hub.edit(first.id, { blockedBy: [third.id] }, "anna"), "circle");
        expect(error.message).toContain(`task ${third.id} waits for task ${first.id}`);
        await refused(hub.edit(first.id, { blockedBy: [first.id] }, "anna"), "circle");
        expect((await hub.get(first.id)).blockedBy).toEqual([]);
      });

      it("refuses input that no store should take", async () => {
        await refused(add({ title: "a\u001b[31mb" }), "invalid");
        await refused(add({ title: " " }), "invalid");
        await refused(add({ title: "x".repeat(501) }), "invalid");
        await refused(add({ description: "x".repeat(10_000_000) }), "invalid");
        await refused(add({ check: [] }), "invalid");
        await refused(add({ steps: ["a\nb"] }), "invalid");
        await refused(hub.edit(1, { titel: "x" } as never, "anna"), "invalid");
        await refused(hub.add({ title: "x", source: "beads" }, "anna"), "invalid");
        expect(await hub.list()).toEqual([]);
      });

      it("stores NUL, lone surrogates and quotes of a hostile text without an error", async () => {
        const { id } = await add({ description: "a\u0000b\ud800'; drop table tasks; --" });
        expect((await hub.get(id)).description).toBe("ab\ufffd'; drop table tasks; --");
        const { claim } = await hub.claim(id, AGENT);
        await hub.checkpoint(claim, { text: "\u0000\ud800\u001b[2J$1 {}", source: "cli" });
        expect((await hub.get(id)).lastStep).toBe("\ufffd [2J$1 {}");
      });
    });

    describe("transitions", () => {
      it("follows the table of states and refuses everything else", async () => {
        const { id } = await hub.add({ title: "Idea", status: "proposed" }, "scout");
        const move = (operation: "approve" | "queue" | "reject" | "reopen" | "block" | "unblock" | "done" | "fail") =>
          hub.transition(id, operation, { actor: "user", author: "anna" });
        const error = await refused(move("done"), "not_possible");
        expect(error.message).toBe(`task ${id} is proposed; done needs a task that is pending, in_progress or blocked`);
        expect((await move("approve")).status).toBe("approved");
        expect((await move("queue")).status).toBe("pending");
        expect((await move("block")).status).toBe("blocked");
        expect((await move("unblock")).status).toBe("pending");
        expect((await move("reject")).status).toBe("rejected");
        expect((await move("reopen")).status).toBe("pending");
        expect((await move("done")).status).toBe("done");
        expect((await hub.events({ task: id })).map(({ kind }) => kind)).toEqual([
          "added",
          "approve",
          "queue",
          "block",
          "unblock",
          "reject",
          "reopen",
          "done",
        ]);
      });

      it("refuses operations that the actor may not do", async () => {
        const { id } = await hub.add({ title: "Idea", status: "proposed" }, "scout");
        const error = await refused(
          hub.transition(id, "approve", { actor: "rouse", author: "policy" }),
          "not_permitted",
        );
        expect(error.message).toBe(`approve of task ${id} is not permitted to rouse`);
        for (const operation of ["claim", "take_over", "expire"] as never[])
          await refused(hub.transition(id, operation, { actor: "rouse", author: "policy" }), "not_permitted");
      });

      it("refuses a decision whose basis has changed", async () => {
        const { id } = await hub.add({ title: "Idea", status: "proposed" }, "scout");
        const decide = (onlyIf: TaskCondition) =>
          hub.transition(id, "reject", { actor: "rouse", author: "policy", onlyIf });
        const error = await refused(decide({ status: "approved" }), "changed");
        expect(error.message).toBe(`task ${id} has changed: it is proposed`);
        const child = await hub.add({ title: "Build it", parent: id }, "scout");
        const built = await refused(decide({ status: "proposed", isChildless: true }), "changed");
        expect(built.message).toBe(`task ${id} has changed: it is proposed and has the job ${child.id}`);
        expect(await decide({ status: "proposed" })).toMatchObject({ status: "rejected" });
      });

      it("ends the claim when a user takes the task away", async () => {
        const { claim, task } = await claimed();
        const blocked = await hub.transition(task.id, "block", { actor: "user", author: "anna", error: "No key" });
        expect(blocked).toMatchObject({ status: "blocked", claim: null, lastError: "No key" });
        await refused(hub.checkpoint(claim, { text: "x", source: "cli" }), "stale_fence");
      });

      it("closes a task with a check only when it is verified", async () => {
        const { claim, task } = await claimed({ check: ["npm", "test"] });
        await refused(hub.finish(claim, { outcome: "done" }), "unverified");
        const error = await refused(hub.finish(claim, { outcome: "done", verification: "contradicted" }), "unverified");
        expect(error.message).toContain("the result was contradicted");
        const failing = { verification: "contradicted", error: "2 tests failed" } as const;
        await refused(hub.finish(claim, { outcome: "done", ...failing }), "unverified");
        expect(await hub.get(task.id)).toMatchObject({
          status: "in_progress",
          verification: "contradicted",
          lastError: "2 tests failed",
          claim: { fence: claim.fence },
        });
        expect(await hub.events({ task: task.id, kind: "check" })).toMatchObject([
          { data: { verification: "contradicted" } },
          { data: failing },
        ]);
        await refused(hub.transition(task.id, "done", { actor: "user", author: "anna" }), "unverified");
        expect((await hub.get(task.id)).status).toBe("in_progress");
        const done = await hub.finish(claim, { outcome: "done", verification: "verified", result: "All green" });
        expect(done).toMatchObject({ status: "done", verification: "verified", result: "All green", claim: null });
      });

      it("closes a task without a check of its own only when it is verified, if the user's configuration has one", async () => {
        const { claim, task } = await claimed();
        const options = { outcome: "done", mustBeVerified: true } as const;
        await refused(hub.finish(claim, { ...options, verification: "unverified" }), "unverified");
        expect((await hub.finish(claim, { ...options, verification: "verified" })).status).toBe("done");
        expect((await hub.get(task.id)).verification).toBe("verified");
      });
    });

    describe("claims", () => {
      it("writes checkpoint 0, so that a crash before the first report loses nothing", async () => {
        const { task, claim, isContinuation } = await claimed({ steps: ["a", "b"] });
        expect(isContinuation).toBe(false);
        expect(claim).toMatchObject({ task: task.id, fence: 1, agent: "api", session: "s-1", leaseMs: 90_000 });
        expect(claim.leaseUntil).toBe((await hub.now()) + 90_000);
        const found = await hub.get(task.id);
        expect(found).toMatchObject({ status: "in_progress", worker: "api", attempts: 1, claim, lastStep: null });
        expect(found.checkpoints).toMatchObject([{ step: 0, source: "claim", fence: 1 }]);
        expect(found.progress).toMatchObject([{ id: claim.progressId, status: "in_progress", completedSteps: [] }]);
        expect(found.lastCheckpoint).toBe(claim.claimedAt);
      });

      it("takes the first task by priority and age whose blockers are done and whose tags match", async () => {
        const blocker = await add({ priority: 1, tags: ["b"] });
        await add({ priority: 9, blockedBy: [blocker.id], tags: ["a"] });
        const old = await add({ priority: 3, tags: ["a"] });
        await add({ priority: 3, tags: ["a"] });
        expect((await hub.next({ tags: ["a"] }))?.id).toBe(old.id);
        expect((await hub.get(old.id)).status).toBe("pending");
        expect((await hub.claimNext({ tags: ["a"] }, AGENT))?.task.id).toBe(old.id);
        expect((await hub.claimNext({ tags: ["b"] }, AGENT))?.task.id).toBe(blocker.id);
        expect(await hub.claimNext({ tags: ["none"] }, AGENT)).toBeNull();
        expect(await hub.next({ project: "none" })).toBeNull();
      });

      it("names what a blocked task waits for, and offers it when the blocker is done", async () => {
        const blocker = await claimed();
        const { id } = await add({ blockedBy: [blocker.task.id] });
        const error = await refused(hub.claim(id, AGENT), "waits");
        expect(error.message).toBe(`task ${id} is blocked by task ${blocker.task.id}, not done yet`);
        await hub.finish(blocker.claim, { outcome: "done" });
        expect((await hub.get(id)).waitsFor).toEqual([]);
        expect((await hub.claim(id, AGENT)).claim.fence).toBe(1);
      });

      it("refuses a second claim and names the holder", async () => {
        const { task } = await claimed();
        const error = await refused(hub.claim(task.id, { agent: "web", session: "s-2" }), "held");
        expect(error.message).toContain("is claimed by api on ");
      });

      it("keeps a lease while it is renewed, and reports a lost claim by leaving it out", async () => {
        const { claim, task } = await claimed();
        await rig.advance(60_000);
        const [renewed] = await hub.renew([claim, { task: task.id, fence: 99 }]);
        expect(renewed?.leaseUntil).toBe((await hub.now()) + 90_000);
        await rig.advance(80_000);
        expect(await hub.expire({ patienceMs: 0 })).toEqual([]);
        await rig.advance(11_000);
        expect(await hub.expire({ patienceMs: 5 * MINUTE })).toEqual([]);
        await rig.advance(5 * MINUTE);
        const [expired] = await hub.expire({ patienceMs: 5 * MINUTE });
        expect(expired).toMatchObject({ outcome: "offered", claim: { task: task.id, fence: 1, ended: "expired" } });
        expect(await hub.renew([claim])).toEqual([]);
        expect(await hub.get(task.id)).toMatchObject({ status: "pending", claim: null, continuations: 1 });
      });

      it("refuses and records every write of a session that lost its task", async () => {
        const { claim: old, task } = await claimed({ steps: ["a", "b"] });
        const next = await hub.takeOver(old, { agent: "web", session: "s-2" }, "no_checkpoint");
        expect(next).toMatchObject({ isContinuation: true, claim: { fence: 2 }, task: { continuations: 1 } });
        const error = await refused(hub.checkpoint(old, { step: 1, text: "late", source: "cli" }), "stale_fence");
        expect(error.message).toBe(
          `claim 1 of task ${task.id} has ended (taken_over), and its writes are refused; web holds it now (claim 2)`,
        );
        await refused(hub.finish(old, { outcome: "done" }), "stale_fence");
        await refused(hub.release(old, { reason: "x" }), "stale_fence");
        await refused(hub.takeOver(old, AGENT, "x"), "stale_fence");
        await refused(hub.comment(task.id, "late", "api", old), "stale_fence");
        await refused(hub.takeLock({ project: "p", name: "merge", holder: "api", claim: old }), "stale_fence");
        expect(await hub.get(task.id)).toMatchObject({ status: "in_progress", completedSteps: [], fence: 2 });
        expect(await hub.events({ task: task.id, kind: "checkpoint_refused" })).toMatchObject([
          { data: { fence: 1, text: "late" } },
        ]);
      });

      it("hands over twice, with a progress row per session, and then fails the task", async () => {
        const { claim, task } = await claimed({ steps: ["a", "b", "c"] });
        await hub.checkpoint(claim, { step: 1, text: "one", source: "cli" });
        const second = await takeOver(claim);
        await hub.checkpoint(second.claim, { step: 2, text: "two", source: "cli" });
        const third = await takeOver(second.claim);
        expect(third.task.completedSteps).toEqual([1, 2]);
        expect(await hub.takeOver(third.claim, AGENT, "stalled again")).toBeNull();
        const failed = await hub.get(task.id);
        expect(failed).toMatchObject({ status: "failed", continuations: 2, lastError: "stalled again", claim: null });
        expect(failed.progress.map(({ status, completedSteps }) => [status, completedSteps])).toEqual([
          ["stalled", [1]],
          ["stalled", [1, 2]],
          ["failed", [1, 2]],
        ]);
        const reopened = await hub.transition(task.id, "reopen", { actor: "user", author: "anna" });
        expect(reopened).toMatchObject({ status: "pending", continuations: 0, completedSteps: [1, 2] });
      });

      it("counts an abandoned claim as a continuation, and a returned one not", async () => {
        const { claim, task } = await claimed({ maxContinuations: 1 });
        expect(await hub.release(claim, { reason: "lunch" })).toMatchObject({ status: "pending", continuations: 0 });
        const again = await hub.claim(task.id, AGENT);
        expect(again).toMatchObject({ isContinuation: false, claim: { fence: 2 } });
        const abandoned = await hub.release(again.claim, { reason: "crash", abandoned: true });
        expect(abandoned).toMatchObject({ status: "pending", continuations: 1 });
        const last = await hub.claim(task.id, AGENT);
        expect(last.isContinuation).toBe(true);
        expect(await hub.release(last.claim, { reason: "crash", abandoned: true })).toMatchObject({
          status: "failed",
          lastError: "crash",
        });
      });

      it("blocks the task with the error that a continuation reports", async () => {
        const { claim, task } = await claimed();
        const blocked = await hub.finish(claim, { outcome: "blocked", error: "No access to the registry" });
        expect(blocked).toMatchObject({ status: "blocked", lastError: "No access to the registry" });
        expect((await hub.progress({ task: task.id }))[0]?.status).toBe("failed");
      });
    });

    describe("checkpoints", () => {
      it("records steps once, in order, and renews the lease", async () => {
        const { claim, task } = await claimed({ steps: ["a", "b", "c"] });
        await rig.advance(10 * MINUTE);
        const checkpoint = await hub.checkpoint(claim, { step: 2, text: "Endpoint", source: "mcp" });
        expect(checkpoint).toMatchObject({ task: task.id, fence: 1, step: 2, inferred: false, at: await hub.now() });
        await hub.checkpoint(claim, { step: 1, text: "Schema", source: "commit", inferred: true });
        await hub.checkpoint(claim, { step: 2, text: "Endpoint again", source: "cli" });
        const found = await hub.get(task.id);
        expect(found).toMatchObject({ completedSteps: [1, 2], lastStep: "Endpoint again" });
        expect(found.claim?.leaseUntil).toBe((await hub.now()) + 90_000);
        expect(found.checkpoints.map(({ step, inferred }) => [step, inferred])).toEqual([
          [0, false],
          [2, false],
          [1, true],
          [2, false],
        ]);
      });

      it("refuses a step that does not exist", async () => {
        const { claim } = await claimed({ steps: ["a", "b", "c"] });
        const error = await refused(hub.checkpoint(claim, { step: 4, text: "x", source: "cli" }), "step_out_of_range");
        expect(error.message).toBe(`task ${claim.task} has no step 4; its steps are 1 to 3`);
        await refused(hub.checkpoint(claim, { step: -1, text: "x", source: "cli" }), "invalid");
        expect((await hub.get(claim.task)).checkpoints).toHaveLength(1);
      });

      it("stores a spooled checkpoint once, at its own time", async () => {
        const { claim, task } = await claimed();
        await rig.advance(10 * MINUTE);
        const at = (await hub.now()) - 4 * MINUTE;
        const first = await hub.checkpoint(claim, { text: "x", source: "cli", at, key: "k-1" });
        expect(await hub.checkpoint(claim, { text: "x", source: "cli", at, key: "k-1" })).toEqual(first);
        expect(first.at).toBe(at);
        expect((await hub.get(task.id)).lastCheckpoint).toBe(at);
        const early = await hub.checkpoint(claim, { text: "y", source: "cli", at: 1, key: "k-2" });
        expect(early.at).toBe(claim.claimedAt);
      });

      it("counts a comment of the holder as a checkpoint, and one of a user not", async () => {
        const { claim, task } = await claimed();
        await rig.advance(5 * MINUTE);
        await hub.comment(task.id, "Looks fine", "anna");
        expect((await hub.get(task.id)).lastCheckpoint).toBe(claim.claimedAt);
        await hub.comment(task.id, "Migration is running", "api", claim);
        const found = await hub.get(task.id);
        expect(found.lastCheckpoint).toBe(await hub.now());
        expect(found.comments.map(({ author, text, fence }) => [author, text, fence])).toEqual([
          ["anna", "Looks fine", null],
          ["api", "Migration is running", 1],
        ]);
        expect(found.checkpoints.at(-1)).toMatchObject({ source: "comment", text: "Migration is running" });
      });

      it("keeps checkpoints and comments unchanged, whoever tries", async () => {
        const { claim, task } = await claimed();
        await hub.comment(task.id, "x", "api", claim);
        for (const table of ["checkpoints", "comments"]) {
          await expect(rig.ownerSql(`update ${table} set text = 'y'`)).rejects.toThrow(/append-only/);
          await expect(rig.ownerSql(`delete from ${table}`)).rejects.toThrow(/append-only/);
        }
        expect((await hub.get(task.id)).comments).toHaveLength(1);
      });
    });

    describe("agent_progress by SQL", () => {
      it("counts a plain UPDATE as a checkpoint", async () => {
        const { claim, task } = await claimed({ steps: ["a", "b", "c"] });
        await rig.agentSql(
          `update agent_progress set last_checkpoint = current_timestamp, last_step = 'Completed step 2: it''s done',
             completed_steps = ${rig.appendStep(2)} where id = ${claim.progressId}`,
        );
        await hub.collect();
        const found = await hub.get(task.id);
        expect(found).toMatchObject({ completedSteps: [2], lastStep: "Completed step 2: it's done" });
        expect(found.checkpoints.at(-1)).toMatchObject({ step: 2, source: "sql", inferred: false });
        expect(await hub.collect()).toEqual([]);
      });

      it("refuses a step that does not exist, and a row that is not in progress", async () => {
        const { claim, task } = await claimed({ steps: ["a", "b", "c"] });
        const update = (values: string, id = claim.progressId) =>
          rig.agentSql(`update agent_progress set ${values} where id = ${id}`);
        await expect(update(`completed_steps = ${rig.appendStep(4)}`)).rejects.toThrow(/no such step/);
        await expect(update(`completed_steps = '"x"'`)).rejects.toThrow(/array of step numbers/);
        await expect(update("agent_task_name = 'other'")).rejects.toThrow(/only last_checkpoint|permission denied/);
        await expect(update("status = 'stalled'")).rejects.toThrow(/in_progress, completed or failed/);
        await takeOver(claim);
        await expect(update("last_step = 'late'")).rejects.toThrow(/not in_progress/);
        await expect(rig.agentSql("delete from agent_progress")).rejects.toThrow(/cannot modify|permission denied/);
        await hub.collect();
        expect((await hub.get(task.id)).checkpoints.filter(({ source }) => source === "sql")).toEqual([]);
      });

      it("records a reported end, and leaves the task to its check", async () => {
        const { claim, task } = await claimed();
        await rig.agentSql(
          `update agent_progress set status = 'completed', last_step = 'All done' where id = ${claim.progressId}`,
        );
        await hub.collect();
        expect((await hub.get(task.id)).status).toBe("in_progress");
        expect(await hub.events({ task: task.id, kind: "reported" })).toMatchObject([
          { data: { fence: 1, status: "completed", text: "All done" } },
        ]);
      });
    });

    describe("locks", () => {
      const lock = { project: "shop", name: "merge" };

      it("gives a lock to one holder at a time and names the other", async () => {
        const taken = await hub.takeLock({ ...lock, holder: "api" });
        await rig.advance(MINUTE);
        expect(await hub.takeLock({ ...lock, holder: "api" })).toEqual(taken);
        const error = await refused(hub.takeLock({ ...lock, holder: "web" }), "lock_held");
        expect(error.message).toContain("the lock merge of project shop is held by api");
        expect(await hub.takeLock({ ...lock, project: "other", holder: "web" })).toMatchObject({ holder: "web" });
        expect((await hub.locks({ project: "shop" })).map(({ holder }) => holder)).toEqual(["api"]);
        expect(await hub.releaseLock({ ...lock, holder: "web", author: "web" })).toBe(false);
        expect(await hub.releaseLock({ ...lock, since: taken.since - 1, author: "anna" })).toBe(false);
        expect(await hub.releaseLock({ ...lock, author: "anna" })).toBe(true);
        expect(await hub.releaseLock({ ...lock, author: "anna" })).toBe(false);
        expect(await hub.takeLock({ ...lock, holder: "web" })).toMatchObject({ holder: "web", since: await hub.now() });
      });

      it("releases a lock with its lease, and with the claim that took it", async () => {
        await hub.takeLock({ ...lock, holder: "api", leaseMs: 1_000 });
        await rig.advance(2_000);
        const { claim } = await claimed();
        await hub.takeLock({ ...lock, holder: "web", claim });
        await refused(hub.takeLock({ ...lock, holder: "api" }), "lock_held");
        await takeOver(claim);
        expect(await hub.locks()).toEqual([]);
      });
    });

    describe("messages", () => {
      const message = {
        receiver: "orch",
        key: "i-1:stuck",
        type: "worker.stuck",
        sender: "rouse",
        payload: { a: [1] },
      };

      it("stores one message per key, in order, until it is acknowledged", async () => {
        expect(await hub.send(message)).toMatchObject({ ...message, seq: 1, at: await hub.now() });
        expect(await hub.send(message)).toBeNull();
        await hub.send({ ...message, key: "i-2" });
        await hub.send({ ...message, receiver: "other" });
        expect((await hub.read("orch")).map(({ seq }) => seq)).toEqual([1, 2]);
        expect((await hub.read("orch", { after: 1 })).map(({ key }) => key)).toEqual(["i-2"]);
        expect(await hub.ack("orch", [1, 7], "orch-1")).toBe(1);
        expect(await hub.ack("orch", [1], "orch-1")).toBe(0);
        expect((await hub.read("orch")).map(({ seq }) => seq)).toEqual([2]);
        expect((await hub.read("orch", { acked: true }))[0]).toMatchObject({ ackedBy: "orch-1" });
        expect(await hub.send(message)).toBeNull();
      });
    });

    describe("retention", () => {
      it("removes closed tasks with their history, but none that an open task refers to", async () => {
        const blocker = await add();
        const done = await claimed();
        await add({ blockedBy: [blocker.id] });
        await hub.comment(done.task.id, "x", "anna");
        await hub.finish(done.claim, { outcome: "done" });
        await hub.transition(blocker.id, "fail", { actor: "user", author: "anna" });
        await rig.advance(MINUTE);
        const before = await hub.now();
        expect(await hub.prune({ tasksBefore: before, eventsBefore: before - MINUTE, messagesBefore: before })).toEqual(
          { tasks: 1, events: 0, messages: 0 },
        );
        await refused(hub.get(done.task.id), "unknown_task");
        expect((await hub.list()).map(({ status }) => status)).toEqual(["failed", "pending"]);
        const { events } = await hub.prune({ tasksBefore: 0, eventsBefore: before, messagesBefore: 0 });
        expect(events).toBeGreaterThan(3);
      });
    });

    it("registers the node and counts its starts", async () => {
      const first = await hub.join({ instance: "one", version: "0.1.0" });
      const second = await hub.join({ instance: "one", version: "0.1.0" });
      expect(second.node).toBe(first.node);
      expect(second.epoch).toBe(first.epoch + 1);
      expect(second.now).toBe(await hub.now());
    });

    it("refuses calls after it was closed", async () => {
      await hub.close();
      expect((await refused(hub.list(), "closed")).retryable).toBe(false);
    });

    async function takeOver(from: ClaimRef): Promise<Claimed> {
      const next = await hub.takeOver(from, { agent: "web", session: "s-2" }, "no_checkpoint");
      if (!next) throw new Error("no continuation was left");
      return next;
    }
  });
}

async function refused(call: Promise<unknown>, code: HubError["code"]): Promise<HubError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HubError)) throw new Error(`expected ${code}, got ${String(error)}`, { cause: error });
  expect(error.code).toBe(code);
  return error;
}
