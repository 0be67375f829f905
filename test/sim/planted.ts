/** Bugs planted into the real parts, each as small as the mistake it represents. */

import type { ActionOutcome } from "../../src/core/action.js";
import { createIncidentState } from "../../src/core/incidents/incident.js";
import { CHECKS } from "../../src/core/policy/checks.js";
import type { Budget, Policy } from "../../src/core/policy/policy.js";
import { MINUTE } from "../../src/core/text/time.js";
import type { Effects } from "../../src/daemon/action-runner.js";
import type { IncidentStore } from "../../src/store/incident-table.js";
import type { Journal } from "../../src/store/journal.js";
import type { OutboxTable } from "../../src/store/outbox.js";
import type { Parts } from "./daemon.js";
import { REAL } from "./daemon.js";
import { type RunOptions, run } from "./run.js";

export interface Planted {
  bug: string;
  /** The rule that has to find it. */
  found: RegExp;
  options: RunOptions;
  /** The first seed to try: known to find it. */
  from?: number;
  /** The name of a check that is skipped meanwhile. */
  without?: string;
}

const parts = (some: Partial<Parts>): RunOptions => ({ parts: some });
/** The same object with some methods replaced. */
const changed = <T extends object>(thing: T, otherwise: Partial<T>): T =>
  new Proxy(thing, {
    get: (target, name) => Reflect.get(name in otherwise ? otherwise : target, name) as unknown,
  });
const withIncidentState = (change: (incidentState: IncidentStore) => Partial<IncidentStore>): RunOptions =>
  parts({
    journal: (journal) =>
      changed(journal, { incidentState: { ...journal.incidentState, ...change(journal.incidentState) } }),
  });
const withOutbox = (change: (outbox: OutboxTable) => Partial<OutboxTable>): RunOptions =>
  parts({ journal: (journal) => changed(journal, { outbox: changed(journal.outbox, change(journal.outbox)) }) });
const withEffects = (carryOut: (effects: Effects) => Effects["carryOut"]): RunOptions =>
  parts({ effects: (effects) => ({ can: (session) => effects.can(session), carryOut: carryOut(effects) }) });

const ENDLESS: Budget = { times: 1e9, periodMs: 1 };

function boundless(policy: Policy): Policy {
  const plans = Object.entries(policy.plans).map(([problem, steps]) => [
    problem,
    steps.map((step) => ({ ...step, limit: 1e9, waitMs: 15_000 })),
  ]);
  return {
    ...policy,
    limits: { ...policy.limits, backoffMaxMs: 1 },
    budgets: { incident: 1e9, agent: ENDLESS, node: ENDLESS, agentRestarts: ENDLESS, nodeRestarts: ENDLESS },
    plans: Object.fromEntries(plans),
  };
}

