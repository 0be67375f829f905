/**
 * The daemon and hosts are killed at any moment, also in the middle of an action, while ten agents are in all kinds of
 * problems: nothing is lost, nothing is typed or started twice. A round counts only if the daemon had finished its
 * start. `ROUSE_SEED` repeats the moments, not the order of events.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callOperation } from "../../src/api/remote.js";
import type { PermissionsView } from "../../src/api/service/permissions.js";
import { resultOf } from "../../src/core/action.js";
import type { IncidentState } from "../../src/core/incidents/incident.js";
import { PROBLEMS, type Problem } from "../../src/core/incidents/problem.js";
import { openJournal } from "../../src/store/journal.js";
import { Random } from "../sim/random.js";
import { AlertLedger, storedDeliveries } from "../support/alert-ledger.js";
import { receivedBy, startsOf } from "../support/fake-agent.js";
import { until } from "../support/hosts.js";
import { faultsOfJournal } from "../support/journal-faults.js";
import { ActionHistory, account } from "../support/kill-account.js";
import { KillStage } from "../support/kill-stage.js";
import { HttpReceiver } from "../support/receivers.js";

const ROUNDS = Number(process.env.ROUSE_ROUNDS) || (process.env.ROUSE_FULL ? 200 : 20);
/** The least share of rounds in which an action was pending or under way. */
const ACTING_SHARE = 0.3;
const ACTING_WANTED = Math.ceil(ROUNDS * ACTING_SHARE);
/** Whether an action is under way at a kill is chance: 25 to 50 % of the kills. More rounds are played until there were enough. */
const ROUNDS_MAX = 2 * ROUNDS;
const SEED = process.env.ROUSE_SEED ?? String(Date.now());
/** For an action to begin. */
const ACTION_WAIT_MS = 10_000;
const RESUME_WAIT_MS = 20_000;
/** For actions under way to end. */
const CALM_MS = 20_000;
/** In a long run everything is counted in between, too. */
const COUNT_EVERY = 20;

/** What happens before the daemon is killed, round by round. */
const WAYS = ["action", "any", "action", "host", "action", "any", "action", "decision", "action", "agent"] as const;

const stage = new KillStage();
const receiver = new HttpReceiver();
const ledger = new AlertLedger();
const history = new ActionHistory();
const random = new Random(SEED);
const faults: string[] = [];
const seen = { rounds: 0, acting: 0, hosts: 0, agents: 0, decisions: 0 };
/** Decisions of a user that were answered. */
const silenced = new Set<Problem>();
/** CPU time and time of each start until everything was judged again. */
const starts: { cpu_ms: number; after_ms: number }[] = [];

beforeAll(async () => {
  receiver.behave = (received) => {
    const how = { status: 200 } as const;
    ledger.take(received, how);
    return how;
  };
  await stage.open(await receiver.start());
}, 120_000);

afterAll(async () => {
  const left = await stage.close();
  await receiver.stop();
  expect(left).toEqual([]);
}, 60_000);

/** What is stored, read while no daemon runs. */
function stored(): IncidentState {
  const { journal } = openJournal(stage.paths.journal);
  try {
    return journal.incidentState.load();
  } finally {
    journal.close();
  }
}

/** Until the moment of the kill. */
async function provoke(way: (typeof WAYS)[number], startedAt: number): Promise<void> {
  if (way === "any") {
    await sleep(random.between(0, 2000));
    return;
  }
  if (way === "decision") {
    const problem = PROBLEMS[seen.decisions++ % PROBLEMS.length] as Problem;
    await callOperation(stage.paths.daemonSocket, "silence", {
      what: stage.nameOf("healthy"),
      problem,
      for_secs: 86_400,
    });
    silenced.add(problem);
    return;
  }
  const isHostKilled = way === "host" && (await stage.kill(random.pick(["lost", "killed", "frozen"]), "host"));
  const isAgentKilled = way === "agent" && (await stage.kill(random.pick(["lost", "killed"]), "agent"));
  if (isHostKilled) seen.hosts++;
  if (isAgentKilled) seen.agents++;
  // Its resume, which comes later than the actions on others.
  const isActing =
    isHostKilled || isAgentKilled
      ? await stage.untilActing(startedAt, RESUME_WAIT_MS, "resume")
      : await stage.untilActing(startedAt, ACTION_WAIT_MS);
  if (isActing) await sleep(random.between(0, 800));
}

