import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../signal.js";
import { assess } from "./assess.js";
import { createEvidence, takeSignal } from "./evidence/evidence.js";

const MINUTE = 60_000;

function evidenceAfter(...signals: object[]) {
  const evidence = createEvidence();
  for (const signal of signals) takeSignal(evidence, signal as Signal);
  return evidence;
}

const started = { kind: "turn", at: 0, source: "transcript", phase: "start", byUser: true };
const slept = (from: number, to: number) => ({ kind: "gap", at: to, source: "observer", from, to });
const tool = { kind: "tool_start", at: 0, source: "transcript", id: "t", tool: "Bash", class: "shell", call: "c" };

describe("a silence with sleep in it", () => {
  it.each([
    ["of the model", [started]],
    ["of an open tool", [started, tool]],
    ["of an instant tool that may be asked for", [started, { ...tool, class: "instant" }]],
  ])("%s is rechecked later and reported after enough awake time", (_, signals) => {
    const evidence = evidenceAfter(...signals, slept(5 * MINUTE, 20 * MINUTE));
    let now = 20 * MINUTE;
    let said = assess(evidence, now);
    for (let step = 0; step < 1000 && said.state !== "stuck" && said.state !== "needs_input"; step++) {
      expect(said.recheckAt).not.toBeNull();
      expect(said.recheckAt).toBeGreaterThan(now);
      now = said.recheckAt ?? now;
      said = assess(evidence, now);
    }
    expect(["stuck", "needs_input"]).toContain(said.state);
  });

  it("returns a recheck time whenever time alone would change the verdict", () => {
    fc.assert(
      fc.property(
        fc.constantFrom([started], [started, tool]),
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 0, max: 300 }),
        (signals, from, length, later) => {
          const gap = slept(from * 1000, (from + length) * 1000);
          const now = gap.to + later * 1000;
          const evidence = evidenceAfter(...signals, gap);
          const said = assess(evidence, now);
          const muchLater = assess(evidence, now + 24 * 60 * MINUTE);
          if (muchLater.state !== said.state) expect(said.recheckAt).not.toBeNull();
        },
      ),
    );
  });

  it("shows the end of a wait in awake time", () => {
    const evidence = evidenceAfter(started, tool, slept(MINUTE, 200 * MINUTE));
    const said = assess(evidence, 201 * MINUTE);
    expect(said.state).toBe("waiting");
    expect(said.until).toBeGreaterThan(201 * MINUTE);
  });
});
