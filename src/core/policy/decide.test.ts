import { describe, expect, it } from "vitest";
import { assessed, type FACTS, World } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import type { ActionName } from "../action.js";
import type { Assessment } from "../judgement/assess.js";
import { POLICIES } from "./builtin.js";
import { decide } from "./decide.js";
import { spreadFraction } from "./limit-wait.js";
import { manualSituation } from "./manual-situation.js";
import type { RecoveryStep } from "./policy.js";

const MIN = 60;
const names = (world: World): string[] => world.done.map(({ action }) => action.do);

describe("a step that is proven at the terminal", () => {
  const proven = (world: World): void => {
    const record = world.incidentState.actions.at(-1);
    if (record?.outcome) record.outcome.proven = true;
  };

  it("is followed by the next step as soon as the assessment shows it too", () => {
    const world = new World();
    world.watch(0, 60, "stuck/silent_stream");
    proven(world);
    expect(world.watch(61, 70, "idle", {}, 1)).toEqual(["65 nudge"]);
  });

  it("is not followed by keys before the screen was read again", () => {
    const world = new World();
    const limited = assessed("rate_limited", { until: START });
    const facts = { shownAt: START };
    const [first] = world.watch(0, 300, limited, { facts }, 1);
    proven(world);
    const nudgedAt = Number(first?.split(" ")[0]);
    expect(world.watch(nudgedAt + 1, nudgedAt + 590, limited, { facts }, 1)).toEqual([]);
    const seen = { shownAt: START + (nudgedAt + 1) * 1000 };
    expect(world.watch(nudgedAt + 591, nudgedAt + 595, limited, { facts: seen }, 1)).toHaveLength(1);
  });

  it("is followed by the next step after ten minutes without any screen update", () => {
    const world = new World();
    const limited = assessed("rate_limited", { until: START });
    const [first] = world.watch(0, 300, limited, { facts: { shownAt: START } }, 1);
    proven(world);
    const nudgedAt = Number(first?.split(" ")[0]);
    const next = world.watch(nudgedAt + 1, nudgedAt + 700, limited, { facts: { shownAt: START } }, 1);
    expect(next).toEqual([`${nudgedAt + 600} nudge`]);
  });

  it("is not followed by a stop while the assessment is still from before it", () => {
    const world = new World();
    world.watch(0, 60, "stuck/silent_stream");
    proven(world);
    expect(world.watch(61, 89, "stuck/silent_stream", {}, 1)).toEqual([]);
    expect(world.watch(90, 90, "stuck/silent_stream")).toEqual(["90 stop"]);
  });
});

