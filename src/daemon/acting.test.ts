import { describe, expect, it } from "vitest";
import { HUNG_S, useIncidentRig } from "../../test/support/incident-rig.js";
import { agent, checkedAt } from "../../test/support/loops.js";
import { screen } from "../../test/support/steps.js";
import { step } from "../core/step.js";
import type { IncidentStore } from "../store/incident-table.js";

const stage = useIncidentRig();
const { acts, hanging, run } = stage;

describe("an action after a judgement", () => {
  it("has its intent stored before it and its outcome after it", async () => {
    await hanging();
    const stored: (string | undefined)[] = [];
    const known = (): string | undefined => stage.test.journal.incidentState.load().actions.at(-1)?.outcome?.result;
    const { loop, controls } = acts((action) => {
      const actions = stage.test.journal.incidentState.load().actions;
      stored.push(actions.find(({ id }) => id === action.id)?.do);
      return {};
    });
    await run(HUNG_S);
    expect(controls[0]).toBe("interrupt");
    expect(stored[0]).toBe("interrupt");
    expect(known()).toBe("done");
    expect(loop.incidents.incidents).toHaveLength(1);
  });

  it("is a line of the audit trail before it runs, with policy and reason, and has its outcome there", async () => {
    await hanging();
    const list = () => stage.test.journal.audit.list({ since: 0, agent: "api", limit: 100 });
    const before: unknown[] = [];
    acts(({ do: name }) => {
      before.push(list()[0]);
      return name === "interrupt" ? { reason: "the turn ended" } : { result: "refused", reason: "busy", proven: null };
    });
    await run(HUNG_S);
    expect(before[0]).toMatchObject({
      author: expect.stringMatching(/^rouse \(policy \S+\)$/),
      origin: "daemon",
      action: "interrupt",
      agent: "api",
      session: "s1",
      text: expect.stringMatching(/^silent_stream: ./),
      outcome: null,
    });
    expect(list().at(-1)).toMatchObject({ action: "interrupt", outcome: { result: "done", reason: "the turn ended" } });
    const { loop } = stage.test;
    expect(list().length).toBe(loop.incidents.actions.filter(({ do: name }) => name !== "escalate").length);
  });

  it("does not run if its line of the audit trail cannot be stored", async () => {
    await hanging();
    const { controls, loop } = acts(() => ({}));
    stage.test.journal.audit.put = () => {
      throw new Error("disk full");
    };
    await run(HUNG_S);
    expect(controls).toEqual([]);
    expect(loop.incidents.actions[0]?.outcome).toMatchObject({
      result: "refused",
      reason: expect.stringMatching(/^the intent could not be stored: .*disk full$/),
    });
  });

  it("logs each intent, each outcome with its reason, and each escalation once", async () => {
    await hanging();
    const { loop, lines } = acts(({ do: name }) =>
      name === "interrupt"
        ? { reason: "the turn ended" }
        : { result: "refused", reason: "somebody types", proven: null },
    );
    await run(2 * HUNG_S);
    const [incident] = loop.incidents.incidents;
    const about = `(incident ${incident?.id}, ${incident?.problem})`;
    expect(lines.slice(0, 4)).toEqual([
      `api: starting interrupt ${about}`,
      `api: interrupt done, proven: the turn ended ${about}`,
      `api: starting stop ${about}`,
      `api: stop refused: somebody types ${about}`,
    ]);
    expect(lines.filter((line) => line.includes("escalated"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("starting"))).toHaveLength(loop.incidents.actions.length);
  });

  it("does not run if its intent cannot be stored", async () => {
    await hanging();
    const { incidentState } = stage.test.journal;
    const full: IncidentStore = {
      load: () => incidentState.load(),
      save: () => {
        throw new Error("disk full");
      },
    };
    const { loop, controls } = acts(() => ({}), { store: full });
    await run(HUNG_S);
    expect(controls).toEqual([]);
    expect(loop.state.saveProblem).toBe("disk full");
    expect(loop.incidents.incidents).toHaveLength(1);
  });

  it("does not run if only its intent cannot be stored", async () => {
    await hanging();
    const { incidentState } = stage.test.journal;
    const store: IncidentStore = {
      load: () => incidentState.load(),
      save: (state, alongside) => {
        if (state.actions.some(({ outcome }) => outcome === null)) throw new Error("disk full");
        incidentState.save(state, alongside);
      },
    };
    const { loop, controls } = acts(() => ({}), { store });
    await run(HUNG_S);
    expect(controls).toEqual([]);
    expect(
      loop.incidents.actions.map(({ do: name, outcome }) => [name, outcome?.result, outcome?.reason]),
    ).toContainEqual(["interrupt", "refused", "the intent could not be stored: disk full"]);
  });

  it.each([
    [true, ["resume"]],
    [false, []],
  ])("restarts an agent after a crash only if rouse can see it: %s", async (seen, expected) => {
    await hanging();
    const { controls } = acts(() => ({}));
    const sight = { kind: "sight", source: "process", seen, text: "its host does not answer" } as const;
    const crash = { kind: "exit", source: "process", code: null, signal: 9 } as const;
    await stage.test.send("s1", [sight, crash]);
    await run(120);
    expect(controls).toEqual(expected);
  });

  it("does not run without permission, and is reported once as not permitted", async () => {
    await hanging();
    const { loop, controls } = acts(() => ({}), { allowed: false });
    await run(HUNG_S);
    expect(controls).toEqual([]);
    const [incident] = loop.incidents.incidents;
    expect(incident).toMatchObject({ phase: "escalated", problem: "silent_stream" });
    expect(incident?.escalated?.reason).toContain("rouse allow");
  });

  it("closes the incident when the agent recovers", async () => {
    await hanging();
    // A signal is stored after a millisecond of real time, in which the virtual clock must not run on.
    const sending: Promise<unknown>[] = [];
    const { loop } = acts(({ do: name }) => {
      const isNudge = name === "nudge";
      const reading = { busy: isNudge, moving: isNudge, replying: true, tokens: 5 };
      const status = { kind: "status", source: "title", status: isNudge ? "working" : "idle" } as const;
      const reply = isNudge ? "and on" : "first words";
      sending.push(stage.test.send("s1", [status, screen({ ...reading, reply })]));
      return {};
    });
    for (let second = 0; second < HUNG_S; second++) {
      await run(1);
      await Promise.all(sending.splice(0));
    }
    for (let n = 0; n < 60; n++) {
      await stage.test.send("s1", [
        screen({ busy: true, moving: true, replying: true, reply: `more ${n}`, tokens: n * 10 }),
      ]);
      await run(1);
    }
    expect(loop.incidents.incidents.map(({ phase }) => phase)).toEqual(["recovered"]);
  });

  it("is escalated if rouse interrupted the agent and every nudge after that is refused, and stays with the user", async () => {
    await hanging();
    const sending: Promise<unknown>[] = [];
    const { controls, loop } = acts(({ do: name }) => {
      if (name === "nudge") return { result: "refused", reason: "no composer is visible", proven: null };
      sending.push(
        stage.test.send("s1", [
          { kind: "turn", source: "transcript", phase: "interrupted" },
          { kind: "status", source: "title", status: "idle" },
          screen({ busy: false, moving: false, composer: "empty" }),
        ]),
      );
      return {};
    });
    for (let second = 0; second < 3600; second++) {
      await run(1);
      await Promise.all(sending.splice(0));
    }
    expect(controls).toEqual(["interrupt", ...Array(5).fill("nudge")]);
    expect(loop.incidents.incidents.map(({ phase, escalated }) => [phase, escalated?.reason])).toEqual([
      ["escalated", "needs you: nudge was refused 5 times: no composer is visible"],
    ]);
  });

  it("is unknown after its deadline, and is escalated instead of repeated", async () => {
    await hanging();
    const { loop, controls } = acts(() => new Promise(() => {}));
    await run(HUNG_S);
    expect(controls).toEqual(["interrupt"]);
    expect(loop.incidents.actions[0]?.outcome?.result).toBe("unknown");
    expect(loop.incidents.incidents[0]?.phase).toBe("escalated");
  });

  it("is not repeated because the agent was renamed meanwhile", async () => {
    await hanging();
    const { loop, controls } = acts(() => new Promise(() => {}));
    for (let n = 0; n < HUNG_S && controls.length === 0; n++) await run(1);
    stage.test.loop.register(agent({ name: "web" }));
    await run(HUNG_S);
    expect(controls).toEqual(["interrupt"]);
    expect(loop.incidents.actions).toMatchObject([{ agent: "web", outcome: { result: "unknown" } }]);
    expect(loop.incidents.incidents).toMatchObject([{ agent: "web" }]);
  });

  it("has an unknown outcome if it throws", async () => {
    await hanging();
    const { loop, controls } = acts(() => Promise.reject(new Error("broken pipe")));
    await run(HUNG_S);
    expect(controls).toEqual(["interrupt"]);
    expect(loop.incidents.actions[0]?.outcome).toMatchObject({
      result: "unknown",
      reason: "it failed: broken pipe",
    });
  });

  it("is not repeated after a restart of the daemon in the middle of it", async () => {
    await hanging();
    const first = acts(() => new Promise(() => {}));
    for (let n = 0; n < HUNG_S && first.controls.length === 0; n++) await run(1);
    expect(first.controls).toEqual(["interrupt"]);
    stage.test.start(checkedAt(stage.test.loop.now()));
    const second = acts(() => ({}));
    await run(HUNG_S);
    expect(second.controls).toEqual([]);
    expect(second.loop.incidents.incidents).toHaveLength(1);
    expect(second.loop.incidents.incidents[0]?.escalated?.reason).toContain("not repeated");
  });
});

/** The agent is killed. Returns the actions 50 s and 80 s later. */
async function actionsWhenKilled(controls: readonly string[]): Promise<string[][]> {
  await stage.test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
  await run(50);
  const early = [...controls];
  await run(30);
  return [early, [...controls]];
}

describe("the daemon after unobserved time", () => {
  it("observes for a minute after a restart before it acts, also if the wall clock was set back", async () => {
    await hanging();
    stage.test.hand.set(-3_600_000);
    stage.test.run(30);
    const checked = checkedAt(stage.test.loop.now());
    stage.test.hand.pass(100_000);
    stage.test.hand.again();
    stage.test.start(checked);
    expect(stage.test.loop.now()).toBeLessThanOrEqual(checked.now);
    const { controls } = acts(() => ({}));
    expect(await actionsWhenKilled(controls)).toEqual([[], ["resume"]]);
  });

  it("observes for a minute after a sleep that only the wall clock shows, since it was set back by more than that", async () => {
    await hanging();
    stage.test.hand.set(-3_600_000);
    const { controls } = acts(() => ({}));
    stage.test.run(5);
    stage.test.hand.sleep(600_000);
    expect(await actionsWhenKilled(controls)).toEqual([[], ["resume"]]);
  });
});

describe("an ended session", () => {
  it("leaves no open incident if a user ended it, and is not restarted", async () => {
    await hanging();
    const { loop, controls } = acts(() => ({}), { allowed: false });
    await run(HUNG_S);
    await stage.test.send("s1", [
      { kind: "error", source: "transcript", cause: "api", final: true, digest: "e", text: "500" },
      { kind: "input", source: "human", by: "human", bytes: 0, quits: true },
      { kind: "exit", source: "process", code: null, signal: 15 },
    ]);
    await run(5);
    expect(loop.incidents.incidents.map(({ phase }) => phase)).toEqual(["closed"]);
    expect(controls).toEqual([]);
  });

  it("leaves no open incident if it ended well by itself, and is not escalated", async () => {
    await hanging();
    const { loop, controls } = acts(() => ({}));
    while (loop.incidents.incidents.length === 0) await run(1);
    await stage.test.send("s1", [{ kind: "exit", source: "process", code: 0, signal: null }]);
    expect(loop.incidents.incidents).toMatchObject([{ phase: "closed", escalated: null }]);
    expect(controls).toEqual([]);
  });

  it("leaves no open incident if the next run of the daemon does not know it", async () => {
    await hanging();
    const { loop } = acts(() => ({}), { allowed: false });
    await run(HUNG_S);
    step(loop.state, { kind: "restarted", unobserved: null }, loop.now());
    expect(loop.incidents.incidents[0]?.endedAt).toBeNull();
    loop.state.sessions.clear();
    step(loop.state, { kind: "restarted", unobserved: null }, loop.now());
    expect(loop.incidents.incidents.map(({ phase }) => phase)).toEqual(["closed"]);
  });
});