export const PLANTED: readonly Planted[] = [
  { bug: "budgets that are not counted", found: /R16 budgets hold/, options: parts({ policy: boundless }), from: 3 },
  {
    bug: "an action whose intent is not stored",
    found: /intent is stored before/,
    options: withIncidentState((incidentState) => ({
      save: (what) => incidentState.save({ ...what, actions: what.actions.filter(({ outcome }) => outcome !== null) }),
    })),
  },
  {
    bug: "a store that silently loses a save",
    found: /intent is stored before/,
    options: withIncidentState((incidentState) => {
      let saves = 0;
      return {
        save: (what) => {
          if (++saves % 3 !== 0) incidentState.save(what);
        },
      };
    }),
  },
  {
    bug: "a lost answer that counts as a refusal",
    found: /an unknown outcome is never repeated/,
    options: {
      ...withEffects((effects) => (action, session) => {
        const refused: ActionOutcome = {
          intent: action.id,
          at: 0,
          result: "refused",
          reason: "no answer",
          proven: null,
        };
        return effects.carryOut(action, session).catch(() => refused);
      }),
      mix: (mix) => ({ ...mix, calls: { ...mix.calls, effect: 0.6 } }),
    },
  },
  {
    bug: "an incident state that is lost at a restart",
    found: /R6 no incident is lost/,
    options: withIncidentState(() => ({ load: createIncidentState })),
    from: 2,
  },
  {
    bug: "actions that are lost at a restart",
    found: /R6 no action is lost|carried out once/,
    options: withIncidentState((incidentState) => ({ load: () => ({ ...incidentState.load(), actions: [] }) })),
  },
  {
    bug: "alerts that are not stored together with their incident",
    found: /every lasting problem has an alert/,
    options: withOutbox((outbox) => ({ put: (owed) => outbox.put(owed.slice(1)) })),
  },
  {
    bug: "a sent alert that is not marked",
    found: /sent twice only if/,
    options: withOutbox((outbox) => ({
      settle: (delivery, to) =>
        outbox.settle(
          delivery,
          to.state === "sent" && to.attempts < 3 ? { ...to, state: "pending", dueAt: to.changedAt + MINUTE } : to,
        ),
    })),
  },
  {
    bug: "an alert that is marked before it is sent",
    found: /marked as sent has arrived/,
    options: withOutbox((outbox) => ({
      settle: (delivery, to) => outbox.settle(delivery, to.state === "pending" ? { ...to, state: "sent" } : to),
    })),
  },
  {
    bug: "signals that are judged and not stored",
    found: /the known state is the fold of the log/,
    options: parts({
      journal: (journal) => {
        const append: Journal["append"] = async (session, from, signals, at) => {
          const kept = from === null ? signals.filter(({ kind }) => kind !== "tool_end") : signals;
          const { acked, lost } = await journal.append(session, from, kept, at);
          return { acked, lost, fresh: signals.map((signal) => ({ seq: null, signal })) };
        };
        return changed(journal, { append });
      },
    }),
  },
  {
    bug: "effects that act twice",
    found: /carried out once|no action is repeated/,
    options: withEffects((effects) => async (action, session) => {
      const first = await effects.carryOut(action, session);
      return first.result === "done" ? effects.carryOut(action, session) : first;
    }),
  },
  {
    bug: "effects that do not check before they act",
    found: /S4 no key goes into a dialog|no second session|on a working agent/,
    options: { careless: true, mix: (mix) => ({ ...mix, link: { ...mix.link, late: 0.1 } }) },
    from: 2,
  },
  {
    bug: "a suspicion that is acted on at once",
    found: /R14 unobserved time confirms nothing/,
    options: parts({ policy: (policy) => ({ ...policy, confirmMs: 0 }) }),
  },
  {
    bug: "a limit without its margin and its reset",
    found: /wait is not cut short/,
    options: parts({ policy: (policy) => ({ ...policy, limits: { ...policy.limits, marginMs: -600_000 } }) }),
  },
  {
    bug: "a missing check for user input and dialogs",
    found: /a user types|into a dialog/,
    options: {},
    without: "checkNoUserTyping",
    from: 7,
  },
  {
    bug: "a missing check of the observer",
    found: /R14 no action right after|blind/,
    options: { mix: manyCrashes },
    without: "observerIsWell",
  },
  { bug: "missing outage slots", found: /R17/, options: { mix: outages }, without: "isItsTurn" },
  {
    bug: "a missing check for two kinds of evidence",
    found: /two kinds of evidence/,
    options: {},
    without: "checkEvidence",
    from: 4,
  },
  {
    bug: "a missing check for permission",
    found: /without permission/,
    options: {},
    without: "checkPermission",
    from: 2,
  },
];

function manyCrashes(mix: Parameters<NonNullable<RunOptions["mix"]>>[0]): typeof mix {
  return { ...mix, blows: { ...mix.blows, crash: 30, suspend: 10 } };
}

function outages(mix: Parameters<NonNullable<RunOptions["mix"]>>[0]): typeof mix {
  return { ...mix, blows: { ...mix.blows, outage: 8 } };
}

/** The seed that finds it, with the finding; null if none of the first seeds does. */
export async function findBug(
  { found, options, without, from = 1 }: Planted,
  seeds: number,
): Promise<{ seed: number; violation: string } | null> {
  const checks = CHECKS as (typeof CHECKS)[number][];
  const place = without === undefined ? -1 : checks.findIndex(({ name }) => name === without);
  if (without !== undefined && place < 0) throw new Error(`there is no check ${without}`);
  const removed = place < 0 ? [] : checks.splice(place, 1);
  try {
    for (let seed = from; seed < from + seeds; seed++) {
      const { violations } = await run(seed, {
        hours: 10,
        calmHours: 1,
        ...options,
        parts: { ...REAL, ...options.parts },
      });
      const violation = violations.find((text) => found.test(text));
      if (violation) return { seed, violation };
    }
    return null;
  } finally {
    if (place >= 0) checks.splice(place, 0, ...removed);
  }
}
