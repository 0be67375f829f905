import { expect, it } from "vitest";
import { START, type Step, screen, walk } from "../../../../test/support/steps.js";

const busy = (reply: string, moving: boolean) => screen({ busy: true, moving, composer: "hidden", reply });
const isStandingStill = (steps: readonly Step[]): boolean =>
  walk(steps).reasons.some((reason) => reason.includes("Shows as busy and always has"));

it("a busy mark of an unknown program that never disappeared proves nothing once the screen has been still for 20 s", () => {
  const shown = { at: 0, signal: busy("r", false) };
  expect(isStandingStill([shown, { at: 19.9, expect: "working" }])).toBe(false);
  expect(isStandingStill([shown, { at: 20, expect: "working" }])).toBe(true);
});

it("a busy mark of an unknown program counts if the screen has been seen without it", () => {
  const rested = { at: 0, signal: screen({ busy: false }) };
  const shown = { at: 5, signal: busy("r", false) };
  expect(isStandingStill([rested, shown, { at: 60, expect: "working" }])).toBe(false);
});

it("a busy mark of an unknown program counts while it moves", () => {
  expect(
    isStandingStill([
      { at: 0, signal: busy("r", true) },
      { at: 60, expect: "working" },
    ]),
  ).toBe(false);
});

const PROFILE = { retriesSilently: false, versions: { from: "1", to: "1" } };

it("a silence in which the agent waited for a CPU takes longer to be a stall, and the reason says so", () => {
  const shown = { at: 0, signal: screen({ busy: true, moving: true, composer: "hidden", reply: "r", replying: true }) };
  const starved = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((at): Step => {
    const [from, to] = [START + (at - 10) * 1000, START + at * 1000];
    return { at, signal: { kind: "gap", source: "process", from, to, lostMs: 6000 } };
  });
  const healthy = walk([shown, { at: 115, expect: "stuck/silent_stream" }], PROFILE);
  const held = walk([shown, ...starved, { at: 115, expect: "working" }, { at: 160, expect: "working" }], PROFILE);
  const late = walk([shown, ...starved, { at: 175, expect: "stuck/silent_stream" }], PROFILE);
  for (const { said, expected } of [healthy, held, late]) expect(said).toEqual(expected);
  expect(healthy.reasons.join()).not.toContain("CPU");
  expect(held.reasons.at(-1)).toBe(
    "Waited 36 s of the last 2 min for a CPU (process), which does not count as silence",
  );
});

/** A sample of the process every ten seconds, with this many bytes received since the last one. */
const samples = (fromS: number, toS: number, bytes: number): Step[] =>
  Array.from({ length: (toS - fromS) / 10 + 1 }, (_, n) => ({
    at: fromS + 10 * n,
    signal: { kind: "process", source: "process", alive: true, children: 0, cpuMs: 1, receivedBytes: 5000 + bytes * n },
  }));
const waitsForText = { at: 0, signal: screen({ busy: true, moving: true, composer: "hidden", reply: "r" }) };
const inText = { at: 0, signal: screen({ busy: true, moving: true, composer: "hidden", reply: "r", replying: true }) };

it.each<[string, readonly Step[]]>([
  [
    "a model that thinks while keep-alives arrive may be silent for minutes",
    [waitsForText, ...samples(0, 290, 80), { at: 295, expect: "working" }],
  ],
  [
    "thinking has a limit, whatever the connection does",
    [waitsForText, ...samples(0, 310, 80), { at: 315, expect: "stuck/silent_stream" }],
  ],
  [
    "a silent connection is reported early",
    [waitsForText, ...samples(0, 110, 0), { at: 112, expect: "stuck/silent_stream" }],
  ],
  [
    "a connection that was kept alive and died is reported early",
    [waitsForText, ...samples(0, 60, 80), { at: 112, expect: "stuck/silent_stream" }],
  ],
  [
    "a text that stops in mid-sentence is reported early, whatever the connection does",
    [inText, ...samples(0, 110, 80), { at: 112, expect: "stuck/silent_stream" }],
  ],
  ["without counters of sockets nothing changes", [waitsForText, { at: 112, expect: "stuck/silent_stream" }]],
])("%s", (_, steps) => {
  const { said, expected } = walk(steps, PROFILE);
  expect(said).toEqual(expected);
});

it("a model that usually thinks long is given more time, and the reason names the live connection", () => {
  const turns = Array.from({ length: 25 }, (_, n): Step[] => [
    { at: 1000 * n, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true } },
    {
      at: 1000 * n + 90,
      signal: { kind: "message", source: "transcript", role: "assistant", digest: `${n}`, closing: "result" },
    },
    { at: 1000 * n + 91, signal: { kind: "turn", source: "transcript", phase: "end" } },
  ]).flat();
  const later = (steps: readonly Step[]): Step[] => steps.map((step) => ({ ...step, at: step.at + 30_000 }));
  const asked: Step = { at: 0, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true } };
  const thinking = later([asked, waitsForText, ...samples(0, 600, 80), { at: 605, expect: "working" }]);
  const slow = walk([...turns, ...thinking], PROFILE);
  expect(slow.said).toEqual(slow.expected);
  expect(slow.reasons).toContain(
    "The connection is alive (process) and no text of the reply has begun, so it may be thinking",
  );
});

it("an unknown program behind a spinner is reported but not ended, as it may work itself; one with a profile is ended", () => {
  const use = Array.from({ length: 120 }, (_, n): Step => {
    const signal = { kind: "process", source: "process", alive: true, children: 0, cpuMs: 3000 * n } as const;
    return { at: 10 * n, signal };
  });
  const steps = [waitsForText, ...use, { at: 1195, expect: "stuck/silent_stream" }];
  const [unknown, profiled] = [walk(steps), walk(steps, PROFILE)];
  expect([unknown.said, profiled.said]).toEqual([unknown.expected, profiled.expected]);
  expect([unknown.level, profiled.level]).toEqual(["report", "act"]);
});
