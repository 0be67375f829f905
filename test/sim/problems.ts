/** The problems of a simulated agent: how each starts, what fixes it, and what rouse should report. */

import type { Problem } from "../../src/core/incidents/problem.js";
import { MINUTE, SECOND } from "../../src/core/text/time.js";
import type { SimAgent } from "./agents.js";

export interface Fault {
  begin: (agent: SimAgent) => void;
  /** Whether this nudge, counted from 1, helps. */
  fixes: (agent: SimAgent, nudges: number) => boolean;
  /** The program ignores all keys. */
  cannotReceive?: boolean;
  /** It can be detected from the transcript only. */
  unseen?: boolean;
  /** It is detected by hooks and transcripts only. */
  record?: boolean;
  /** A user comes after this many minutes, from and to; null for never. */
  human: [number, number] | null;
  /** The verdicts that are right. */
  called: readonly Problem[];
  /** It is reported within this time if all sources are seen. */
  reportedMs: number;
}

const at =
  (n: number) =>
  (_: SimAgent, nudges: number): boolean =>
    nudges >= n;
const never = (): boolean => false;
const late: [number, number] = [40, 240];

const HANG: readonly Problem[] = ["silent_stream", "frozen_screen"];

export const FAULT_NAMES = [
  "silent_stream",
  "frozen",
  "own_timeout",
  "tool_hang",
  "loop",
  "retry_storm",
  "limit",
  "limit_unknown",
  "limit_itself",
  "api",
  "auth",
  "stopped_early",
  "question",
  "permission",
  "crash",
  "exit_code",
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export const ILLS: Readonly<Record<FaultName, Fault>> = {
  /** The stream is dead; the spinner moves. */
  silent_stream: {
    begin: (agent) => agent.write(),
    fixes: at(1),
    human: late,
    called: HANG,
    reportedMs: 10 * MINUTE,
  },
  /** The program itself hangs: no byte arrives and no key helps. */
  frozen: {
    begin: (agent) => {
      agent.write();
      agent.emit({ kind: "output", source: "screen", bytes: 10 });
      agent.show({ moving: false });
    },
    fixes: never,
    cannotReceive: true,
    human: late,
    called: HANG,
    reportedMs: 10 * MINUTE,
  },
  /** The program gives up the dead stream by itself. */
  own_timeout: {
    begin: (agent) => {
      agent.write();
      agent.plan(300 * SECOND, () => agent.fall("api"));
    },
    fixes: at(1),
    human: null,
    called: [...HANG, "api"],
    reportedMs: 15 * MINUTE,
  },
  tool_hang: {
    begin: (agent) => agent.open("endless"),
    fixes: never,
    record: true,
    human: [20, 200],
    called: ["tool_hang", "waiting_on_stdin"],
    reportedMs: 10 * MINUTE,
  },
  loop: {
    begin: (agent) => turnRound(agent, 0),
    fixes: at(1),
    record: true,
    human: late,
    called: ["loop", "repeated_error", "no_progress"],
    reportedMs: 20 * MINUTE,
  },
  /** The service returns errors for longer than any client retries; then it recovers, or the client gives up. */
  retry_storm: {
    begin: (agent) => {
      for (let attempt = 1; attempt <= 40; attempt++) agent.plan(30 * SECOND, () => agent.retry(attempt, 30));
      agent.plan(30 * SECOND, () => {
        if (agent.random.chance(0.5)) {
          agent.cure("itself");
          agent.plan(10 * SECOND, () => agent.write());
        } else agent.fall("api");
      });
    },
    fixes: at(1),
    record: true,
    human: null,
    called: ["retry_storm", "api", "unreachable"],
    reportedMs: 15 * MINUTE,
  },
  limit: {
    begin: (agent) => limited(agent, agent.random.between(10, 300), true, false),
    fixes: (agent) => isOver(agent),
    human: null,
    unseen: true,
    called: ["rate_limited"],
    reportedMs: 2 * MINUTE,
  },
  limit_unknown: {
    begin: (agent) => limited(agent, agent.random.between(3, 150), false, false),
    fixes: (agent) => isOver(agent),
    human: null,
    called: ["rate_limited"],
    reportedMs: 2 * MINUTE,
  },
  /** The program waits and continues by itself. */
  limit_itself: {
    begin: (agent) => limited(agent, agent.random.between(10, 200), true, true),
    fixes: (agent) => isOver(agent),
    human: null,
    called: ["rate_limited"],
    reportedMs: 2 * MINUTE,
  },
  api: {
    begin: (agent) => fails(agent, "api", "API Error: 529 overloaded"),
    fixes: (agent, nudges) => nudges > agent.spells.length % 3,
    human: late,
    unseen: true,
    called: ["api"],
    reportedMs: 2 * MINUTE,
  },
  auth: {
    begin: (agent) => fails(agent, "auth", "Please run /login"),
    fixes: never,
    human: late,
    called: ["auth"],
    reportedMs: 2 * MINUTE,
  },
  stopped_early: {
    begin: (agent) => agent.end("promise"),
    fixes: at(1),
    human: late,
    called: ["stopped_early"],
    reportedMs: 15 * MINUTE,
  },
  question: {
    begin: (agent) => agent.end("question"),
    fixes: never,
    human: [5, 200],
    called: ["needs_input"],
    reportedMs: 2 * MINUTE,
  },
  permission: {
    begin: (agent) => agent.ask("Do you want to run rm -rf build?"),
    fixes: never,
    human: [2, 200],
    called: ["needs_input"],
    reportedMs: 2 * MINUTE,
  },
  crash: {
    begin: (agent) => agent.die(null, 9),
    fixes: never,
    human: late,
    called: ["crash", "gone"],
    reportedMs: 2 * MINUTE,
  },
  exit_code: {
    begin: (agent) => agent.die(1, null),
    fixes: never,
    human: late,
    called: ["exit_code", "gone"],
    reportedMs: 2 * MINUTE,
  },
};

/** The same call with the same result, a hundred times. */
function turnRound(agent: SimAgent, round: number): void {
  agent.plan(12 * SECOND, () => agent.open("shell", "same"));
  agent.plan(8 * SECOND, () => {
    agent.close("same");
    if (round < 100) turnRound(agent, round + 1);
  });
}

/** Some limits last a while beyond the printed time. */
function limited(agent: SimAgent, minutes: number, isKnown: boolean, itself: boolean): void {
  const again = agent.limit;
  const until = again?.until ?? (isKnown ? agent.wall + minutes * MINUTE : null);
  const holds = agent.random.chance(0.2) ? agent.random.between(1, 20) * MINUTE : 0;
  agent.limit = again ?? { until, endsAt: agent.now + minutes * MINUTE + (itself ? 0 : holds), itself };
  const known = until === null ? {} : { until };
  const text = "You've hit your usage limit";
  agent.emit({ kind: "limit", source: "transcript", level: "hit", text, resumesItself: itself, ...known });
  agent.rest({ limit: { text, resumesItself: itself, ...known } });
  if (!itself) return;
  agent.plan(Math.max(0, agent.limit.endsAt - agent.now) + 20 * SECOND, () => {
    agent.cure("itself");
    agent.begin();
  });
}

const isOver = (agent: SimAgent): boolean => agent.limit === null || agent.now >= agent.limit.endsAt;

function fails(agent: SimAgent, cause: "api" | "auth", said: string): void {
  const text = `${said} (${agent.secret})`;
  agent.emit({ kind: "error", source: "transcript", cause, final: true, digest: agent.fresh("e"), text });
  agent.rest({ error: { cause, text } });
}
