/** Saves incidents together with the messages and alerts about their changes, in one transaction. */

import { ACTIONS, type ActionOutcome } from "../core/action.js";
import type { Effect } from "../core/effects.js";
import type { NodeState } from "../core/node-state.js";
import type { DueMessage } from "../core/notices/contents.js";
import { membersIn } from "../core/notices/plan.js";
import { ROUSE } from "../core/reserved.js";
import { rouse } from "../store/audit-table.js";
import type { Journal } from "../store/journal.js";
import type { NewMessage } from "../store/messages.js";
import type { PlannedNotice } from "../store/outbox.js";
import type { AlertOutbox } from "./alert-outbox.js";

/** Interval for removing notices about unknown agents and incidents. */
const PRUNE_EVERY_MS = 3_600_000;

type RunEffect = Extract<Effect, { kind: "run" }>;

const alertsIn = (effects: readonly Effect[]): PlannedNotice[] =>
  effects.flatMap((effect) => (effect.kind === "alert" ? effect : []));

/** It types, ends or starts something; all other actions only report. */
const isAudited = ({ action }: RunEffect): boolean => ACTIONS[action.do].controls || action.do === "run";

export class NoticeStore {
  readonly #journal: Journal;
  readonly #alerts: AlertOutbox;
  readonly #receiver: string;
  #prunedAt: number;
  /** Lines of the audit trail of actions that run, by action. */
  readonly #lines = new Map<string, number>();

  constructor(journal: Journal, alerts: AlertOutbox, receiver: string, now: number) {
    this.#journal = journal;
    this.#alerts = alerts;
    this.#receiver = receiver;
    this.#prunedAt = now;
  }

  /** Returns why nothing was saved; null on success. Alerts are then sent from memory. */
  save(
    { incidents, rules }: Pick<NodeState, "incidents" | "rules">,
    effects: readonly Effect[],
    now: number,
  ): string | null {
    const { incidentState, messages, audit } = this.#journal;
    const runs = effects.filter((effect) => effect.kind === "run" && isAudited(effect));
    const isNotice = runs.length > 0 || effects.some(({ kind }) => kind === "message" || kind === "alert");
    const isSave = effects.some(({ kind }) => kind === "save");
    if (!isNotice && !isSave) return null;
    try {
      const put = (): void => {
        this.#put(effects);
        for (const effect of runs) if (effect.kind === "run") this.#putAction(effect, rules, now);
      };
      if (isSave) incidentState.save(incidents, isNotice ? put : null);
      else messages.inOne(put);
      if (runs.length > 0) audit.keepHead();
      return null;
    } catch (error) {
      this.#alerts.keep(alertsIn(effects));
      return (error as Error).message;
    }
  }

  /** Stores what could not be stored before, and removes what is not needed any more. */
  tick(state: NodeState, now: number): void {
    this.#alerts.store();
    this.#prune(state, now);
  }

  /** The sessions, the incidents, and which notices about them were sent: independent of each other. */
  storeAgain({ sessions, incidents, notices }: NodeState, at: number): void {
    const sent = [...notices.sent].flatMap(([subject, edges]) => [...edges].map((edge) => ({ subject, edge, at })));
    const storeSessions = (): void => {
      for (const { session } of sessions.values()) this.#journal.putSession(session);
    };
    const storeIncidents = (): void =>
      this.#journal.incidentState.save(incidents, () => this.#journal.messages.put([], sent));
    for (const store of [storeSessions, storeIncidents])
      try {
        store();
      } catch {
        // The journal reports it.
      }
  }

  /** Of an action that this daemon started. */
  finish({ intent, at, result, reason }: ActionOutcome): void {
    const line = this.#lines.get(intent);
    this.#lines.delete(intent);
    if (line !== undefined) this.#journal.audit.outcome(line, { at, result, reason });
  }

  /** Inside the transaction, so the action is not started unless its line is stored. */
  #putAction({ action, session, reason }: RunEffect, { policyOf }: NodeState["rules"], now: number): void {
    const text = `${action.problem}: ${reason}`;
    const author = `rouse (policy ${policyOf(session).name})`;
    const { id: key, do: name } = action;
    const line = this.#journal.audit.put({
      ...rouse(now),
      author,
      action: name,
      agent: session.name,
      session: session.id,
      text,
      key,
    });
    this.#lines.set(key, line);
  }

  /** Inside the transaction. */
  #put(effects: readonly Effect[]): void {
    const due = effects.flatMap((effect) => (effect.kind === "message" ? effect.message : []));
    this.#journal.messages.put(
      due.filter(({ isKnown }) => !isKnown).map((one) => this.#newMessage(one)),
      due,
    );
    this.#journal.outbox.put(alertsIn(effects));
  }

  #newMessage({ key, type, at, payload }: DueMessage): NewMessage {
    return { receiver: this.#receiver, key, type, sender: ROUSE, at, payload };
  }

  /** A failure is tried again later; the journal itself reports it. */
  #prune({ notices, incidents, latest }: NodeState, now: number): void {
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    const { messages, outbox } = this.#journal;
    const known = new Set([
      ...incidents.incidents.map(({ id }) => id),
      ...[...latest.values()].map(({ session }) => session.id),
    ]);
    const gone = [...notices.sent.keys()].filter((subject) => !known.has(subject.slice(0, subject.lastIndexOf("."))));
    try {
      messages.forget(gone);
      for (const subject of gone) notices.sent.delete(subject);
      const members = membersIn(incidents);
      const live = [...notices.alerts.values()].filter((state) => members(state).length > 0);
      outbox.prune(new Set(live.map(({ subject }) => subject)), now);
      const kept = new Set(this.#alerts.states().map(({ subject }) => subject));
      for (const subject of notices.alerts.keys()) if (!kept.has(subject)) notices.alerts.delete(subject);
    } catch {
      // Tried again after the next period.
    }
  }
}
