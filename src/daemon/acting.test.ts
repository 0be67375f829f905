import { afterEach, describe, expect, it } from "vitest";
import { agent, lookedAt, TestLoop, WORKING } from "../../test/support/loops.js";
import { screen } from "../../test/support/steps.js";
import type { Action, ActionName, Outcome } from "../core/action.js";
import type { Incident } from "../core/incident/incident.js";
import { POLICIES } from "../core/policy/builtin.js";
import type { Policy } from "../core/policy/policy.js";
import type { BookStore } from "../store/book.js";
import { Acting } from "./acting.js";
import { incidentView } from "./incident-view.js";

const ALL: readonly ActionName[] = ["nudge", "interrupt", "stop", "resume"];
/** Longer than the program's own time-out and the confirm window. */
const HUNG_S = 600;

/** A second kind of evidence beside the screen: bytes came, and then no more. */
const process = (receivedBytes: number) =>
  ({ kind: "process", source: "process", alive: true, children: 0, cpuMs: 100, sockets: 1, receivedBytes }) as const;

let test: TestLoop;
afterEach(() => test.close());

interface Rig {
  acting: Acting;
  touches: string[];
  allow: () => void;
}

/** Acting over the real loop and journal; `hand` is what becomes of a touch. */
function acts(
  hand: (action: Action) => Partial<Outcome> | Promise<Partial<Outcome>>,
  { allowed = true, store }: { allowed?: boolean; store?: BookStore } = {},
): Rig {
  const touches: string[] = [];
  const rig = { allowed };
  const acting = new Acting({
    store: store ?? test.journal.book,
    hands: {
      can: () => ALL,
      carryOut: async (action) => {
        touches.push(action.do);
        const outcome = await hand(action);
        return { intent: action.id, at: test.loop.now(), result: "done", reason: "", proven: true, ...outcome };
      },
    },
    policyOf: () => POLICIES.default as Policy,
    isAllowed: () => rig.allowed,
    isWell: () => true,
    now: () => test.loop.now(),
  });
  test.loop.follower = acting;
  const allow = (): void => {
    rig.allowed = true;
  };
  return { acting, touches, allow };
}

async function hanging(): Promise<void> {
  test = new TestLoop();
  test.loop.register(agent());
  await test.send("s1", [...WORKING, process(100)]);
  test.run(1);
  await test.send("s1", [process(9000)]);
}

/** Awake for so long, giving promises their turn at every second. */
async function run(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    test.run(1);
    await Promise.resolve();
    await new Promise(setImmediate);
  }
}

describe("from a judgement to a touch", () => {
  it("stores the intent before the touch and the outcome after it", async () => {
    await hanging();
    const stored: (string | undefined)[] = [];
    const known = (): string | undefined => test.journal.book.load().deeds.at(-1)?.outcome?.result;
    const { acting, touches } = acts((action) => {
      const deeds = test.journal.book.load().deeds;
      stored.push(deeds.find(({ id }) => id === action.id)?.do);
      return {};
    });
    await run(HUNG_S);
    expect(touches[0]).toBe("interrupt");
    expect(stored[0]).toBe("interrupt");
    expect(known()).toBe("done");
    expect(acting.book.incidents).toHaveLength(1);
  });

  it("touches nothing when the intent cannot be stored", async () => {
    await hanging();
    const { book } = test.journal;
    const full: BookStore = {
      load: () => book.load(),
      save: () => {
        throw new Error("disk full");
      },
    };
    const { acting, touches } = acts(() => ({}), { store: full });
    await run(HUNG_S);
    expect(touches).toEqual([]);
    expect(acting.problem).toBe("disk full");
    expect(acting.book.incidents).toHaveLength(1);
  });

  it("does nothing unasked, and says once what it would have done", async () => {
    await hanging();
    const { acting, touches } = acts(() => ({}), { allowed: false });
    await run(HUNG_S);
    expect(touches).toEqual([]);
    const [incident] = acting.book.incidents;
    expect(incident).toMatchObject({ phase: "escalated", trouble: "silent_stream" });
    expect(incident?.escalated?.reason).toContain("rouse allow");
  });

  it("ends an incident when the agent works again", async () => {
    await hanging();
    const { acting } = acts(({ do: name }) => {
      if (name === "nudge") {
        void test.send("s1", [screen({ busy: true, moving: true, replying: true, reply: "and on", tokens: 5 })]);
      }
      return {};
    });
    await run(HUNG_S);
    for (let n = 0; n < 60; n++) {
      await test.send("s1", [screen({ busy: true, moving: true, replying: true, reply: `more ${n}`, tokens: n * 10 })]);
      await run(1);
    }
    expect(acting.book.incidents.map(({ phase }) => phase)).toEqual(["resolved"]);
  });

  it("takes a touch that does not end in its time for unknown, looks, and asks a human instead of repeating it", async () => {
    await hanging();
    const { acting, touches } = acts(() => new Promise(() => {}));
    await run(HUNG_S);
    expect(touches).toEqual(["interrupt"]);
    expect(acting.book.deeds[0]?.outcome?.result).toBe("unknown");
    expect(acting.book.incidents[0]?.phase).toBe("escalated");
  });

  it("takes a touch that broke off for unknown", async () => {
    await hanging();
    const { acting, touches } = acts(() => Promise.reject(new Error("broken pipe")));
    await run(HUNG_S);
    expect(touches).toEqual(["interrupt"]);
    expect(acting.book.deeds[0]?.outcome).toMatchObject({ result: "unknown", reason: "it broke off: broken pipe" });
  });

  it("repeats nothing after a restart in the middle of a touch", async () => {
    await hanging();
    const first = acts(() => new Promise(() => {}));
    for (let n = 0; n < HUNG_S && first.touches.length === 0; n++) await run(1);
    expect(first.touches).toEqual(["interrupt"]);
    test.start(lookedAt(test.loop.now()));
    const second = acts(() => ({}));
    await run(HUNG_S);
    expect(second.touches).toEqual([]);
    expect(second.acting.book.incidents).toHaveLength(1);
    expect(second.acting.book.incidents[0]?.escalated?.reason).toContain("not repeated blindly");
  });
});

