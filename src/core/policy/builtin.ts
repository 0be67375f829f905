/** The built-in policies. `observe` is what a new installation has; `default` is the table of the design, row by row. */
import { HOUR, MINUTE, SECOND } from "../defaults.js";
import type { Trouble } from "../trouble.js";
import { type Origin, type Policy, perHour, type Rung, type When } from "./policy.js";

/** Sessions that nobody sits in front of: only they are ended by default. */
const OWN: readonly Origin[] = ["spawn"];

const when = (rest: Partial<When> = {}): When => ({ level: "act", afterMs: 0, origins: null, ...rest });

const nudge = (limit: number, rest: Partial<Rung> = {}): Rung => ({
  do: "nudge",
  when: when({ level: "tell" }),
  limit,
  waitMs: 2 * MINUTE,
  proof: "turn_started",
  say: "continue",
  ...rest,
});
const interrupt: Rung = { do: "interrupt", when: when(), limit: 1, waitMs: 30 * SECOND, proof: "turn_ended" };
const stop: Rung = {
  do: "stop",
  when: when({ origins: OWN }),
  limit: 1,
  waitMs: 30 * SECOND,
  proof: "process_gone",
};
const resume = (limit: number): Rung => ({
  do: "resume",
  when: when({ level: "tell", origins: OWN }),
  limit,
  waitMs: 3 * MINUTE,
  proof: "progress",
});
const goOn: Rung = {
  do: "continue",
  when: when({ level: "tell", origins: OWN }),
  limit: 2,
  waitMs: 5 * MINUTE,
  proof: "progress",
};
const release: Rung = { do: "release", when: when({ level: "tell" }), limit: 1, waitMs: 0, proof: "none" };
const block: Rung = { do: "block", when: when(), limit: 1, waitMs: 0, proof: "none" };
const endChild: Rung = { do: "end_child", when: when(), limit: 1, waitMs: 2 * MINUTE, proof: "child_gone" };

/** A hang: end the dead request, look, go on; then a new process with the same session. */
const HANG: readonly Rung[] = [interrupt, nudge(1, { waitMs: 3 * MINUTE }), stop, resume(1), goOn];
/** At its prompt with the work unfinished: a word is enough, if anything is. */
const AT_PROMPT: readonly Rung[] = [nudge(2), stop, resume(1)];
/** Going round: one word about it. To continue would only make it dearer. */
const CIRCLE: readonly Rung[] = [interrupt, nudge(1, { say: "repeating", when: when(), waitMs: 5 * MINUTE }), block];
/** The process is no more. */
const DEAD: readonly Rung[] = [release, resume(2), goOn];

const LADDERS: Readonly<Partial<Record<Trouble, readonly Rung[]>>> = {
  // A reset that nobody knows is asked after for five hours: 1, 2, 4 … 60 min apart.
  rate_limited: [nudge(10, { waitMs: MINUTE })],
  silent_stream: HANG,
  frozen_screen: HANG,
  stopped_early: AT_PROMPT,
  lost_result: AT_PROMPT,
  // The service has just failed: asked at once it would only fail again.
  api: [nudge(2, { when: when({ level: "tell", afterMs: MINUTE }) }), stop, resume(1)],
  loop: CIRCLE,
  repeated_error: CIRCLE,
  no_progress: CIRCLE,
  no_completion_signal: [stop],
  never_exited: [stop],
  never_started: [stop, resume(1)],
  compaction: [{ ...interrupt, limit: 1 }, nudge(1)],
  tool_hang: [],
  waiting_on_stdin: [],
  retry_storm: [],
  no_checkpoint: [nudge(1, { say: "report", waitMs: 5 * MINUTE }), release, goOn],
  stale_claim: [nudge(1, { say: "report", waitMs: 5 * MINUTE }), release, goOn],
  context_full: [],
  unreachable: [nudge(2, { when: when({ level: "tell", afterMs: 5 * MINUTE }), waitMs: 10 * MINUTE })],
  disk_full: [],
  crash: DEAD,
  exit_code: DEAD,
  gone: DEAD,
  error: [],
};

const DEFAULT: Policy = {
  name: "default",
  says: "the least that helps, once, with proof; ends only sessions that rouse started itself",
  confirmMs: MINUTE,
  patienceMs: 15 * MINUTE,
  outageMs: 30 * MINUTE,
  limits: {
    marginMs: 90 * SECOND,
    jitterMs: 60 * SECOND,
    backoffMs: 60 * SECOND,
    backoffMaxMs: HOUR,
    ownResumeMs: 5 * MINUTE,
  },
  budgets: {
    incident: 12,
    agent: perHour(12),
    node: perHour(60),
    agentRestarts: perHour(4),
    nodeRestarts: perHour(12),
  },
  ladders: LADDERS,
};

const OBSERVE: Policy = {
  ...DEFAULT,
  name: "observe",
  says: "tells and touches nothing",
  ladders: {},
};

/** For agents that nobody waits for: hung commands are ended, a circle too, and panes that were only adopted as well. */
const AGGRESSIVE: Policy = {
  ...DEFAULT,
  name: "aggressive",
  says: "ends hung commands, circling sessions and adopted panes too; still never answers a dialog or ends your own terminal",
  confirmMs: 30 * SECOND,
  ladders: {
    ...widened(LADDERS),
    loop: [...CIRCLE.slice(0, 2), { ...stop, when: when() }],
    repeated_error: [...CIRCLE.slice(0, 2), { ...stop, when: when() }],
    tool_hang: [endChild],
    waiting_on_stdin: [endChild],
    retry_storm: [interrupt, nudge(1)],
  },
  budgets: {
    incident: 14,
    agent: perHour(20),
    node: perHour(100),
    agentRestarts: perHour(6),
    nodeRestarts: perHour(20),
  },
};

function widened(ladders: typeof LADDERS): typeof LADDERS {
  return Object.fromEntries(
    Object.entries(ladders).map(([trouble, rungs]) => [
      trouble,
      rungs.map((rung) =>
        rung.when.origins === null
          ? rung
          : { ...rung, when: { ...rung.when, origins: [...rung.when.origins, "tmux", "transcript"] } },
      ),
    ]),
  );
}

export const POLICIES: Readonly<Record<"observe" | "default" | "aggressive", Policy>> = {
  observe: OBSERVE,
  default: DEFAULT,
  aggressive: AGGRESSIVE,
};
