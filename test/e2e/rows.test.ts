/**
 * Every row of the table "What happens when" (docs/acting.md), with a scripted agent that is a real process, in a
 * terminal of rouse's own and in a tmux pane: the state before, the actions with their outcomes, and the result.
 * As many rows run at once as the machine can take; each test waits for its own. Agents that fail alike would be
 * an outage, so three daemons share them: none has three agents with a failing service, or three that die. Fifty
 * agents run only in the full run; otherwise a few rows are played with one daemon, up to the action and not until
 * work is proven.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OwnAgent, type OwnSignal } from "../../src/api/own-agent.js";
import type { AgentSession } from "../../src/core/agent.js";
import { POLICIES } from "../../src/core/policy/builtin.js";
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import { textFor } from "../../src/effects/keys/texts.js";
import { type FakeScript, receivedBy } from "../support/fake-agent.js";
import { processesOf } from "../support/hosts.js";
import { quickPolicy } from "../support/plan-file.js";
import { RowStage, turns, WAYS, type Way } from "../support/row-stage.js";
import { NO_TMUX } from "../support/tmux.js";

const FULL = process.env.ROUSE_FULL === "1";
const PLAY_MS = 420_000;
/** A row may wait for its slot (`turns`) before it plays. */
const TIMEOUT_MS = 3 * PLAY_MS;

const ESC = "\u001b";
const CONTINUE = `${textFor("continue")}\r`;
const REPEATING = `${textFor("repeating")}\r`;

/** The expected end. `actions` is the history of the incident, `keys` everything that arrived in its terminal. */
interface Ending {
  phase: "recovered" | "escalated";
  actions?: string[];
  keys?: string;
  /** The alert to the user, if there is one. */
  reported?: RegExp;
  /** Set if its process ends. */
  dies?: true;
}

interface Row {
  steps: FakeScript["steps"] | { command: readonly string[] };
  more?: Partial<FakeScript>;
  /** The states before any action; the last part is the problem of the incident. */
  before: string;
  problem?: string;
  /** What happens to it from outside. */
  cause?: (stage: RowStage, agent: AgentSession) => Promise<void>;
  spawn: Ending;
  tmux: Ending;
  /** The `.rouse.toml` of its folder. */
  project?: string;
  /** The daemon that it uses. */
  stage: 0 | 1 | 2;
}

const START = { do: "idle", ms: 500 };
/** Work that lasts long enough to be believed, and then ends, so that it uses no more CPU. */
const AT_WORK = [{ do: "stream", ms: 20_000 }, { do: "finish" }];
/** Until it is nudged. */
const BUSY = { do: "stream" };
const ANYTHING = { do: "tool", command: ["true"] };
/** New results, one after the other. */
const NEW = ["commas", "quotes", "tabs", "numbers", "dates", "names"].flatMap((what) => [
  { do: "tool", command: ["echo", `the parser reads ${what} now`] },
  { do: "stream", ms: 6000 },
]);
const writes = { writes: true };
const recovered = (actions: string[], keys: string): Ending => ({ phase: "recovered", actions, keys });
const both = (ending: Ending): { spawn: Ending; tmux: Ending } => ({ spawn: ending, tmux: ending });
const left = (reported: RegExp): Ending => ({ phase: "escalated", reported });
const fails = (why: string): FakeScript["steps"] => [START, { do: "fail", why }, { do: "idle" }, ...AT_WORK];
const HUMAN = both(left(/needs you: \w/));
const NOT_HERE = /Skipped .*stop \(not for tmux sessions\)/;

const signalled =
  (signal: NodeJS.Signals): NonNullable<Row["cause"]> =>
  async (stage, { name, pid }) => {
    await stage.reads(name);
    process.kill(pid as number, signal);
  };

const resumes = { ...writes, resumed: [{ do: "idle" }, ...AT_WORK] };