describe("the recovery plan of the default policy", () => {
  it("interrupts a silent stream, nudges at the prompt, stops, resumes, continues the task, and then escalates", () => {
    const world = new World();
    expect(world.watch(0, 60, "stuck/silent_stream")).toEqual(["60 interrupt"]);
    expect(world.watch(65, 90, "idle")).toEqual(["90 nudge"]);
    expect(world.watch(95, 270, "stuck/silent_stream")).toEqual(["270 stop"]);
    const dead = world.watch(275, 3000, "gone/crash");
    expect(dead).toEqual(["300 resume", "480 continue", "780 continue", "1080 escalate"]);
    expect(world.only).toMatchObject({ problem: "silent_stream", phase: "escalated" });
  });

  it("stops an agent whose turn an interrupt does not end, and types nothing into the running turn", () => {
    const world = new World();
    expect(world.watch(0, 100, "stuck/frozen_screen")).toEqual(["60 interrupt", "90 stop"]);
  });

  it("never stops a session in a user's own terminal, even if a policy says so", () => {
    for (const policy of Object.values(POLICIES)) {
      const world = new World(policy);
      for (const problem of ["silent_stream", "loop", "no_completion_signal", "frozen_screen"])
        world.watch(0, 40 * MIN, `stuck/${problem}`, { agent: problem, facts: { origin: "run" } }, 30);
      expect(names(world).filter((name) => name === "stop" || name === "restart")).toEqual([]);
      expect(names(world).filter((name) => name === "escalate")).toHaveLength(4);
    }
  });

  it("nudges an agent that stopped early twice, and then escalates if it may not be stopped", () => {
    const world = new World();
    const early = assessed("stuck/stopped_early", { level: "report", kinds: ["record"] });
    expect(world.watch(0, 30 * MIN, early, { facts: { origin: "tmux" } })).toEqual([
      "60 nudge",
      "180 nudge",
      "300 escalate",
    ]);
  });

  it("warns a looping agent once that it repeats itself, and does not ask it to continue", () => {
    const world = new World();
    world.watch(0, 60, "stuck/loop");
    world.check(90, "idle");
    expect(world.done.map(({ action }) => [action.do, action.say])).toEqual([
      ["interrupt", undefined],
      ["nudge", "repeating"],
    ]);
  });

  it("escalates a human-only problem at once and does nothing else", () => {
    for (const policy of Object.values(POLICIES))
      for (const what of [
        "needs_input/permission",
        "error/auth",
        "error/billing",
        "error/poisoned_context",
        "error/policy_refusal",
      ]) {
        const world = new World(policy);
        expect(world.watch(0, 60 * MIN, what, {}, 60)).toEqual(["0 escalate"]);
      }
  });

  it("only reports an agent that it cannot see", () => {
    const world = new World(POLICIES.aggressive);
    expect(world.watch(0, 10 * MIN, "unknown")).toEqual(["90 escalate"]);
    world.watch(700, 760, "stuck/silent_stream", { agent: "b" });
    expect(world.check(765, "unknown", { agent: "b" })).toMatchObject({ action: null });
  });

  it("reports problems and takes no action under the policy of a new installation", () => {
    const world = new World(POLICIES.observe);
    world.watch(0, 30 * MIN, "stuck/silent_stream");
    world.watch(0, 30 * MIN, "rate_limited", { agent: "b" });
    world.watch(0, 30 * MIN, "gone/crash", { agent: "c" });
    expect(new Set(names(world))).toEqual(new Set(["escalate"]));
  });

  it("names the action that it would have taken with permission", () => {
    const world = new World();
    world.watch(0, 60, "stuck/silent_stream", { facts: { allowed: false } });
    expect(world.decisions.at(-1)).toMatchObject({
      action: { do: "escalate" },
      wouldDo: { do: "interrupt", attempt: 1 },
    });
  });
});

describe("an escalation", () => {
  it("names the steps that were tried, and the skipped steps with the reason", () => {
    const world = new World();
    const early = assessed("stuck/stopped_early", { level: "report" });
    world.watch(0, 30 * MIN, early, { facts: { origin: "run" } });
    expect(world.only.escalated?.reason).toBe(
      "needs you: tried nudge (done) 2 times. Skipped stop (runs in your terminal), resume (not for run sessions)",
    );
  });
});