/** What has to hold while no daemon runs, whatever it was doing. */
function check(startedAt: number): void {
  faults.push(...faultsOfJournal(stage.paths.journal));
  const { actions } = stored();
  faults.push(...history.take(actions));
  ledger.ended(storedDeliveries(stage.paths.journal, "ops"));
  const now = Date.now();
  if (actions.some((record) => record.at >= startedAt && resultOf(record, now) === "pending")) seen.acting++;
}

describe(`${ROUNDS} kills of the daemon and of hosts, with ten agents in all kinds of problems`, () => {
  it("lose nothing, type nothing twice and start nothing twice", { timeout: 3_600_000 }, async () => {
    let startedAt = Date.now();
    const isOver = (): boolean => seen.rounds >= ROUNDS && (seen.acting >= ACTING_WANTED || seen.rounds >= ROUNDS_MAX);
    for (let round = 0; !isOver(); round++) {
      if (round > 0) startedAt = await restart();
      await stage.replace();
      await provoke(WAYS[round % WAYS.length] as (typeof WAYS)[number], startedAt);
      await stage.daemon.kill();
      await receiver.idle();
      seen.rounds++;
      check(startedAt);
      if (seen.rounds % COUNT_EVERY === 0 || isOver()) await calm();
      expect(faults, `round ${round + 1}, seed ${SEED}`).toEqual([]);
    }
    expect(seen.acting).toBeGreaterThanOrEqual(ACTING_WANTED);
  });
});

async function restart(): Promise<number> {
  const { startedAt, judging } = await stage.startDaemon();
  if (judging) starts.push(judging);
  return startedAt;
}

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
const spread = (numbers: readonly number[]) => ({ median: median(numbers), max: Math.max(...numbers) });

const isReported = (agent: string): boolean => ledger.agents.has(agent);

/** The daemon runs until nothing is under way and all is reported; then everything is counted. */
async function calm(): Promise<void> {
  await restart();
  const isCalm = async (): Promise<boolean> =>
    !(await stage.isActing(0)) && (await stage.escalated()).every(isReported);
  await until("all actions to end", isCalm, CALM_MS).catch(() => {});
  const permissions = await stage.daemon.ask<PermissionsView>("/v1/permissions");
  expect(permissions?.agents.filter(({ allowed }) => !allowed)).toEqual([]);
  const { silences } = await callOperation(stage.paths.daemonSocket, "silences", {});
  expect(new Set(silences.map(({ problem }) => problem))).toEqual(silenced);
  const reported = await callOperation(stage.paths.daemonSocket, "messages", { all: true, limit: 500 });
  await stage.daemon.kill("SIGTERM");
  await receiver.idle();
  const { actions, incidents } = stored();
  faults.push(...faultsOfJournal(stage.paths.journal), ...history.take(actions), ...stage.twice);
  const deliveries = storedDeliveries(stage.paths.journal, "ops");
  ledger.ended(deliveries);
  faults.push(...ledger.unexplained(deliveries).map((one) => JSON.stringify(one)));
  const totals = { texts: 0, enters: 0, escapes: 0, resumes: 0 };
  for (const name of stage.names) {
    const touched = { name, received: receivedBy(stage.home, name), starts: startsOf(stage.home, name) };
    const own = history.actions.filter(({ agent }) => agent === name);
    const { counts, faults: found } = account({ ...touched, actions: own });
    faults.push(...found);
    for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += counts[key];
  }
  const escalated = incidents.filter((one) => one.escalated !== null);
  for (const { agent, problem } of escalated)
    if (!isReported(agent)) faults.push(`no alert about ${problem} of ${agent} arrived`);
  const results: Record<string, number> = {};
  for (const { do: name, outcome } of history.actions) {
    const key = `${name} ${outcome?.result ?? "pending"}`;
    results[key] = (results[key] ?? 0) + 1;
  }
  const extra = [...ledger.copies.values()].reduce((sum, copies) => sum + copies - 1, 0);
  const alerts = { keys: ledger.copies.size, extra, late: ledger.late, messages: reported.messages.length };
  const restarts = {
    cpuMs: spread(starts.map(({ cpu_ms }) => cpu_ms)),
    ms: spread(starts.map(({ after_ms }) => after_ms)),
  };
  const figures = {
    ...seen,
    seconds: Math.round(performance.now() / 1000),
    restarts,
    agentsStarted: stage.names.length,
    incidents: incidents.length,
    results,
    totals,
    alerts,
  };
  console.log(`kill rounds (seed ${SEED}): ${JSON.stringify(figures)}`);
}