const ROWS: Readonly<Record<string, Row>> = {
  "a limit with a printed reset": {
    stage: 0,
    steps: [START, { do: "limited", text: "You've hit your 5-hour limit · resets in 12s" }, { do: "idle" }, ...AT_WORK],
    before: "rate_limited/limit",
    problem: "rate_limited",
    ...both(recovered(["nudge done"], CONTINUE)),
  },
  "a limit without a reset that is hit again": {
    stage: 1,
    steps: [START, { do: "limited" }, { do: "idle" }, { do: "limited" }, { do: "idle" }, ...AT_WORK],
    before: "rate_limited/limit",
    problem: "rate_limited",
    ...both(recovered(["nudge done", "nudge done"], CONTINUE + CONTINUE)),
  },
  "a limit after which the program continues by itself": {
    stage: 2,
    steps: [START, { do: "outwaits", seconds: 8 }, ...AT_WORK],
    before: "rate_limited/limit",
    problem: "rate_limited",
    ...both(recovered([], "")),
  },
  "a stream that died": {
    stage: 0,
    more: writes,
    steps: [START, ANYTHING, { do: "hang" }, { do: "idle" }, ...AT_WORK],
    before: "stuck/silent_stream",
    ...both(recovered(["interrupt done", "nudge done"], ESC + CONTINUE)),
  },
  "a program that froze": {
    stage: 1,
    more: resumes,
    steps: [START, ANYTHING, { do: "freeze", ms: 3_600_000 }],
    before: "stuck/frozen_screen",
    spawn: { ...recovered(["interrupt failed", "stop done", "resume done"], ESC + CONTINUE), dies: true },
    tmux: { ...left(NOT_HERE), actions: ["interrupt failed"], keys: ESC },
  },
  "silence of an unknown program beyond the idle timeout": {
    stage: 2,
    steps: { command: ["sh", "-c", "echo the build begins; exec sleep 3600"] },
    before: "stuck/silent_stream",
    // It has no known keys and no way to be resumed.
    spawn: { ...left(/tried stop \(done\)/), actions: ["stop done"], dies: true },
    tmux: left(NOT_HERE),
  },
  "a turn that ended with a promise": {
    stage: 0,
    more: writes,
    steps: [
      START,
      { do: "asked" },
      ANYTHING,
      { do: "finish", text: "Now I will run the tests." },
      { do: "idle" },
      ...AT_WORK,
    ],
    before: "stuck/stopped_early",
    ...both(recovered(["nudge done"], CONTINUE)),
  },
  "a result that was not picked up": {
    stage: 1,
    more: writes,
    steps: [
      START,
      ANYTHING,
      { do: "launch" },
      { do: "finish" },
      { do: "queued" },
      { do: "idle" },
      { do: "queued", operation: "dequeue" },
      ...AT_WORK,
    ],
    before: "stuck/lost_result",
    ...both(recovered(["nudge done"], CONTINUE)),
  },
  "an error of the service at the prompt": {
    stage: 2,
    steps: fails("api"),
    before: "error/api",
    ...both(recovered(["nudge done"], CONTINUE)),
  },
  "a loop that a nudge ends": {
    stage: 2,
    more: writes,
    steps: [START, { do: "loop", rounds: 1e6, everyMs: 150 }, { do: "idle" }, ...NEW, ...AT_WORK],
    before: "stuck/loop",
    ...both(recovered(["interrupt done", "nudge done"], ESC + REPEATING)),
  },
  "the same error again and again, despite nudges": {
    stage: 0,
    more: writes,
    steps: [START, { do: "errors" }, { do: "idle" }, { do: "errors" }],
    before: "stuck/repeated_error",
    ...both({
      ...left(/tried interrupt \(done\), nudge \(done\)/),
      actions: ["interrupt done", "nudge done"],
      keys: ESC + REPEATING,
    }),
  },
  "tokens that are wasted": {
    stage: 1,
    more: writes,
    steps: [START, { do: "burn" }, { do: "idle" }, ...NEW, ...AT_WORK],
    before: "stuck/no_progress",
    ...both(recovered(["interrupt done", "nudge done"], ESC + REPEATING)),
  },
  "a requested marker that is missing": {
    stage: 2,
    more: writes,
    steps: [
      START,
      { do: "asked", text: "Mend the parser. Say <promise>COMPLETE</promise> when all is done." },
      ANYTHING,
      { do: "finish", text: "The parser is mended." },
    ],
    before: "stuck/no_completion_signal",
    spawn: { ...left(/tried stop \(done\)/), actions: ["stop done"], dies: true },
    tmux: left(NOT_HERE),
  },
  "a command that hangs": {
    stage: 0,
    more: writes,
    steps: [START, { do: "tool", command: ["tail", "-f", "/dev/null"] }],
    before: "stuck/tool_hang",
    ...both(left(/has no recovery step/)),
  },
  "a command that hangs, with a policy that ends it": {
    stage: 1,
    more: writes,
    steps: [START, { do: "tool", command: ["tail", "-f", "/dev/null"] }, ...AT_WORK],
    before: "stuck/tool_hang",
    ...both(recovered(["end_child done"], "")),
  },
  "a command that waits for keyboard input": {
    stage: 2,
    more: writes,
    steps: [START, { do: "tool", command: ["sleep", "600"], shown: "git rebase -i HEAD~3" }],
    before: "stuck/waiting_on_stdin",
    ...both(left(/has no recovery step/)),
  },
  "a permission dialog": {
    stage: 0,
    steps: [START, { do: "ask" }, ...AT_WORK],
    before: "needs_input/permission",
    problem: "needs_input",
    ...HUMAN,
  },
  "an expired login": { stage: 1, steps: fails("auth"), before: "error/auth", ...HUMAN },
  "an account without credit": { stage: 2, steps: fails("billing"), before: "error/billing", ...HUMAN },
  "a rejected conversation": {
    stage: 0,
    steps: fails("poisoned_context"),
    before: "error/poisoned_context",
    ...HUMAN,
  },
  "a request that the provider refuses": {
    stage: 1,
    steps: fails("policy_refusal"),
    before: "error/policy_refusal",
    ...HUMAN,
  },
  "a program that was killed": {
    stage: 2,
    more: resumes,
    steps: [START, ANYTHING, BUSY],
    before: "gone/crash",
    cause: signalled("SIGKILL"),
    spawn: { ...recovered(["resume done"], CONTINUE), dies: true },
    tmux: { ...left(/Skipped .*resume \(not for tmux sessions\)/), dies: true },
  },
  "a program that exited in the middle of its work": {
    stage: 0,
    more: resumes,
    steps: [START, ANYTHING, BUSY, { do: "exit", code: 3 }],
    before: "gone/exit_code",
    // An Enter without a user: it continues with its next step.
    cause: signalled("SIGUSR2"),
    spawn: { ...recovered(["resume done"], CONTINUE), dies: true },
    tmux: { ...left(/Skipped .*resume \(not for tmux sessions\)/), dies: true },
  },
  "a used-up budget, with a policy that interrupts": {
    stage: 2,
    more: writes,
    steps: [START, { do: "burn", tokens: 20 }],
    before: "working",
    problem: "over_budget",
    project: "[spend]\ntokens_per_night = 40\n",
    ...both({ ...left(/tried interrupt \(done\)/), actions: ["interrupt done"], keys: ESC }),
  },
};

