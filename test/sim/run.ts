/** One seed: a simulated day of eight agents, and its result. */
import { digest } from "../../src/core/digest.js";
import { START } from "../support/steps.js";
import type { Parts } from "./daemon.js";
import { drawMix, type Mix, SeededFaults } from "./faults.js";
import { Random } from "./random.js";
import { type Role, type SimRecord, World } from "./world.js";

export interface RunOptions {
  hours?: number;
  calmHours?: number;
  stepMs?: number;
  mix?: (mix: Mix) => Mix;
  parts?: Partial<Parts>;
  careless?: boolean;
}

export interface Report {
  seed: string;
  violations: string[];
  log: string[];
  records: SimRecord[];
  /** Of the log. */
  digest: string;
  counts: Record<string, number>;
}

export const role = (name: string, rest: Partial<Role> = {}): Role => ({
  name,
  kind: "claude-code",
  origin: "spawn",
  sound: false,
  bare: false,
  policy: "default",
  allowed: true,
  ...rest,
});

/** Two healthy agents, one without permission, and one for each way in which rouse observes an agent. */
const CAST: readonly Role[] = [
  role("well", { sound: true }),
  role("calm", { sound: true, kind: "codex", origin: "run", policy: "aggressive" }),
  role("ada"),
  role("ben"),
  role("cid", { policy: "aggressive" }),
  role("dot", { kind: "codex", origin: "tmux", policy: "aggressive", bare: true }),
  role("eve", { origin: "run" }),
  role("fay", { origin: "tmux", allowed: false }),
];

export async function run(seed: string | number, options: RunOptions = {}): Promise<Report> {
  const random = new Random(seed);
  const mix = drawMix(random.stream("mix"));
  const world = new World({
    random,
    hours: options.hours ?? 24,
    calmHours: options.calmHours ?? 4,
    stepMs: options.stepMs ?? 15_000,
    model: random.stream("model").pick(["linux", "macos"] as const),
    cast: CAST,
    mix: options.mix ? options.mix(mix) : mix,
    ...(options.parts ? { parts: options.parts } : {}),
    careless: options.careless ?? false,
  });
  try {
    await world.run();
    return {
      seed: String(seed),
      violations: world.invariants.violations,
      log: world.log,
      records: [...world.records, ...messagesOf(world)],
      digest: digest(world.log.join("\n")),
      counts: countsOf(world),
    };
  } finally {
    world.close();
  }
}

/** The inbox at the end. */
function messagesOf({ life }: World): SimRecord[] {
  const found: SimRecord[] = [];
  for (let after = 0; ; ) {
    const page = life.journal.messages.read(null, after, true);
    for (const { at, type, receiver, payload } of page)
      found.push({ t: (at - START) / 1000, kind: "message", type, receiver, payload });
    const last = page.at(-1);
    if (!last) return found;
    after = last.id;
  }
}

function countsOf(world: World): Record<string, number> {
  const calls = world.faults instanceof SeededFaults ? [...world.faults.counts] : [];
  const { attempts, incidents, reported } = world.invariants;
  const phases = new Map<string, number>();
  for (const { phase } of incidents.values()) phases.set(phase, (phases.get(phase) ?? 0) + 1);
  return {
    ...world.signalFaults,
    ...Object.fromEntries(world.blowCounts),
    ...Object.fromEntries(calls),
    spells: world.agents.reduce((sum, agent) => sum + agent.spells.length, 0),
    incidents: incidents.size,
    ...Object.fromEntries(phases),
    asked: attempts.length,
    acted: attempts.filter(({ acted }) => acted).length,
    alerts: reported.arrived,
    "alerts twice": reported.twice,
    "answers lost": reported.lost,
  };
}
