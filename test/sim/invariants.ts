/**
 * What must hold whatever fails. Checked from outside: requested actions, stored data, notices, and the truth
 * about the agents. The numbers are those of the reliability bar in `docs/promises.md`.
 */

import { ACTIONS, type Action, type ActionOutcome } from "../../src/core/action.js";
import { situationOf } from "../../src/core/agent-decisions.js";
import type { IncidentChange } from "../../src/core/incidents/course.js";
import { type Incident, type IncidentState, isOpen } from "../../src/core/incidents/incident.js";
import { HUMAN_ONLY, needsConfirming } from "../../src/core/incidents/problem.js";
import { openPrompt } from "../../src/core/judgement/evidence/prompts.js";
import { decide } from "../../src/core/policy/decide.js";
import type { SessionJudge } from "../../src/core/session-judge.js";
import { STATES } from "../../src/core/states.js";
import { MINUTE, SECOND } from "../../src/core/text/time.js";
import type { SimAgent, Spell } from "./agents.js";
import { breaches } from "./budgets.js";
import { ILLS } from "./problems.js";
import { Reported } from "./reported.js";
import type { World } from "./world.js";

/** One requested action. */
export interface Attempt {
  action: Action;
  /** Daemon time. */
  at: number;
  trueAt: number;
  acted: boolean;
  /** Null while the outcome is unknown. */
  outcome: ActionOutcome | null;
}

interface ReportedOf {
  agent: string;
  problem: string;
  at: number;
  phase: string;
  /** The observed time by then. */
  seenMs: number;
}

/** A user counts as present for this long after a key. */
const PRESENT_MS = 2 * MINUTE;

export class Invariants {
  readonly violations: string[] = [];
  readonly attempts: Attempt[] = [];
  /** Every incident ever reported, with its last phase. */
  readonly incidents = new Map<string, ReportedOf>();
  readonly reported: Reported;
  readonly #world: World;
  readonly #storedIntents = new Set<string>();
  #storedOpen = new Map<string, Incident>();

  constructor(world: World) {
    this.#world = world;
    this.reported = new Reported(world, (holds, rule, what) => this.#must(holds, rule, what));
  }

  #must(holds: boolean, rule: string, what: () => string): void {
    if (holds || this.violations.length > 50) return;
    const text = `${rule}: ${what()}`;
    this.violations.push(`at ${(this.#world.now / 1000).toFixed(0)} s, ${text}`);
    this.#world.write(`VIOLATION ${text}`);
  }

