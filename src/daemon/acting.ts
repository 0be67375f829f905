/**
 * The second half of the loop: every judgement is folded into the book of incidents, each open incident is decided, and
 * what is decided is done once.
 *
 * The order is the promise (see `doing.ts`). Whoever dies between intent and outcome leaves an intent without one, which is
 * looked at by the next life and never repeated.
 */
import { intentOf } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { byHand } from "../core/by-hand.js";
import { type Decision, decide } from "../core/decide.js";
import { type Facts, factsOf, guardFrom } from "../core/facts.js";
import { forgoneDeeds } from "../core/forgone.js";
import type { IncidentChange } from "../core/incident/course.js";
import { type IncidentInput, takeIncidents } from "../core/incident/fold.js";
import { type Incident, type Incidents, isOpen, silencedUntil } from "../core/incident/incident.js";
import { heldUntil } from "../core/incident/over-budget.js";
import { progressOf } from "../core/incident/progress.js";
import type { Policy } from "../core/policy/policy.js";
import { endedByHuman } from "../core/rules/by-exit.js";
import type { Situation } from "../core/situation.js";
import { type Trouble, troubleOf } from "../core/trouble.js";
import { turnOf } from "../core/turn-taking.js";
import type { BookStore } from "../store/book.js";
import { deedText } from "./deed-text.js";
import { Doing, type Hands } from "./doing.js";
import { type Recovery, recovery, Sleepers } from "./recovery.js";
import type { Watched } from "./watched.js";

export interface ActingOptions {
  store: BookStore;
  hands: Hands;
  policyOf: (session: AgentSession) => Policy;
  isAllowed: (session: AgentSession, trouble: Trouble) => boolean;
  /** Which account it uses; null where nobody knows. */
  accountOf?: (session: AgentSession) => string | null;
  /** rouse itself sees, keeps and keeps up. */
  isWell: () => boolean;
  now: () => number;
  /** What changed in the book, for those who tell. */
  onChange?: (changes: readonly IncidentChange[], book: Incidents) => void;
  /** What was done, what came of it, and what was given to a human: one line each. */
  log?: (line: string) => void;
  /** The book was carried over to another name: what is kept elsewhere by name goes along. */
  onRename?: (from: string, to: string) => void;
  /** An action was carried out: the agent is worth a look now. */
  onDone?: (session: string) => void;
}

/** What changes with every look (when a trouble was last seen) is stored this often, all else at once. */
const SAVE_EVERY_MS = 30_000;

export class Acting {
  readonly book: Incidents;
  readonly #options: ActingOptions;
  /** By incident: what was last decided about it. */
  readonly #decisions = new Map<string, Decision>();
  /** When an agent has to be decided about again, whatever is seen of it. */
  readonly #recheckAt = new Map<string, number>();
  /** The last that was judged of each agent. */
  readonly #watched = new Map<string, Watched>();
  readonly #doing: Doing;
  /** Agents that a person is recovering: the loop leaves them alone meanwhile. */
  readonly #inHand = new Set<Watched>();
  readonly #sleepers = new Sleepers();
  #savedAt = 0;
  /** Why the book could not be stored the last time; null when it could. */
  problem: string | null = null;