const QUICK = [
  "silence of an unknown program beyond the idle timeout",
  "an error of the service at the prompt",
  "a permission dialog",
  "a program that was killed",
];
const names = FULL ? Object.keys(ROWS) : QUICK;
const stageOf = (row: string): RowStage => stages[FULL ? (ROWS[row] as Row).stage : 0] as RowStage;
/** A retried row is another agent. */
const nameOf = (row: string, way: Way, attempt: number): string =>
  `${way}-${row.replaceAll(/\W+/g, "-")}${attempt === 0 ? "" : "-again"}`;
const agentsOf = (rows: readonly string[]): string[] =>
  rows.flatMap((row) => WAYS.flatMap((way) => [0, 1].map((attempt) => nameOf(row, way, attempt))));
const { interrupt, ...ends } = {
  interrupt: POLICIES.default.plans.silent_stream?.slice(0, 1) ?? [],
  tool_hang: POLICIES.aggressive.plans.tool_hang ?? [],
};
const OWN = ["a used-up budget, with a policy that interrupts", "a command that hangs, with a policy that ends it"];
const PAIR = ["first", "second"];
const POLICY_FILES = {
  "a-thrifty": quickPolicy(agentsOf(OWN.slice(0, 1)), { over_budget: interrupt }),
  "b-ends": quickPolicy(agentsOf(OWN.slice(1, 2)), ends),
  "c-quick": quickPolicy([
    ...agentsOf(names.filter((row) => !OWN.includes(row))),
    "holds-a-claim",
    "forgot-a-claim",
    ...PAIR,
  ]),
};

