/** Random histories of agents with problems: observations, outcomes of actions, and decisions of the user. */
import fc from "fast-check";
import type { OutcomeResult } from "../../src/core/action.js";
import { applyToIncidents } from "../../src/core/incidents/fold.js";
import type { Assessment } from "../../src/core/judgement/assess.js";
import { EVIDENCE_KINDS } from "../../src/core/judgement/evidence/evidence-kind.js";
import type { ActionFacts } from "../../src/core/policy/facts.js";
import { assessed, FACTS, type World } from "./incidents.js";
import { START } from "./steps.js";

const STATES = [
  ...["silent_stream", "frozen_screen", "tool_hang", "loop", "stopped_early", "no_completion_signal", "compaction"].map(
    (cause) => `stuck/${cause}`,
  ),
  ...["api", "auth", "billing", "crash", "unreachable"].map((cause) => `error/${cause}`),
  "needs_input/permission",
  "rate_limited",
  "gone/crash",
  "gone",
  "unknown",
  "working",
  "waiting/tool",
  "idle",
  "complete",
  "starting",
];

export interface Step {
  agent: string;
  after: number;
  what: Omit<Assessment, "at">;
  facts: Partial<ActionFacts>;
  result: OutcomeResult;
  progress: boolean;
  word: "ack" | "silence" | "false-alarm" | "right" | "gap" | null;
}

/** Obstacles to actions are rare, or no action would ever happen. */
const facts = fc.oneof(
  { weight: 6, arbitrary: fc.record({ origin: fc.constantFrom("spawn", "spawn", "run", "tmux") }) },
  fc.record(
    {
      origin: fc.constantFrom("run", "spawn", "tmux", "transcript"),
      allowed: fc.boolean(),
      humanPresent: fc.boolean(),
      observerHealthy: fc.boolean(),
      promptOpen: fc.boolean(),
      gone: fc.boolean(),
      guard: fc.constantFrom(
        null,
        { send: true, may_ask: true, reason: "" },
        { send: false, may_ask: true, reason: "" },
      ),
    },
    { requiredKeys: [] },
  ),
) as fc.Arbitrary<Partial<ActionFacts>>;

const problem = fc
  .record({
    what: fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom("stuck/stopped_early", "gone/crash", "stuck/frozen_screen", "stuck/loop"),
      },
      fc.constantFrom(...STATES),
    ),
    level: fc.constantFrom("act", "act", "report"),
    kinds: fc.oneof(
      { weight: 2, arbitrary: fc.constant(["screen", "record"]) },
      fc.subarray([...EVIDENCE_KINDS], { maxLength: 2 }),
    ),
    until: fc.option(fc.integer({ min: 0, max: 100_000 }).map((s) => START + s * 1000)),
  })
  .map(({ what, ...rest }) => assessed(what, rest as Partial<Assessment>));

/** A state that lasts for some checks; between problems the agent often works long enough for a new incident. */
const stretch = (agents: string[]): fc.Arbitrary<Step[]> =>
  fc
    .record({
      agent: fc.constantFrom(...agents),
      checks: fc.integer({ min: 1, max: 10 }),
      after: fc.integer({ min: 5, max: 150 }),
      what: problem,
      works: fc.boolean(),
      facts,
      result: fc.oneof(
        { weight: 5, arbitrary: fc.constant<OutcomeResult>("done") },
        fc.constantFrom<OutcomeResult>("failed", "refused", "unknown"),
      ),
      progress: fc.boolean(),
      word: fc.option(fc.constantFrom("ack", "silence", "false-alarm", "right", "gap"), { freq: 12 }),
    })
    .map(({ checks, works, ...step }) => {
      const first = { ...step, progress: false } as Step;
      const held = Array.from({ length: checks }, (_, i): Step => (i === 0 ? first : { ...first, word: null }));
      const healthy: Step = { ...first, word: null, what: assessed("working"), progress: true, after: 300 };
      return works ? [...held, healthy, healthy, { ...healthy, after: 700 }] : held;
    });

export const steps = (agents: string[]): fc.Arbitrary<Step[]> =>
  fc.array(stretch(agents), { minLength: 3, maxLength: 25 }).map((stretches) => stretches.flat());

/** Checks the agents as the history says, and carries out the decisions. */
export function play(
  world: World,
  story: readonly Step[],
  each: (step: Step, at: number, before: number) => void = () => {},
): World {
  let at = 0;
  let progress: number | null = null;
  for (const step of story) {
    at += step.after;
    if (step.progress) progress = at;
    say(world, step, at);
    const before = world.done.length;
    const { agent, facts } = step;
    world.check(
      at,
      step.what,
      { agent, facts: { ...FACTS, ...facts, silencedUntil: silence(world, agent, at) }, progress },
      step.result,
    );
    each(step, at, before);
  }
  return world;
}

export const silence = (world: World, agent: string, at: number): number | null =>
  world.incidentState.silences.find((entry) => entry.agent === agent && entry.until > START + at * 1000)?.until ?? null;

function say(world: World, { word, agent }: Step, at: number): void {
  const now = START + at * 1000;
  const incident = world.open(agent)[0]?.id ?? "none";
  if (word === "ack") applyToIncidents(world.incidentState, { kind: "acked", at: now, incident });
  else if (word === "silence")
    applyToIncidents(world.incidentState, {
      kind: "silenced",
      silence: { agent, problem: null, at: now, until: now + 600_000 },
    });
  else if (word === "gap") applyToIncidents(world.incidentState, { kind: "gap", from: now - 60_000, to: now });
  else if (word !== null)
    applyToIncidents(world.incidentState, { kind: "feedback", at: now, incident, feedback: word });
}
