import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { World } from "../../../test/support/incidents.js";
import { RULES } from "../../../test/support/notifier.js";
import { START } from "../../../test/support/steps.js";
import { applyToIncidents } from "../incidents/fold.js";
import { isOpen } from "../incidents/incident.js";
import { POLICIES } from "../policy/builtin.js";
import type { AlertRules, AlertState, PlannedAlert } from "./alert.js";
import { planAlerts } from "./plan.js";
import { quietUntil } from "./quiet.js";

const RUNS = process.env.ROUSE_FULL ? 5000 : 300;
const AGENTS = ["a", "b", "c", "d"];
const SAYS = [
  "working",
  "stuck/loop",
  "stuck/silent_stream",
  "error/api",
  "needs_input/permission",
  "rate_limited",
  "unknown",
];

const step = fc.record({
  agent: fc.constantFrom(...AGENTS),
  says: fc.constantFrom(...SAYS),
  seconds: fc.integer({ min: 1, max: 400 }),
  person: fc.option(fc.constantFrom("ack", "silence"), { nil: null, freq: 12 }),
});

/** Remembers planned alerts like the outbox. */
class Memory {
  readonly states = new Map<string, AlertState>();
  readonly keys: string[] = [];

  take({ key, subject, members, edge, at, severity, kind, deliveries }: PlannedAlert): void {
    const known = this.states.get(subject);
    this.keys.push(key);
    this.states.set(subject, {
      subject,
      members: known?.members ?? members,
      edges: [...(known?.edges ?? []), { edge, at, severity, kind }],
      channels: [...new Set([...(known?.channels ?? []), ...deliveries.map(({ channel }) => channel)])],
    });
  }
}

function play(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[], rules: AlertRules) {
  const world = new World(POLICIES.observe);
  const memory = new Memory();
  const planned: PlannedAlert[] = [];
  let at = 0;
  const plan = (): PlannedAlert[] =>
    planAlerts({
      incidentState: world.incidentState,
      known: [...memory.states.values()],
      rules,
      now: START + at * 1000,
    });
  const report = (): void => {
    for (const one of plan()) {
      memory.take(one);
      planned.push(one);
    }
  };
  for (const { agent, says, seconds, person } of steps) {
    at += seconds;
    world.check(at, says, { agent, progress: says === "working" ? at : null });
    const [incident] = world.open(agent);
    if (person === "ack" && incident)
      applyToIncidents(world.incidentState, { kind: "acked", at: START + at * 1000, incident: incident.id });
    if (person === "silence")
      applyToIncidents(world.incidentState, {
        kind: "silenced",
        silence: { agent, problem: null, at: START + at * 1000, until: START + (at + 60) * 1000 },
      });
    report();
  }
  return {
    world,
    memory,
    planned,
    plan,
    now: () => START + at * 1000,
    pass: (seconds: number) => (at += seconds),
    report,
  };
}

describe("planAlerts", () => {
  it("gives each key once, opens a subject once and resolves it last, in any history", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { memory, plan } = play(steps, { ...RULES, reminder: { everyMs: 600_000, max: 2 } });
        expect(new Set(memory.keys).size).toBe(memory.keys.length);
        for (const { edges } of memory.states.values()) {
          expect(edges[0]?.edge).toBe("opened");
          expect(edges.filter(({ edge }) => edge === "opened")).toHaveLength(1);
          expect(edges.findIndex(({ edge }) => edge === "resolved")).toBeOneOf([-1, edges.length - 1]);
          expect(edges.filter(({ edge }) => edge === "reminder").length).toBeLessThanOrEqual(2);
        }
        // Already planned alerts are known: at the same moment, at most the next step of a subject is due.
        expect(plan().filter(({ edge }) => edge === "opened")).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it("reports every lasting, visible problem that is neither acknowledged nor silenced", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const played = play(steps, RULES);
        const { world, memory } = played;
        played.pass(20 * 60);
        played.report();
        const covered = new Set([...memory.states.values()].flatMap(({ members }) => members));
        const unreported = world.incidentState.incidents.filter(
          (incident) =>
            isOpen(incident) &&
            incident.confirmedAt !== null &&
            incident.quietSince === null &&
            incident.ackedAt === null &&
            !covered.has(`${incident.id}.${incident.reopened}`) &&
            !memory.states.has(`outage:${incident.outage}`),
        );
        expect(unreported).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it("gives the same alerts for the same input", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        expect(play(steps, RULES).planned).toEqual(play(steps, RULES).planned);
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });
});

describe("quiet hours", () => {
  it("hold alerts until they end and no longer, at any minute and of any length", () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    fc.assert(
      fc.property(minute, minute, fc.integer({ min: 0, max: 3 * 1440 * 60_000 }), (from, to, ms) => {
        const quiet = { from, to, passes: null, minuteOfDay: (at: number) => Math.floor(at / 60_000) % 1440 };
        const isQuiet = (at: number): boolean => {
          const now = quiet.minuteOfDay(at);
          return from !== to && (from < to ? now >= from && now < to : now >= from || now < to);
        };
        const until = quietUntil(quiet, "warning", ms);
        expect(isQuiet(until)).toBe(false);
        if (isQuiet(ms)) expect(isQuiet(until - 60_000)).toBe(true);
        else expect(until).toBe(ms);
      }),
      { numRuns: RUNS * 10 },
    );
  });

  it("end at their local time, even in a night in which the clock changes", () => {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", hour: "2-digit", minute: "2-digit" });
    const minuteOfDay = (at: number): number => {
      const [hour = 0, minute = 0] = format.format(at).split(":").map(Number);
      return hour * 60 + minute;
    };
    const quiet = { from: 22 * 60, to: 7 * 60, passes: null, minuteOfDay };
    for (const period of ["2026-03-28T23:00:00+01:00", "2026-10-24T23:00:00+02:00", "2026-06-01T23:00:00+02:00"])
      expect(format.format(quietUntil(quiet, "critical", Date.parse(period)))).toBe("07:00");
  });
});