  /** This is on the disk now. */
  stored(incidentState: IncidentState): void {
    for (const { id } of incidentState.actions) this.#storedIntents.add(id);
    // A daemon that dies between storing and sending leaves it to the next run.
    for (const { id, agent, problem, phase } of incidentState.incidents)
      if (!this.incidents.has(id))
        this.incidents.set(id, { agent, problem, at: this.#world.now, phase, seenMs: this.#world.watchedMs });
    this.#storedOpen = new Map(incidentState.incidents.filter(isOpen).map((incident) => [incident.id, incident]));
  }

  changed(changes: readonly IncidentChange[], incidentState: IncidentState): void {
    for (const { incident, phase, change } of changes) {
      const found = incidentState.incidents.find(({ id }) => id === incident);
      if (!found) continue;
      const { agent, problem, reasons, escalated } = found;
      const why = phase === "escalated" ? escalated?.reason : reasons[0];
      this.#world.write(`${agent} ${problem} ${phase} ${change}: ${why}`);
      this.#world.record("incident", { agent, problem, phase, change, reason: why ?? null });
      const before = this.incidents.get(incident);
      const isNew = change === "opened" || change === "reopened" || !before;
      const seenMs = isNew ? this.#world.watchedMs : before.seenMs;
      this.incidents.set(incident, { agent, problem, at: before?.at ?? this.#world.now, phase, seenMs });
      // Blindness is reported about rouse itself.
      if (phase === "confirmed" && change === "phase_changed") this.#confirmed(found, this.#world.watchedMs - seenMs);
      if (phase === "escalated") this.#world.callHuman(agent);
      const isSound = this.#world.roleOf(agent).sound && problem !== "unknown";
      this.#must(!isSound, "R18 a healthy agent has no incident", () => `${agent} ${problem} ${phase}: ${why}`);
    }
  }

  /** An action is requested. Everything that forbids it must have been detected before. */
  asked(action: Action): void {
    const { life, now } = this.#world;
    const at = life.loop.now();
    const what = `${action.agent} ${action.do} ${action.id} for ${action.problem}`;
    this.#world.write(`${action.agent} ${action.do} (${action.problem}, ${action.attempt})`);
    const { agent, do: does, attempt, say = null, command = null } = action;
    this.#world.record("action", { agent, do: does, problem: action.problem, attempt, say, command });
    const role = this.#world.roleOf(action.agent);
    const judge = life.loop.find(action.session);
    const about = life.loop.incidents.incidents.find(({ id }) => id === action.incident);
    const isFounded = about !== undefined && isOpen(about) && judge !== null && judge.evidence.first !== null;
    this.#must(isFounded, "R1 no decision without an input", () => what);
    this.#must(this.#world.canStore, "no action while nothing can be stored", () => what);
    this.#must(this.#storedIntents.has(action.id), "R5 the intent is stored before the action", () => what);
    this.#must(!role.sound, "R18 no action on a healthy agent", () => what);
    this.#must(role.allowed, "no action without permission", () => what);
    this.#must(role.policy !== "observe", "the policy observe takes no action", () => what);
    this.#must(!HUMAN_ONLY.has(action.problem), "no action on a human-only problem", () => what);
    this.#must(
      !life.loop.incidents.silences.some(
        ({ agent, until, problem }) => agent === action.agent && problem === null && until > at,
      ),
      "no action on a silenced agent",
      () => what,
    );
    const same = this.attempts.filter(({ action: { incident } }) => incident === action.incident);
    this.#must(
      !this.attempts.some((one) => one.action.id === action.id),
      "R5 one intent is carried out once",
      () => what,
    );
    const unknown = same.find((one) => one.outcome === null || one.outcome.result === "unknown");
    this.#must(!unknown, "R5 an unknown outcome is never repeated", () => `${what}, after ${unknown?.action.do}`);
    if (judge) this.#seen(action, judge, at, what);
    this.attempts.push({ action, at, trueAt: now, acted: false, outcome: null });
    const limit = this.#world.agents.find(({ name }) => name === action.agent)?.limit;
    if (action.problem === "rate_limited" && limit?.until)
      this.#must(at >= limit.until, "a limit's wait is not cut short", () => `${what}, ${limit.until} > ${at}`);
    this.#outage(action, what);
  }

  /** A suspicion must last through observed time; unobserved time confirms nothing. */
  #confirmed({ agent, problem, chain }: Incident, seenMs: number): void {
    if (!needsConfirming(problem) || chain.length > 0) return;
    const { confirmMs } = this.#world.policyOf(agent);
    const isSeen = seenMs >= confirmMs - 2 * this.#world.setting.stepMs;
    this.#must(isSeen, "R14 unobserved time confirms nothing", () => `${agent} ${problem}, ${seenMs} ms`);
  }

  /** What rouse itself knew then, read from the evidence and not from the decision. */
  #seen(action: Action, { evidence, assessment, session }: SessionJudge, at: number, what: string): void {
    const { destructive, starts } = ACTIONS[action.do];
    const human = evidence.humanAt !== null && at - evidence.humanAt < PRESENT_MS - 30 * SECOND;
    const slept = evidence.asleep.some(({ to }) => to > at - PRESENT_MS);
    this.#must(!human || slept, "no action while a user types", () => `${what}, ${at - (evidence.humanAt ?? 0)} ms`);
    const asks = openPrompt(evidence.prompts);
    this.#must(asks === null || starts, "nothing is typed into a dialog", () => `${what}, ${asks?.question}`);
    this.#must(assessment.state !== "unknown", "no action in an unknown state", () => what);
    this.#must(!evidence.blind, "a blind observer only reports", () => what);
    const { wokeAt, now } = this.#world;
    const isAwake = wokeAt === null || now - wokeAt >= MINUTE;
    this.#must(isAwake, "R14 no action right after waking up", () => `${what}, ${now - (wokeAt ?? 0)} ms`);
    if (!destructive) return;
    this.#must(assessment.kinds.length >= 2, "R18 a destructive action has two kinds of evidence", () => what);
    this.#must(
      session.origin !== "run" || action.do === "end_child",
      "a session in a user's terminal is never ended",
      () => what,
    );
  }

  /**
   * Many agents with one problem: none is stopped before one has recovered, nor started before the outage has lasted
   * long.
   */
  #outage({ incident, agent, do: name }: Action, what: string): void {
    const incidentState = this.#world.life.loop.incidents;
    const of = incidentState.incidents.find(({ id }) => id === incident)?.outage;
    const outage = incidentState.outages.find(({ id }) => id === of);
    if (!outage || outage.endedAt !== null || outage.provenAt !== null) return;
    const others = incidentState.incidents.filter((one) => one.outage === of && isOpen(one) && one.agent !== agent);
    if (others.length === 0) return;
    const { destructive, starts } = ACTIONS[name];
    const at = this.#world.life.loop.now();
    const isLong = outage.group === "machine" && at - outage.openedAt >= this.#world.policyOf(agent).outageMs;
    this.#must(!destructive && (!starts || isLong), "R17 an outage restarts no agent", () => what);
    const other = this.attempts.findLast(
      (one) => others.some(({ id }) => id === one.action.incident) && at - one.at < MINUTE && at >= one.at,
    );
    this.#must(!other, "R17 one of many agents goes first", () => `${what}, after ${other?.action.agent}`);
  }

  /** The agent is acted on at this moment. */
  acted(action: Action, agent: SimAgent): void {
    const attempt = this.attempts.findLast((one) => one.action.id === action.id);
    const what = `${action.agent} ${action.do} ${action.id}`;
    this.#must(attempt !== undefined, "R1 no effect without a decision", () => what);
    const isSame = ACTIONS[action.do].starts || agent.session.id === action.session;
    this.#must(isSame, "S5 the action is on the judged agent", () => what);
    this.#must(attempt?.acted !== true, "R5 no action is repeated", () => what);
    this.#must(agent.mode !== "dialog" || action.do === "resume", "S4 no key goes into a dialog", () => what);
    this.#must(action.do !== "resume" || agent.mode === "gone", "no second session beside a running one", () => what);
    this.#must(
      !ACTIONS[action.do].destructive || agent.fault !== null,
      "R18 no destructive action on a working agent",
      () => what,
    );
    if (attempt) attempt.acted = true;
    const { budgets } = this.#world.policyOf(action.agent);
    for (const breach of breaches(this.attempts, action, budgets)) this.#must(false, "R16 budgets hold", () => breach);
  }

  answered(action: Action, outcome: ActionOutcome | null): void {
    const attempt = this.attempts.findLast((one) => one.action.id === action.id);
    if (attempt && outcome) attempt.outcome = outcome;
    this.#world.write(
      `${action.agent} ${action.do}: ${outcome ? `${outcome.result}, ${outcome.reason}` : "no answer"}`,
    );
    const { result = null, reason = null } = outcome ?? {};
    this.#world.record("outcome", { agent: action.agent, do: action.do, result, reason });
  }

  restarted(incidentState: IncidentState): void {
    this.#world.write("the daemon is back");
    this.reported.lives++;
    for (const [id, incident] of this.#storedOpen)
      this.#must(
        incidentState.incidents.some((one) => one.id === id),
        "R6 no incident is lost in a crash",
        () => `${incident.agent} ${incident.problem}`,
      );
    for (const { action } of this.attempts.slice(-20))
      this.#must(
        incidentState.actions.some(({ id }) => id === action.id),
        "R6 no action is lost in a crash",
        () => `${action.agent} ${action.do}`,
      );
  }

  step(): void {
    if (!this.#world.isUp) return;
    const open = new Set<string>();
    for (const incident of this.#world.life.loop.incidents.incidents) {
      if (!isOpen(incident)) continue;
      const key = `${incident.agent} ${incident.problem}`;
      this.#must(!open.has(key), "one incident per agent and problem", () => key);
      open.add(key);
    }
    for (const { session, assessment, judgingError } of this.#world.life.loop.sessions()) {
      const isDefined = judgingError === null && STATES.includes(assessment.state) && assessment.reasons.length > 0;
      this.#must(isDefined, "no cell of the judgement is undefined", () => `${session.name}: ${judgingError}`);
    }
    this.reported.step();
  }

  /** The known state equals the replay of the stored signals, with all evidence. */
  folded(): void {
    for (const unlike of this.#world.life.unlikeJournal())
      this.#must(false, "R7 the known state is the fold of the log", () => unlike);
  }

  /** After the calm, every incident has an explained end. */
  end(): void {
    const { life, agents } = this.#world;
    const now = life.loop.now();
    for (const incident of life.loop.incidents.incidents.filter(isOpen)) this.#settled(incident, now);
    for (const one of this.attempts) {
      const incident = life.loop.incidents.incidents.find(({ id }) => id === one.action.incident);
      const isUnknown = one.outcome === null;
      const isSettled = !incident || !isOpen(incident) || incident.escalated !== null || incident.ackedAt !== null;
      this.#must(!isUnknown || isSettled || now - one.at < 10 * MINUTE, "R5 an unknown outcome is escalated", () => {
        return `${one.action.agent} ${one.action.do} ${one.action.id}`;
      });
    }
    for (const agent of agents) {
      for (const spell of agent.spells) this.#wasReported(spell);
      this.#isRight(agent);
    }
    // Without a calm before the end, the daemon may be down then.
    if (!this.#world.isUp) return;
    this.reported.end();
    this.folded();
  }

  /** Recovered, escalated, or waiting for a known moment. */
  #settled(incident: Incident, now: number): void {
    if (incident.escalated || incident.ackedAt !== null) return;
    const { state } = this.#world.life.loop;
    const judge = state.latest.get(incident.agent);
    const decision = judge && decide(situationOf(state, incident, judge, now));
    const next = decision && !decision.action ? decision.recheckAt : null;
    const isFresh = now - incident.since < 45 * MINUTE;
    const waits = next !== null && next > now - MINUTE && incident.problem === "rate_limited";
    this.#must(isFresh || waits, "R3 every incident ends", () => {
      return `${incident.agent} ${incident.problem} ${incident.phase} for ${now - incident.since} ms: ${decision?.reason}`;
    });
  }

  /** Every lasting, visible problem was reported. */
  #wasReported(spell: Spell): void {
    const { reportedMs, called } = ILLS[spell.fault];
    const lasted = (spell.to ?? this.#world.now) - spell.from;
    if (!this.#world.isClear(spell.agent, spell.from, spell.from + lasted) || lasted < reportedMs * 2) return;
    const reported = [...this.incidents.values()].some(
      ({ agent, at }) => agent === spell.agent && at >= spell.from - MINUTE && at <= spell.from + reportedMs * 2,
    );
    const known = this.#world.life.loop.incidents.incidents.some(
      ({ agent, openedAt, problem, chain }) =>
        agent === spell.agent && [problem, ...chain].some((one) => called.includes(one)) && openedAt > 0,
    );
    this.#must(
      reported || known,
      "R18 a lasting problem is reported",
      () => `${spell.agent} ${spell.fault} at ${spell.from / 1000}`,
    );
  }

  /** After hours without a fault, the reported states are true. */
  #isRight(agent: SimAgent): void {
    const judge = this.#world.life.loop.find(agent.session.id);
    // Little is known about an agent that shows little.
    if (!judge || agent.casting.bare) return;
    const { state, reasons } = judge.assessment;
    const says = `${agent.name} is ${agent.fault?.spell.fault ?? "well"} and ${agent.mode}; rouse says ${state}: ${reasons[0]}`;
    if (!agent.fault) this.#must(!SICK.has(state), "R3 the state is right after the faults", () => says);
    else if (this.#world.now - agent.fault.spell.from > 60 * MINUTE && agent.isSeen)
      this.#must(state !== "working" && state !== "complete", "R3 the state is right after the faults", () => says);
  }
}

const SICK: ReadonlySet<string> = new Set(["stuck", "error", "needs_input", "gone", "unknown", "rate_limited"]);