  constructor(options: ActingOptions) {
    this.#options = options;
    this.book = options.store.load();
    this.#doing = new Doing({
      hands: options.hands,
      now: options.now,
      intend: (action, now) => {
        this.#fold({ kind: "intended", intent: intentOf(action, now) });
        return this.problem;
      },
      done: (outcome, { session }) => {
        this.#fold({ kind: "done", outcome });
        options.onDone?.(session);
      },
    });
  }

  /** After every judgement of a session, changed or not. */
  judged(watched: Watched, now: number): void {
    const { session, assessment, evidence } = watched;
    this.#watched.set(session.name, watched);
    // That every state is unknown is what the user asked for; and nobody is blind to what is not there any more.
    const isUnasked = watched.settings.isJudging === false || (watched.poisoned !== null && session.endedAt !== null);
    if (isUnasked) {
      this.#fold({ kind: "forgotten", at: now, agent: session.name });
      return;
    }
    const policy = this.#options.policyOf(session);
    this.#fold({
      kind: "assessed",
      agent: session.name,
      session: session.session,
      program: session.kind,
      account: this.#options.accountOf?.(session) ?? null,
      assessment,
      progress: progressOf(evidence),
      confirmMs: policy.confirmMs,
      outageMs: policy.outageMs,
      endedByHuman: endedByHuman(evidence),
      isOver: evidence.exit !== null,
      spend: watched.spend,
    });
    this.#decide(watched, policy, now);
  }

  /** Nobody looked in this span. */
  gap(from: number, to: number): void {
    this.#fold({ kind: "gap", from, to });
  }

  /** A life after another: whatever the clocks say, it has only just opened its eyes. */
  wake({ from, to }: { from: number; to: number }): void {
    this.gap(Math.min(from, to - 1), to);
  }

  /** The agent of this session had another name. */
  renamed({ session }: Watched, from: string): void {
    const to = session.name;
    this.#doing.rename(from, to);
    move(this.#watched, from, to);
    move(this.#recheckAt, from, to);
    this.#fold({ kind: "renamed", from, to });
    this.#options.onRename?.(from, to);
  }

  /** The loop knows it no longer. */
  forget({ session }: Watched): void {
    const known = this.#watched.get(session.name);
    if (known?.session.session !== session.session) return;
    this.#watched.delete(session.name);
    this.#recheckAt.delete(session.name);
    this.#fold({ kind: "forgotten", at: this.#options.now(), agent: session.name });
  }

  /** After a start: incidents of agents that are not known any more have nobody to end them. */
  keepOnly(agents: ReadonlySet<string>): void {
    const at = this.#options.now();
    const gone = this.book.incidents.filter((incident) => isOpen(incident) && !agents.has(incident.agent));
    for (const { agent } of gone) this.#fold({ kind: "forgotten", at, agent });
  }

  /** Permission came: what only waited for it is decided anew. */
  reconsider(now: number): void {
    for (const incident of this.book.incidents.filter((one) => isOpen(one) && one.escalated?.would)) {
      const watched = this.#watched.get(incident.agent);
      if (!watched || !this.#options.isAllowed(watched.session, incident.trouble)) continue;
      this.#fold({ kind: "reconsidered", incident: incident.id });
      this.#decide(watched, this.#options.policyOf(watched.session), now);
    }
  }

  tick(now: number): void {
    this.#sleepers.tick(now);
    this.#doing.tick(now);
    for (const [agent, at] of this.#recheckAt) {
      const watched = this.#watched.get(agent);
      if (at <= now && watched) this.#decide(watched, this.#options.policyOf(watched.session), now);
    }
    const isMoving = this.problem !== null || this.book.incidents.some(isOpen);
    if (isMoving && now - this.#savedAt >= SAVE_EVERY_MS) this.#save(now);
  }

  /** A person's word about an incident. Throws when it could not be stored. */
  take(input: Extract<IncidentInput, { kind: "acked" | "silenced" | "unsilenced" | "feedback" }>): void {
    takeIncidents(this.book, input);
    this.#options.store.save(this.book);
  }

  /** What was last decided about an incident, and why. */
  decisionOn(incident: string): Decision | null {
    return this.#decisions.get(incident) ?? null;
  }

  /** What would be decided at this moment; nothing is done. */
  decisionFor(incident: Incident, watched: Watched): Decision {
    return decide(this.#situationNow(incident, watched));
  }

  #situationNow(incident: Incident, watched: Watched): Situation {
    return this.#situation(incident, watched, this.#options.policyOf(watched.session), this.#options.now());
  }

  /** The agent as it was last judged. */
  watchedOf(agent: string): Watched | null {
    return this.#watched.get(agent) ?? null;
  }

  isAllowed(session: AgentSession, trouble: Trouble): boolean {
    return this.#options.isAllowed(session, trouble);
  }

  policyOf(session: AgentSession): Policy {
    return this.#options.policyOf(session);
  }

  /** The agent's open incident about what is wrong with it now, else its latest; nobody recovers from a budget. */
  openIncident({ session, assessment }: Watched): Incident | null {
    const open = this.book.incidents.filter(
      (one) => one.agent === session.name && isOpen(one) && one.trouble !== "over_budget",
    );
    return open.find(({ trouble }) => trouble === troubleOf(assessment)) ?? open.at(-1) ?? null;
  }

  /**
   * A person asks for it now: the ladder from where it stands, or kill and respawn, up to the first step that has to be
   * waited for. Null while something is being done to the agent.
   */
  async recover(watched: Watched, how: "ladder" | "restart", isDry: boolean): Promise<Recovery | null> {
    const { name } = watched.session;
    if (this.#isTaken(name)) return null;
    this.#inHand.add(watched);
    try {
      const incident = this.openIncident(watched);
      if (incident && !isDry) this.#fold({ kind: "reconsidered", incident: incident.id });
      return await recovery(watched, incident, isDry, {
        decide: (about) => decide(byHand(this.#situationNow(about, watched), how)),
        act: (action) => this.#doing.act(action, watched.session, this.#options.now()),
        sleepUntil: (at) => this.#sleepers.until(at),
      });
    } finally {
      this.#inHand.delete(watched);
    }
  }

  /** Something is being done to it, by rouse or by a person's order. */
  #isTaken(agent: string): boolean {
    return this.#doing.isBusy(agent) || [...this.#inHand].some(({ session }) => session.name === agent);
  }

  #situation(incident: Incident, watched: Watched, policy: Policy, now: number): Situation {
    const { book } = this;
    const deeds = book.deeds.filter((deed) => deed.incident === incident.id);
    return {
      policy,
      assessment: watched.assessment,
      incident,
      history: book.deeds,
      forgone: forgoneDeeds(book),
      turn: turnOf(book, incident.outage),
      facts: this.#factsFor(incident, watched, guardFrom(incident, deeds), now),
      asleep: book.asleep,
      now,
    };
  }

  close(): void {
    this.#save(this.#options.now());
  }

  #decide(watched: Watched, policy: Policy, now: number): void {
    const agent = watched.session.name;
    this.#recheckAt.delete(agent);
    if (watched.poisoned !== null) return;
    for (const incident of this.book.incidents.filter((one) => one.agent === agent && isOpen(one))) {
      if (this.#isTaken(agent)) return;
      const decision = decide(this.#situation(incident, watched, policy, now));
      this.#decisions.set(incident.id, decision);
      if (!decision.action) this.#recheck(agent, decision.recheckAt);
      else if (decision.action.do === "escalate")
        this.#fold({
          kind: "escalated",
          at: now,
          incident: incident.id,
          reason: decision.reason,
          would: decision.would?.do ?? null,
          ...(decision.beyond ? { beyond: true } : {}),
        });
      else void this.#doing.act(decision.action, watched.session, now);
    }
  }

  #recheck(agent: string, at: number | null): void {
    if (at !== null) this.#recheckAt.set(agent, Math.min(at, this.#recheckAt.get(agent) ?? at));
  }

  #factsFor(incident: Incident, watched: Watched, since: number, now: number): Facts {
    const { hands, isAllowed, isWell } = this.#options;
    const { session, evidence } = watched;
    return {
      ...factsOf(evidence, since, now, watched.settings),
      wokeAt: this.#wokeAt(watched),
      origin: session.origin,
      allowed: isAllowed(session, incident.trouble),
      can: hands.can(session),
      gone: evidence.exit !== null || session.endedAt !== null,
      observerHealthy: isWell() && this.problem === null && evidence.blind === null && watched.dark === null,
      silencedUntil: silencedUntil(this.book, incident, now),
      heldUntil: heldUntil(this.book, incident.agent),
    };
  }

  /** When rouse last opened its eyes; a transcript that was there before it was read is no sleep. */
  #wokeAt({ sightedAt }: Watched): number | null {
    const woke = this.book.asleep.at(-1)?.to ?? null;
    return woke === null || sightedAt === null ? (woke ?? sightedAt) : Math.max(woke, sightedAt);
  }

  #fold(input: IncidentInput): void {
    const changes = takeIncidents(this.book, input);
    const isKept = input.kind === "intended" || input.kind === "done" || input.kind === "renamed";
    if (changes.length === 0 && !isKept) return;
    this.#save(this.#options.now());
    const line = deedText(input, this.book);
    if (line !== null) this.#options.log?.(line);
    this.#options.onChange?.(changes, this.book);
  }

  #save(now: number): void {
    this.#savedAt = now;
    try {
      this.#options.store.save(this.book);
      this.problem = null;
    } catch (error) {
      this.problem = (error as Error).message;
    }
    const known = new Set(this.book.incidents.map(({ id }) => id));
    for (const id of this.#decisions.keys()) if (!known.has(id)) this.#decisions.delete(id);
  }
}

function move<Value>(map: Map<string, Value>, from: string, to: string): void {
  const value = map.get(from);
  map.delete(from);
  if (value !== undefined) map.set(to, value);
}
