import { describe, expect, it } from "vitest";
import type { Problem } from "../incidents/problem.js";
import { createEvidence } from "../judgement/evidence/evidence.js";
import { problemDuration } from "./contents.js";

const NOW = 100_000;

describe("the duration of a problem", () => {
  it.each<[Problem, string, number, number]>([
    ["silent_stream", "since the last activity, whenever it was suspected", 90_000, 50],
    ["rate_limited", "since the last activity before the limit", 90_000, 50],
    ["loop", "since it began: it is active to the end", 20_000, 80],
    ["auth", "since it was there, however long nothing had been done before", 90_000, 10],
    ["unknown", "since nothing was seen", 90_000, 10],
  ])("of %s counts %s", (problem, _, since, secs) => {
    const evidence = createEvidence();
    evidence.progress.seen = { reply: 50_000, transcript: 40_000 };
    expect(problemDuration({ problem, since }, { evidence }, NOW)).toEqual({
      last_activity: new Date(50_000).toISOString(),
      duration_secs: secs,
    });
  });

  it("does not count unobserved time", () => {
    const evidence = createEvidence();
    evidence.progress.seen = { reply: 50_000 };
    evidence.asleep = [{ from: 60_000, to: 90_000 }];
    expect(problemDuration({ problem: "silent_stream", since: 95_000 }, { evidence }, NOW).duration_secs).toBe(20);
  });
});