/** It is killed: what was touched 50 s after that, and 80 s. */
async function touchedWhenKilled(touches: readonly string[]): Promise<string[][]> {
  await test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
  await run(50);
  const early = [...touches];
  await run(30);
  return [early, [...touches]];
}

describe("what people say", () => {
  it("looks for a minute after a restart before it touches, also where the wall clock was set back", async () => {
    await hanging();
    test.hand.set(-3_600_000);
    test.run(30);
    const looked = lookedAt(test.loop.now());
    test.hand.pass(100_000);
    test.hand.anew();
    test.start(looked);
    expect(test.loop.now()).toBeLessThanOrEqual(looked.now);
    const { acting, touches } = acts(() => ({}));
    acting.wake(test.loop.unwatched(looked));
    expect(await touchedWhenKilled(touches)).toEqual([[], ["resume"]]);
  });

  it("looks for a minute after a sleep that only the wall clock shows, since it was set back by more than that", async () => {
    await hanging();
    test.hand.set(-3_600_000);
    const { touches } = acts(() => ({}));
    test.run(5);
    test.hand.sleep(600_000);
    expect(await touchedWhenKilled(touches)).toEqual([[], ["resume"]]);
  });

  it("stops acting on an incident that somebody has taken", async () => {
    await hanging();
    const { acting, touches } = acts(() => ({}));
    for (let n = 0; n < HUNG_S && acting.book.incidents.length === 0; n++) await run(1);
    acting.take({ kind: "acked", at: test.loop.now(), incident: acting.book.incidents[0]?.id as string });
    await run(HUNG_S);
    expect(touches).toEqual([]);
    expect(acting.decisionOn(acting.book.incidents[0]?.id as string)?.reason).toBe("somebody has taken it");
  });

  it("leaves a silenced agent alone until the silence ends", async () => {
    await hanging();
    const { acting, touches } = acts(() => ({}));
    const at = test.loop.now();
    acting.take({ kind: "silenced", silence: { agent: "api", trouble: null, at, until: at + 1200_000 } });
    await run(1190);
    expect(touches).toEqual([]);
    await run(60);
    expect(touches[0]).toBe("interrupt");
  });
});

describe("permission that comes later", () => {
  it("lets rouse do what it would have done", async () => {
    await hanging();
    const { acting, touches, allow } = acts(() => ({}), { allowed: false });
    await run(HUNG_S);
    expect(acting.book.incidents[0]?.escalated).toMatchObject({ would: "interrupt" });
    acting.reconsider(test.loop.now());
    await run(1);
    expect(touches).toEqual([]);
    allow();
    acting.reconsider(test.loop.now());
    await run(1);
    expect(touches).toEqual(["interrupt"]);
  });
});

describe("what was not done for want of permission", () => {
  /** So many others, of the same agent, would have been touched a minute ago. */
  const forgone = (acting: Acting, times: number): void => {
    const { book } = acting;
    for (let number = 0; number < times; number++) {
      const at = test.loop.now() - 60_000;
      const escalated = { at, reason: "", would: "nudge" as const };
      const id = `other-${number}`;
      book.incidents.push({ ...(book.incidents[0] as Incident), id, endedAt: at, escalated, phase: "lapsed" });
    }
  };

  it("counts against the budget of what else would have been, is not claimed, and is done when permission comes", async () => {
    await hanging();
    const { acting, touches, allow } = acts(() => ({}), { allowed: false });
    await run(HUNG_S / 4);
    expect(acting.book.incidents[0]).toMatchObject({ trouble: "silent_stream", escalated: null });
    forgone(acting, POLICIES.default.budgets.agent.times);
    await run(HUNG_S);
    const [incident] = acting.book.incidents as [Incident];
    expect(incident.escalated).toMatchObject({ would: "interrupt", beyond: true });
    const view = incidentView(incident, { acting, now: test.loop.now() });
    expect(view).toMatchObject({ would: null, next: { reason: expect.stringContaining("12 touches of the agent") } });
    allow();
    acting.reconsider(test.loop.now());
    await run(1);
    expect(touches).toEqual(["interrupt"]);
  });
});

