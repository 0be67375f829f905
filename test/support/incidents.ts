/**
 * An incident state under a clock that the test moves: assessments in, decisions out, actions stored as by a
 * daemon.
 */
import { ACTION_NAMES, type Action, intentOf, type OutcomeResult } from "../../src/core/action.js";
import { applyToIncidents } from "../../src/core/incidents/fold.js";
import { createIncidentState, type Incident, isOpen, silencedUntil } from "../../src/core/incidents/incident.js";
import type { Assessment } from "../../src/core/judgement/assess.js";
import type { PeriodSpend } from "../../src/core/judgement/period-spend.js";
import { POLICIES } from "../../src/core/policy/builtin.js";
import { type Decision, decide } from "../../src/core/policy/decide.js";
import type { ActionFacts } from "../../src/core/policy/facts.js";
import { outageSlot } from "../../src/core/policy/outage-queue.js";
import type { Policy } from "../../src/core/policy/policy.js";
import type { Situation } from "../../src/core/policy/situation.js";
import { unpermittedActions } from "../../src/core/policy/unpermitted.js";
import { START } from "./steps.js";

/** Everything is permitted, and no check objects. */
const NO_OBSTACLES: Omit<ActionFacts, "origin"> = {
  allowed: true,
  can: ACTION_NAMES,
  gone: false,
  humanPresent: false,
  promptOpen: false,
  observerHealthy: true,
  wokeAt: null,
  silencedUntil: null,
  ownTimeoutMs: null,
  resumesItself: false,
  guard: null,
};

export const FACTS: ActionFacts = { origin: "spawn", ...NO_OBSTACLES };

/** `stuck/loop`, `working`: certain, and with two kinds of evidence by default. */
export function assessed(what: string, rest: Partial<Assessment> = {}): Omit<Assessment, "at"> {
  const [state, cause] = what.split("/") as [Assessment["state"], Assessment["cause"] | undefined];
  return {
    state,
    cause: state === "rate_limited" ? "limit" : (cause ?? null),
    confidence: 0.9,
    until: null,
    reasons: [`it is ${what}`],
    level: "act",
    kinds: ["screen", "record"],
    ruleset: 1,
    recheckAt: null,
    ...rest,
  };
}

export interface Check {
  agent?: string;
  /** The number of the session with this name; the first by default. */
  session?: string;
  /** When progress was last proven; a number of seconds after the start. */
  progress?: number | null;
  /** Its last activity. */
  active?: number;
  /** Start of the turn of that progress; the same time by default. */
  turn?: number | null;
  facts?: Partial<ActionFacts>;
  account?: string | null;
  program?: string;
  isOver?: boolean;
  isAdopted?: boolean;
  spend?: PeriodSpend | null;
}

export class World {
  readonly incidentState = createIncidentState();
  readonly done: { agent: string; at: number; action: Action }[] = [];
  readonly decisions: Decision[] = [];
  policy: Policy;
  #last = new Map<string, Decision | null>();

  constructor(policy: Policy = POLICIES.default) {
    this.policy = policy;
  }

  /** One check of one agent, `at` seconds after the start: folds it, decides, and carries out the decision. */
  check(
    at: number,
    what: Omit<Assessment, "at"> | string,
    check: Check = {},
    result: OutcomeResult = "done",
  ): Decision | null {
    const now = START + at * 1000;
    const agent = check.agent ?? "a";
    const assessment = { ...(typeof what === "string" ? assessed(what) : what), at: now };
    const time = (seconds: number | null | undefined): number | null =>
      seconds === undefined || seconds === null ? null : START + seconds * 1000;
    const progress = time(check.progress);
    const turn = check.turn === undefined ? progress : time(check.turn);
    applyToIncidents(this.incidentState, {
      kind: "assessed",
      agent,
      session: check.session ?? `${agent}-1`,
      program: check.program ?? "claude-code",
      account: check.account ?? null,
      isAdopted: check.isAdopted ?? false,
      assessment,
      activeAt: time(check.active),
      progress: { workAt: progress, outcomeAt: progress, turnAt: turn },
      confirmMs: this.policy.confirmMs,
      outageMs: this.policy.outageMs,
      isOver: check.isOver ?? false,
      spend: check.spend ?? null,
    });
    let decision: Decision | null = null;
    for (const incident of this.open(agent)) {
      decision = this.#decide(incident, assessment, check, now);
      if (!decision.action) continue;
      if (decision.action.do === "escalate") this.escalate(decision, now);
      else this.carryOut(decision.action, now, result);
    }
    this.#last.set(agent, decision);
    return decision;
  }

  situation(incident: Incident, assessment: Assessment, { facts }: Check, now: number): Situation {
    return {
      policy: this.policy,
      assessment,
      incident,
      history: this.incidentState.actions,
      unpermitted: unpermittedActions(this.incidentState),
      outageQueue: outageSlot(this.incidentState, incident.outage),
      facts: { ...FACTS, silencedUntil: silencedUntil(this.incidentState, incident, now), ...facts },
      asleep: this.incidentState.asleep,
      now,
    };
  }

  #decide(incident: Incident, assessment: Assessment, check: Check, now: number): Decision {
    const decision = decide(this.situation(incident, assessment, check, now));
    this.decisions.push(decision);
    return decision;
  }

  escalate({ action, reason, wouldDo, overBudget }: Extract<Decision, { action: Action }>, now: number): void {
    this.done.push({ agent: action.agent, at: now, action });
    const reported = { at: now, incident: action.incident, reason, wouldDo: wouldDo?.do ?? null };
    applyToIncidents(this.incidentState, { kind: "escalated", ...reported, ...(overBudget ? { overBudget } : {}) });
  }

  carryOut(action: Action, now: number, result: OutcomeResult): void {
    this.done.push({ agent: action.agent, at: now, action });
    applyToIncidents(this.incidentState, { kind: "intended", intent: intentOf(action, now) });
    const outcome = { intent: action.id, at: now, result, reason: result, proven: null };
    applyToIncidents(this.incidentState, { kind: "done", outcome });
  }

  /** The same check every `every` seconds: the actions, as "60 nudge". */
  watch(from: number, to: number, what: Omit<Assessment, "at"> | string, check: Check = {}, every = 5): string[] {
    const before = this.done.length;
    for (let at = from; at <= to; at += every) this.check(at, what, check);
    return this.done.slice(before).map(({ at, action }) => `${(at - START) / 1000} ${action.do}`);
  }

  open(agent = "a"): Incident[] {
    return this.incidentState.incidents.filter((incident) => incident.agent === agent && isOpen(incident));
  }

  get only(): Incident {
    const [incident] = this.incidentState.incidents;
    if (!incident || this.incidentState.incidents.length !== 1)
      throw new Error(`${this.incidentState.incidents.length} incidents`);
    return incident;
  }
}
