import { describe, expect, it } from "vitest";
import { awaitsUser, createIncidentState, type Incident, PHASES, type Silence, silencedUntil } from "./incident.js";

const silence = (rest: Partial<Silence>): Silence => ({ agent: null, problem: null, at: 0, until: 100, ...rest });
const until = (silences: Silence[], now = 50): number | null =>
  silencedUntil({ silences }, { agent: "a", problem: "loop" }, now);

describe("a silence", () => {
  it("covers all problems of all agents unless it names them", () => {
    expect(until([])).toBeNull();
    expect(until([silence({})])).toBe(100);
    expect(until([silence({ agent: "a", problem: "loop" })])).toBe(100);
    expect(until([silence({ agent: "b" })])).toBeNull();
    expect(until([silence({ problem: "auth" })])).toBeNull();
  });

  it("is over at its end, and the longest one counts", () => {
    expect(until([silence({})], 100)).toBeNull();
    expect(until([silence({}), silence({ until: 200 }), silence({ until: 150 })])).toBe(200);
  });
});

it("an incident has these phases: they are stored, sent to the fleet and read by clients", () => {
  expect(PHASES).toEqual(["suspected", "confirmed", "acting", "escalated", "recovered", "closed"]);
});

describe("an escalated incident", () => {
  const awaits = (rest: Partial<Incident>, silences: Silence[] = []): boolean => {
    const incident = { agent: "a", problem: "loop", phase: "escalated", ackedAt: null, feedback: null, endedAt: null };
    const state = { ...createIncidentState(), silences, incidents: [{ ...incident, ...rest } as Incident] };
    return awaitsUser(state, "a", 50);
  };

  it("awaits the user, unless the user has acknowledged, silenced or rejected it", () => {
    expect(awaits({})).toBe(true);
    expect(awaits({ feedback: "right" })).toBe(true);
    expect(awaits({ agent: "b" })).toBe(false);
    expect(awaits({ phase: "confirmed" })).toBe(false);
    expect(awaits({ ackedAt: 10 })).toBe(false);
    expect(awaits({ feedback: "false-alarm" })).toBe(false);
    expect(awaits({}, [silence({ problem: "loop" })])).toBe(false);
    expect(awaits({}, [silence({ problem: "auth" })])).toBe(true);
  });
});