describe("a session that is over", () => {
  it("leaves no open incident when a person ended it, and is not brought back", async () => {
    await hanging();
    const { acting, touches } = acts(() => ({}), { allowed: false });
    await run(HUNG_S);
    await test.send("s1", [
      { kind: "error", source: "transcript", cause: "api", final: true, digest: "e", text: "500" },
      { kind: "input", source: "human", by: "human", bytes: 0, quits: true },
      { kind: "exit", source: "process", code: null, signal: 15 },
    ]);
    await run(5);
    expect(acting.book.incidents.map(({ phase }) => phase)).toEqual(["lapsed"]);
    expect(touches).toEqual([]);
  });

  it("leaves none when it is not known to the next life", async () => {
    await hanging();
    const { acting } = acts(() => ({}), { allowed: false });
    await run(HUNG_S);
    acting.keepOnly(new Set(["api"]));
    expect(acting.book.incidents[0]?.endedAt).toBeNull();
    acting.keepOnly(new Set(["other"]));
    expect(acting.book.incidents.map(({ phase }) => phase)).toEqual(["lapsed"]);
  });
});

describe("a recovery by hand", () => {
  /** Stuck, and not yet long enough to be acted on. */
  async function suspected(rig: Rig): Promise<void> {
    for (let n = 0; n < HUNG_S && rig.acting.book.incidents.length === 0; n++) await run(1);
  }
  const recover = async (rig: Rig, how: "ladder" | "restart" = "ladder", isDry = false) => {
    const watched = test.loop.find("api");
    if (!watched) throw new Error("nobody");
    let done: Awaited<ReturnType<Acting["recover"]>> | undefined;
    void rig.acting.recover(watched, how, isDry).then((result) => {
      done = result;
    });
    for (let n = 0; n < 60 && done === undefined; n++) await run(1);
    return done;
  };
  const idles = (): void => {
    void test.send("s1", [
      { kind: "status", source: "title", status: "idle" },
      screen({ busy: false, moving: false, composer: "empty" }),
    ]);
    test.journal.flush();
  };

  it("says what it would do, and does nothing", async () => {
    await hanging();
    const rig = acts(() => ({}), { allowed: false });
    await suspected(rig);
    expect(await recover(rig, "ladder", true)).toMatchObject({ steps: [], next: { do: "interrupt" } });
    expect(rig.touches).toEqual([]);
    expect(rig.acting.book.deeds).toEqual([]);
  });

  it("goes from a proven step to the next one at once, without permission, and waits where it has to be waited for", async () => {
    await hanging();
    const rig = acts(
      ({ do: name }) => {
        if (name === "interrupt") idles();
        return {};
      },
      { allowed: false },
    );
    await suspected(rig);
    const done = await recover(rig);
    expect(rig.touches).toEqual(["interrupt", "nudge"]);
    expect(done?.steps.map(({ outcome }) => outcome.result)).toEqual(["done", "done"]);
    expect(done?.reason).toBe("looking whether nudge helped");
    expect(rig.acting.book.deeds).toHaveLength(2);
  });

  it("ends with what was refused, and is not begun twice", async () => {
    await hanging();
    let isOver = (): void => {};
    const rig = acts(
      () =>
        new Promise((resolve) => {
          isOver = () => resolve({ result: "refused", reason: "a draft stands there", proven: null });
        }),
    );
    await suspected(rig);
    const watched = test.loop.find("api");
    if (!watched) throw new Error("nobody");
    const first = rig.acting.recover(watched, "ladder", false);
    await run(1);
    expect(await rig.acting.recover(watched, "ladder", false)).toBeNull();
    isOver();
    expect(await first).toMatchObject({ reason: "a draft stands there", steps: [{ outcome: { result: "refused" } }] });
    expect(rig.touches).toEqual(["interrupt"]);
  });

  it("waits a minute after a time in which nobody looked; records of earlier times are no such time", async () => {
    await hanging();
    const rig = acts(() => ({}), { allowed: false });
    await suspected(rig);
    const to = test.loop.now();
    await test.send("s1", [{ kind: "gap", source: "observer", from: to - 300_000, to: to - 290_000 }]);
    expect(await recover(rig, "ladder", true)).toMatchObject({ next: { do: "interrupt" }, recheckAt: null });
    test.hand.pass(60_000);
    await run(1);
    expect(await recover(rig, "ladder", true)).toMatchObject({ reason: "rouse has just woken up" });
  });

  it("leaves a healthy agent alone, also when it is asked to restart it", async () => {
    await hanging();
    const rig = acts(() => ({}));
    for (const how of ["ladder", "restart"] as const)
      expect(await recover(rig, how)).toMatchObject({ incident: null, steps: [], reason: "nothing is wrong with it" });
    expect(rig.touches).toEqual([]);
  });
});