describe("no action is taken", () => {
  const refuses = (facts: Partial<typeof FACTS>, policy = POLICIES.default): string => {
    const world = new World(policy);
    world.watch(0, 8 * MIN, "stuck/silent_stream", { facts });
    expect(names(world).filter((name) => name !== "escalate")).toEqual([]);
    return world.decisions.at(-1)?.reason ?? "";
  };

  it("before the suspicion is confirmed", () => {
    const world = new World();
    expect(world.check(0, "stuck/silent_stream")).toMatchObject({ action: null, recheckAt: START + 60_000 });
  });
  it("while a user is at the keyboard", () => {
    expect(refuses({ humanPresent: true })).toContain("keyboard");
  });
  it("while rouse itself is unhealthy", () => {
    expect(refuses({ observerHealthy: false })).toContain("unhealthy");
  });
  it("while a dialog is open", () => {
    expect(refuses({ promptOpen: true })).toContain("escalated to you");
  });
  it("while the incident is silenced or acknowledged", () => {
    const world = new World();
    world.check(0, "stuck/loop");
    world.incidentState.silences.push({ agent: "a", problem: null, at: START, until: START + 3_600_000 });
    expect(world.watch(5, 20 * MIN, "stuck/loop")).toEqual([]);
    world.incidentState.silences = [];
    world.only.ackedAt = START;
    expect(world.watch(1205, 3000, "stuck/loop")).toEqual([]);
  });
  it("on a dead session while the program's own supervisor has it in hand, not even if a user asks", () => {
    const other = { name: "Its supervisor", actsAt: START + 10_000, until: START + 55_000 };
    const dead = (now: number) => assessed("gone/crash", now < 55 ? { supervisor: other } : {});
    const world = new World();
    for (let now = 0; now < 55; now += 5) {
      expect(world.check(now, dead(now))).toMatchObject({ action: null });
      expect(world.only).toMatchObject({ phase: "suspected", confirmedAt: null });
    }
    expect(world.decisions[0]).toMatchObject({ reason: "Its supervisor acts in 10 s", recheckAt: other.actsAt });
    expect(world.decisions.at(-1)).toMatchObject({ recheckAt: other.until });
    const now = START + 50_000;
    const situation = world.situation(world.only, { ...dead(50), at: now }, {}, now);
    expect(decide(manualSituation(situation, "plan"))).toMatchObject({ action: null });
    expect(decide(manualSituation(situation, "restart"))).toMatchObject({ action: null });
    expect(world.watch(55, 60, dead(55))).toEqual(["55 resume"]);
  });

  it("within a minute after waking up, and time asleep does not count as confirmation", () => {
    const world = new World();
    world.check(0, "stuck/silent_stream");
    world.incidentState.asleep.push({ from: START + 5000, to: START + 36_000_000 });
    const facts = { wokeAt: START + 36_000_000 };
    const done = world.watch(36_000, 36_080, "stuck/silent_stream", { facts });
    expect(done).toEqual(["36060 interrupt"]);
  });
  it("on an active agent; an agent that could not be observed is asked once", () => {
    const stopped = assessed("stuck/stopped_early", { level: "report" });
    const active = new World();
    active.watch(0, 10 * MIN, stopped, { facts: { guard: { send: false, may_ask: false, reason: "active" } } });
    expect(names(active)).toEqual([]);
    const unseen = new World();
    unseen.watch(0, 40 * MIN, stopped, { facts: { guard: { send: false, may_ask: true, reason: "blind" } } });
    expect(unseen.done.map(({ action }) => [action.do, action.say])).toEqual([
      ["nudge", "are_you_there"],
      ["escalate", undefined],
    ]);
  });
  it("that ends a process on one kind of evidence; the problem is escalated after the policy's patience", () => {
    const world = new World(POLICIES.aggressive);
    const seen = assessed("stuck/tool_hang", { kinds: ["screen"] });
    expect(world.watch(0, 60 * MIN, seen)).toEqual(["900 escalate"]);
    expect(new World(POLICIES.aggressive).watch(0, 2 * MIN, "stuck/tool_hang")).toEqual(["30 end_child"]);
  });
  it("a second time if the outcome of the first is unknown", () => {
    const world = new World();
    for (let at = 0; at <= 3600; at += 5) world.check(at, "stuck/silent_stream", {}, "unknown");
    expect(names(world)).toEqual(["interrupt", "escalate"]);
  });
  it("more than five times if it is refused, and a refusal uses no budget", () => {
    const world = new World();
    for (let at = 0; at <= 7200; at += 5) world.check(at, "stuck/silent_stream", {}, "refused");
    expect(names(world)).toEqual([...Array.from({ length: 5 }, (): ActionName => "interrupt"), "escalate"]);
    expect(world.done.every(({ action }) => action.attempt === 1)).toBe(true);
  });
});

