import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CLOSING_MS,
  MISSING_MS,
  nextSteps,
  type OwnTask,
  type QueueAgent,
  type QueueSituation,
  type QueueTask,
} from "./queue-run.js";

const NOW = 1_000_000;
const pending = (id: number, more: Partial<QueueTask> = {}): QueueTask => ({
  id,
  status: "pending",
  isReady: true,
  holder: null,
  ...more,
});
const held = (id: number, holder = `a-${id}`): QueueTask => pending(id, { status: "in_progress", holder });
const agent = (name: string, more: Partial<QueueAgent> = {}): QueueAgent => ({
  name,
  account: "me",
  limitedUntil: null,
  isIdle: false,
  ...more,
});
const own = (task: number, more: Partial<OwnTask> = {}): OwnTask => ({
  task,
  agents: [`a-${task}`],
  missingSince: null,
  leftSince: null,
  ...more,
});
const next = (more: Partial<QueueSituation>) =>
  nextSteps({
    now: NOW,
    max: 2,
    tasks: [],
    agents: [],
    recovering: new Set(),
    own: [],
    skipped: new Set(),
    accounts: new Set(["me"]),
    used: { tokens: 0, costUsd: 0 },
    budget: { tokens: 0, costUsd: 0 },
    ...more,
  });

describe("a run over the queue", () => {
  it("starts tasks in the order of the queue, at most so many at once", () => {
    expect(next({ tasks: [pending(3), pending(1), pending(2)] })).toMatchObject({ starts: [3, 1], isEnd: false });
    expect(next({ tasks: [held(3), pending(1), pending(2)], agents: [agent("a-3")], own: [own(3)] }).starts).toEqual([
      1,
    ]);
  });

  it("starts one agent first, which shows the account", () => {
    expect(next({ tasks: [pending(3), pending(1)], accounts: new Set() }).starts).toEqual([3]);
  });

  it("leaves tasks that wait for others, could not be started, or are held by other agents", () => {
    const tasks = [pending(1, { isReady: false }), pending(2), held(3, "other")];
    expect(next({ tasks, skipped: new Set([2]) })).toMatchObject({ starts: [], isEnd: true });
  });

  it("ends when nothing is ready and none of its agents works", () => {
    expect(next({}).isEnd).toBe(true);
    expect(next({ tasks: [held(1)], agents: [agent("a-1")], own: [own(1)] }).isEnd).toBe(false);
    const done = { tasks: [pending(1, { status: "done" })], own: [own(1)] } as const;
    expect(next(done).isEnd).toBe(true);
    expect(next({ ...done, agents: [agent("a-1")] }).isEnd).toBe(false);
  });

  it("stops an agent that has left its task once its turn ends, or after half a minute", () => {
    const done = { tasks: [pending(1, { status: "done" })], own: [own(1)] } as const;
    const first = next({ ...done, agents: [agent("a-1")] });
    expect(first).toMatchObject({ stops: [], own: [{ leftSince: NOW }] });
    expect(next({ ...done, agents: [agent("a-1", { isIdle: true })] }).stops).toEqual(["a-1"]);
    expect(next({ ...done, own: first.own, agents: [agent("a-1")], now: NOW + CLOSING_MS }).stops).toEqual(["a-1"]);
  });

  it("never stops an agent that holds its task, or one that it did not start", () => {
    const agents = [agent("a-1", { isIdle: true }), agent("other", { isIdle: true })];
    expect(next({ tasks: [held(1)], own: [own(1)], agents }).stops).toEqual([]);
  });

  it("offers a released task again only after its old agent has ended", () => {
    const released = { tasks: [pending(1)], own: [own(1, { leftSince: NOW - CLOSING_MS })] };
    expect(next({ ...released, agents: [agent("a-1")] })).toMatchObject({ starts: [], stops: ["a-1"] });
    expect(next(released).starts).toEqual([1]);
  });

  it("continues a task whose agent died, unless the recovery plan does", () => {
    const first = next({ tasks: [held(1)], own: [own(1)] });
    expect(first).toMatchObject({ continues: [], isEnd: false, running: 1, own: [{ missingSince: NOW }] });
    const later = { tasks: [held(1)], own: first.own, now: NOW + MISSING_MS };
    expect(next(later)).toMatchObject({ continues: [1], isEnd: false });
    expect(next({ ...later, recovering: new Set(["a-1"]) })).toMatchObject({ continues: [], isEnd: false });
  });

  it("follows a successor that the recovery plan started under the same name", () => {
    const missing = own(1, { missingSince: NOW - MISSING_MS });
    const step = next({ tasks: [held(1)], own: [missing], agents: [agent("a-1")] });
    expect(step).toMatchObject({ continues: [], own: [{ missingSince: null }] });
  });

  it("starts nothing while an account of its agents is limited, whichever agent shows it", () => {
    const limited = agent("other", { limitedUntil: NOW + 60_000 });
    const step = next({ tasks: [pending(1)], agents: [limited] });
    expect(step).toMatchObject({ starts: [], wait: { why: "limit", until: NOW + 60_000 }, isEnd: false });
    expect(next({ tasks: [pending(1)], agents: [{ ...limited, account: "else" }] }).starts).toEqual([1]);
    expect(next({ tasks: [pending(1)], agents: [limited], now: NOW + 60_000 }).starts).toEqual([1]);
  });

  it("takes no task over its budget, and ends when its agents have ended", () => {
    const over = { used: { tokens: 0, costUsd: 20 }, budget: { tokens: 0, costUsd: 10 }, tasks: [pending(1), held(2)] };
    expect(next({ ...over, own: [own(2)], agents: [agent("a-2")] })).toMatchObject({
      starts: [],
      wait: { why: "budget" },
      isEnd: false,
    });
    expect(next({ ...over, own: [own(2, { missingSince: NOW - MISSING_MS })] })).toMatchObject({
      continues: [],
      isEnd: true,
    });
    expect(next({ ...over, used: { tokens: 0, costUsd: 19 } }).starts).toEqual([1]);
  });

  it("never exceeds its places and starts no task twice, whatever the queue does", () => {
    const statuses = fc.constantFrom("pending", "in_progress", "done", "failed", "blocked") as fc.Arbitrary<
      QueueTask["status"]
    >;
    const world = fc.record({
      max: fc.integer({ min: 1, max: 4 }),
      rounds: fc.array(
        fc.record({
          changed: fc.nat({ max: 7 }),
          status: statuses,
          dies: fc.nat({ max: 7 }),
          ms: fc.nat({ max: 40_000 }),
        }),
        { maxLength: 40 },
      ),
    });
    fc.assert(
      fc.property(world, ({ max, rounds }) => {
        let tasks = Array.from({ length: 8 }, (_, id) => pending(id));
        let mine: OwnTask[] = [];
        let living: QueueAgent[] = [];
        let now = NOW;
        for (const { changed, status, dies, ms } of rounds) {
          const step = next({ now, max, tasks, agents: living, own: mine });
          const stopped = living.filter(({ name }) => !step.stops.includes(name));
          const begun = [...step.starts, ...step.continues];
          // An agent of the task must not run beside its successor.
          for (const task of begun) expect(stopped.map(({ name }) => name)).not.toContain(`a-${task}`);
          expect(new Set(begun).size).toBe(begun.length);
          living = [...stopped, ...begun.map((task) => agent(`a-${task}`))];
          expect(living.length).toBeLessThanOrEqual(max);
          mine = [
            ...step.own,
            ...step.starts.filter((id) => !mine.some(({ task }) => task === id)).map((id) => own(id)),
          ];
          tasks = tasks.map((task) => (begun.includes(task.id) ? held(task.id) : task));
          tasks = tasks.map((task) =>
            task.id === changed && task.status === "in_progress" && status !== "in_progress"
              ? pending(task.id, { status })
              : task,
          );
          living = living.filter(({ name }) => name !== `a-${dies}`);
          now += ms;
        }
      }),
    );
  });
});
