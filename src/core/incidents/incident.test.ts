import { describe, expect, it } from "vitest";
import { type Silence, silencedUntil } from "./incident.js";

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