describe("a limit", () => {
  const limited = (until: number | null) =>
    assessed("rate_limited", { until: until === null ? null : START + until * 1000 });

  it("is nudged after its reset, with a margin and the agent's own jitter", () => {
    const world = new World();
    const jitter = 60 * spreadFraction("a");
    const [first] = world.watch(0, 7200, limited(3600), {}, 1);
    expect(first).toBe(`${Math.ceil(3600 + 90 + jitter)} nudge`);
  });
  it("is left for five more minutes to a program that continues by itself", () => {
    const world = new World();
    expect(world.watch(0, 3990, limited(3600), { facts: { resumesItself: true } }, 1)).toEqual([]);
    expect(world.watch(3991, 4200, limited(3600), { facts: { resumesItself: true } }, 1)).toHaveLength(1);
  });
  it("without a known reset is nudged after waits that double, up to an hour", () => {
    const world = new World();
    const times = world.watch(0, 11 * 3600, limited(null), {}, 10).map((line) => Number(line.split(" ")[0]));
    const waits = times.map((at, i) => Math.round((at - (times[i - 1] ?? 0)) / 60));
    expect(names(world).at(-1)).toBe("escalate");
    expect(waits.slice(0, 10).every((wait, i) => Math.abs(wait - Math.min(60, 2 ** i)) <= 1)).toBe(true);
  });
  it("of an account is tried with one agent first, and the others follow when it has recovered", () => {
    const world = new World();
    const agents = ["a", "b", "c", "d"];
    const proven = new Map<string, number>();
    for (let at = 0; at <= 7200; at += 5)
      for (const agent of agents) {
        const sent = world.done.find((record) => record.agent === agent);
        const works = sent && at > (sent.at - START) / 1000 + 5;
        if (works) proven.set(agent, at);
        world.check(at, works ? "working" : limited(3600), {
          agent,
          account: "me",
          progress: proven.get(agent) ?? null,
        });
      }
    expect(world.incidentState.outages).toMatchObject([{ group: "limit", shared: "me" }]);
    const times = world.done.map(({ at }) => (at - START) / 1000).sort((x, y) => x - y);
    expect(names(world)).toEqual(["nudge", "nudge", "nudge", "nudge"]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(30);
    expect(new Set(times).size).toBe(4);
  });
});

describe("an incident that another problem hides", () => {
  it("is not escalated because its recovery plan does not fit the visible problem", () => {
    const world = new World();
    world.check(0, "rate_limited");
    world.watch(5, 120, "stuck/silent_stream");
    const [limited] = world.incidentState.incidents;
    expect(limited).toMatchObject({ problem: "rate_limited", escalated: null });
  });
});

describe("a stop that waits for evidence", () => {
  it.each(["report", "act"] as const)(
    "is not announced if no more evidence can come; the reason says what the user can do (step level %s)",
    (level) => {
      const step = POLICIES.default.plans.silent_stream?.find((one) => one.do === "stop") as RecoveryStep;
      const silent_stream = [{ ...step, when: { ...step.when, level } }];
      const seen: Partial<Assessment> = { level: "report", kinds: ["screen"] };
      const check = { facts: { can: ["stop" as const] } };
      const decided = (more: Partial<Assessment>) => {
        const world = new World({ ...POLICIES.default, plans: { silent_stream } });
        world.check(0, assessed("stuck/silent_stream", { ...seen, ...more }), check);
        return [70, 16 * 60].map((at) => world.check(at, assessed("stuck/silent_stream", { ...seen, ...more }), check));
      };
      expect(decided({})[0]).toMatchObject({ action: null, wouldDo: { do: "stop" } });
      const reason = "rouse will not stop it: no timeout is set; use `rouse stop` or `rouse recover --restart`";
      expect(decided({ onlyReported: "no timeout is set" })).toMatchObject([
        { action: null, wouldDo: null, reason },
        { action: { do: "escalate" }, wouldDo: null, reason: `needs you: ${reason}` },
      ]);
    },
  );
});

describe("an outage", () => {
  it("is observed for two minutes after an action, even if it is the next agent's turn", () => {
    const world = new World();
    for (let at = 0; at <= 3600; at += 5)
      for (const agent of ["a", "b", "c"])
        world.check(at, "error/api", { agent, facts: { humanPresent: at < 295, origin: "run" } });
    const nudges = world.done.filter(({ action }) => action.do === "nudge").map(({ at }) => at);
    expect(nudges.length).toBeGreaterThan(2);
    expect(Math.min(...nudges.slice(1).map((at, i) => at - (nudges[i] as number)))).toBeGreaterThanOrEqual(120_000);
  });

  it("of fifty agents is one outage, restarts no agent, and nudges one agent at a time", () => {
    const world = new World(POLICIES.aggressive);
    const agents = Array.from({ length: 50 }, (_, i) => `agent-${i}`);
    for (let at = 0; at <= 3600; at += 30) for (const agent of agents) world.check(at, "error/api", { agent });
    expect(world.incidentState.outages).toHaveLength(1);
    expect(names(world).filter((name) => name !== "nudge")).toEqual([]);
    expect(world.done.length).toBeLessThanOrEqual(3 + 3600 / 60);
    const slots = new Map<number, Set<string>>();
    for (const { at, agent } of world.done) {
      const slot = Math.floor((at - START) / 300_000);
      slots.set(slot, (slots.get(slot) ?? new Set()).add(agent));
    }
    // The first two were nudged before the outage could be recognized.
    for (const [slot, spoken] of slots) expect(spoken.size).toBeLessThanOrEqual(slot === 0 ? 3 : 1);
  });

  it.each([
    ["stuck/silent_stream", 0],
    ["rate_limited", 0],
    ["error/exit_code", 0],
    ["gone/crash", 1],
  ])(
    "is not opened for unrelated programs without a profile that are %s, unless they died together",
    (what, outages) => {
      const world = new World();
      for (let at = 0; at <= 120; at += 10)
        for (const agent of ["a", "b", "c"]) world.check(at, what, { agent, program: "generic" });
      expect(world.incidentState.outages).toHaveLength(outages);
      const known = new World();
      for (let at = 0; at <= 120; at += 10) for (const agent of ["a", "b", "c"]) known.check(at, what, { agent });
      expect(known.incidentState.outages).toHaveLength(1);
    },
  );

  it("in which many agents died is escalated once, and then they are restarted one at a time", () => {
    const world = new World();
    const agents = ["a", "b", "c", "d"];
    for (let at = 0; at <= 7200; at += 10) for (const agent of agents) world.check(at, "gone/crash", { agent });
    const [outage] = world.incidentState.outages;
    expect(outage).toMatchObject({ group: "machine", escalatedAt: START + 1_800_000 });
    const starts = world.done.filter(({ action }) => action.do === "resume");
    // Two of them had exited before the outage could be recognized.
    const late = starts.filter(({ at }) => at > START + 60_000);
    expect(starts.length - late.length).toBeLessThanOrEqual(2);
    expect(late[0]?.at).toBeGreaterThanOrEqual(START + 1_800_000);
    expect(new Set(late.map(({ agent }) => agent))).toEqual(new Set(agents));
    const gaps = late.slice(1).map(({ at }, i) => at - (late[i]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(120_000);
  });

  it("lets the others follow once one agent has recovered", () => {
    const world = new World();
    const proven = new Map<string, number>();
    for (let at = 0; at <= 5400; at += 10)
      for (const agent of ["a", "b", "c", "d"]) {
        const started = world.done.find((one) => one.agent === agent && one.at > START + 60_000);
        if (started && at > (started.at - START) / 1000 + 10) proven.set(agent, at);
        const progress = proven.get(agent) ?? null;
        world.check(at, progress === null ? "gone/crash" : "working", { agent, progress });
      }
    expect(world.incidentState.incidents.map(({ phase }) => phase)).toEqual([
      "recovered",
      "recovered",
      "recovered",
      "recovered",
    ]);
    expect(names(world).filter((name) => name === "escalate")).toEqual([]);
  });
});
