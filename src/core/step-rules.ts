/** Rules under which rouse judges and records incidents, acts on nothing and sends nothing. Others are built from these. */

import type { StepRules } from "./node-state.js";
import type { AlertRules } from "./notices/alert.js";
import type { NotifyRules } from "./notices/contents.js";
import { POLICIES } from "./policy/builtin.js";

const DAY_MS = 24 * 3_600_000;

const NO_MESSAGES: NotifyRules = {
  patienceMs: () => POLICIES.default.patienceMs,
  can: () => [],
  isWorker: () => false,
  isNotified: () => false,
  isReceiver: () => false,
};

const NO_ALERTS: AlertRules = {
  routes: [],
  fallback: null,
  quiet: null,
  reminder: { everyMs: 0, max: 0 },
  groupWaitMs: 0,
  groupOver: 1,
  patienceMs: () => POLICIES.default.patienceMs,
  tagsOf: () => [],
};

export const OBSERVE_ONLY: StepRules = {
  settingsFor: () => ({}),
  policyOf: () => POLICIES.default,
  isAllowed: () => false,
  can: () => [],
  accountOf: () => null,
  isObserverHealthy: () => true,
  periodAt: (now, startHour) => {
    const from = Math.floor((now - startHour * 3_600_000) / DAY_MS) * DAY_MS + startHour * 3_600_000;
    return { from, to: from + DAY_MS };
  },
  messages: NO_MESSAGES,
  alerts: NO_ALERTS,
  clock: (at) => new Date(at).toISOString().slice(11, 16),
};