const stages = Array.from({ length: FULL ? 3 : 1 }, () => new RowStage());

interface Played {
  incident: IncidentView;
  story: string[];
  agent: AgentSession;
  keys: string;
}

async function play(row: string, way: Way, name: string): Promise<Played> {
  const { steps, more, before, problem = before.split("/")[1] ?? "", cause, project, ...rest } = ROWS[row] as Row;
  const stage = stageOf(row);
  const agent = await stage.enter(way, name, "command" in steps ? steps.command : { steps, ...more }, project);
  await cause?.(stage, agent);
  // tmux does not always report how a pane's program ended.
  const about = way === "tmux" && before.startsWith("gone/") ? "gone" : problem;
  const { phase, actions = [] } = rest[way];
  const goal = FULL || phase === "escalated" ? phase : (one: IncidentView) => isDone(one, actions);
  const incident = await stage.incident(name, about, goal, PLAY_MS);
  const keys = receivedBy(stage.home, name).map(({ text }) => text);
  return { incident, story: await stage.story(agent.id), agent, keys: withoutErased(keys.join("")) };
}

/** The actions with their outcomes; refusals are free. */
const doneOf = ({ actions }: IncidentView): string[] =>
  actions.filter(({ result }) => result !== "refused").map(({ do: name, result }) => `${name} ${result}`);
const isDone = (incident: IncidentView, actions: readonly string[]): boolean =>
  doneOf(incident).join() === actions.join();

/** On a busy machine an action may be refused and repeated later: text typed by then was deleted again. */
const withoutErased = (keys: string): string =>
  ["continue", "repeating"].reduce((left, say) => {
    const text = textFor(say as "continue");
    return left.replaceAll(text + "\u007f".repeat(text.length), "");
  }, keys);

/** One for each row and way, started together. */
const plays = new Map<string, Promise<Played>>();
function started(row: string, way: Way, attempt = 0): Promise<Played> {
  const name = nameOf(row, way, attempt);
  const known = plays.get(name);
  if (known) return known;
  const made = turns.through(() => play(row, way, name));
  made.catch(() => {});
  plays.set(name, made);
  return made;
}

const tried = new Map<string, number>();
const ways = WAYS.filter((way) => way === "spawn" || NO_TMUX === null);

describe("the table, row by row", () => {
  beforeAll(async () => {
    const agents = agentsOf(names);
    const panes = agents.filter((name) => name.startsWith("tmux"));
    await Promise.all(stages.map((stage) => stage.open(POLICY_FILES, agents, panes)));
    for (const row of names) for (const way of ways) void started(row, way);
  });

  afterAll(async () => {
    const typed = names.filter((row) => (ROWS[row] as Row).spawn === HUMAN.spawn);
    const late = typed.flatMap((row) => ways.flatMap((way) => keysOf(row, way)));
    await Promise.all(stages.map((stage) => stage.close()));
    expect(late).toEqual([]);
  });

  const keysOf = (row: string, way: Way): string[] =>
    receivedBy(stageOf(row).home, nameOf(row, way, 0)).map(({ text }) => text);

  describe.each(ways)("%s:", { timeout: TIMEOUT_MS }, (way) => {
    it.each(names)("%s", async (row) => {
      const attempt = Math.min(1, tried.get(`${way} ${row}`) ?? 0);
      tried.set(`${way} ${row}`, attempt + 1);
      const { before, ...endings } = ROWS[row] as Row;
      const { phase, actions = [], keys = "", reported, dies } = endings[way];
      const { incident, story, agent, keys: typed } = await started(row, way, attempt);
      const isEnd = before.startsWith("gone/") && way === "tmux";
      expect(story, JSON.stringify(incident)).toContain(isEnd ? story.find((word) => word.startsWith("gone")) : before);
      expect(doneOf(incident), JSON.stringify(incident)).toEqual(actions);
      expect(incident).toMatchObject({ ...(FULL || reported ? { phase } : {}), outage: null });
      expect(typed).toBe(keys);
      if (reported) expect(incident.next?.reason).toMatch(reported);
      if (reported) expect(incident.reasons.join()).not.toBe("");
      const lives = processesOf(stageOf(row).home).some(({ pid }) => pid === agent.pid);
      expect(lives).toBe(!dies);
    });
  });

  /**
   * No terminal shows claims: the program that holds the task reports them. It has no keys, so it can only be
   * reported.
   */
  describe.runIf(FULL)("reported by a program:", { timeout: TIMEOUT_MS }, () => {
    const turn = (phase: "start" | "end"): OwnSignal => ({ kind: "turn", source: "stream", phase }) as OwnSignal;
    const taken: OwnSignal = { kind: "claim", source: "report", task: "T-1", phase: "taken" };
    const other: OwnSignal = { kind: "checkpoint", source: "report", task: "T-2", step: 1 };

    it.each([
      ["holds-a-claim", "no_checkpoint", []],
      ["forgot-a-claim", "stale_claim", [other]],
    ])("%s: %s goes to the user", async (name, problem, again) => {
      const agent = new OwnAgent((stages[0] as RowStage).socket, { name });
      agent.send(turn("start"), taken, turn("end"));
      const notifier = setInterval(() => agent.send(...again), 1000);
      try {
        const incident = await (stages[0] as RowStage).incident(name, problem, "escalated", PLAY_MS);
        expect(incident).toMatchObject({
          problem,
          actions: [],
          next: { reason: expect.stringContaining("no automatic recovery is available") },
        });
      } finally {
        clearInterval(notifier);
        await agent.end();
      }
    });
  });

  describe.runIf(FULL)("two agents of one account:", { timeout: TIMEOUT_MS }, () => {
    it("share one outage for their limit, and one of them resumes first", async () => {
      const stage = stages[0] as RowStage;
      const steps = [START, { do: "limited" }, { do: "idle" }, ...AT_WORK];
      await Promise.all(PAIR.map((name) => stage.enter("spawn", name, { steps })));
      const { agent, outage } = await stage.acted(PAIR, PLAY_MS);
      expect(outage).toMatchObject({ group: "limit", shared: expect.stringMatching(/^claude-code #/), incidents: 2 });
      const other = PAIR.find((name) => name !== agent) as string;
      const waiting = await stage.incident(other, "rate_limited", "suspected", 1000).catch(() => null);
      expect(waiting ?? (await stage.incident(other, "rate_limited", "confirmed", 1000))).toMatchObject({
        actions: [],
        next: { do: "nudge", reason: `checking whether ${agent} recovered` },
      });
      expect(receivedBy(stage.home, other)).toEqual([]);
    });
  });
});
