/**
 * The loop, the incident engine and the notifier together, connected as in the daemon, under a clock that the test
 * moves.
 */

import type { Channel, DeliveryResult } from "../../src/channels/channel.js";
import type { Action, ActionName, ActionOutcome } from "../../src/core/action.js";
import type { AlertRoute, AlertRules, Notice } from "../../src/core/notices/alert.js";
import type { NotifyRules } from "../../src/core/notices/contents.js";
import { isStillWanted } from "../../src/core/notices/wanted.js";
import { POLICIES } from "../../src/core/policy/builtin.js";
import type { Policy } from "../../src/core/policy/policy.js";
import { AlertSender } from "../../src/daemon/alert-sender.js";
import { budgetPeriodAt } from "../../src/daemon/budget-period.js";
import { workerRules } from "../../src/daemon/notify-setup.js";
import type { StoredMessage } from "../../src/store/messages.js";
import { TestLoop } from "./loops.js";

export const ROUTE: AlertRoute = {
  channel: "ops",
  severity: "warning",
  agents: null,
  tags: null,
  problems: null,
  honoursQuiet: true,
};

export const RULES: AlertRules = {
  routes: [ROUTE],
  fallback: null,
  quiet: null,
  reminder: { everyMs: 0, max: 3 },
  groupWaitMs: 10_000,
  groupOver: 5,
  patienceMs: () => 15 * 60_000,
  tagsOf: () => [],
};

export class NotifyingLoop extends TestLoop {
  policy: Policy = POLICIES.default;
  /** The permitted actions; none by default. */
  can: readonly ActionName[] = [];
  outcomeOf: (action: Action) => Partial<ActionOutcome> = () => ({});

  /** The delivered alerts, and the answer to the next one. */
  readonly arrived: Notice[] = [];
  answer: (notice: Notice) => DeliveryResult = () => ({ result: "sent" });
  rules: Partial<AlertRules> = {};
  alertSender!: AlertSender;

  constructor() {
    super();
    this.join();
  }

  /** The user configured the workers. */
  isOnlyWorkers = false;
  /** Sessions that a timer wakes. */
  readonly woken = new Set<string>();

  /** After a start or a restart. */
  join(): void {
    const rules: NotifyRules = {
      patienceMs: () => 15 * 60_000,
      can: () => ["nudge", "interrupt"],
      ...workerRules({
        tagsFor: () => ["worker"],
        matches: () => false,
        isOnly: this.isOnlyWorkers,
        orchestratorTag: "orchestrator",
        woken: this.woken,
      }),
    };
    const { loop } = this;
    Object.assign(this.stepRules, {
      messages: rules,
      alerts: { ...RULES, ...this.rules },
      can: () => this.can,
      isAllowed: () => this.can.length > 0,
      policyOf: () => this.policy,
      periodAt: budgetPeriodAt,
    });
    this.carryOut = async (action) => ({
      intent: action.id,
      at: loop.now(),
      result: "done",
      reason: "",
      proven: true,
      ...this.outcomeOf(action),
    });
    this.alertSender = new AlertSender({
      outbox: this.alerts,
      channels: [this.#channel("ops"), this.#channel("phone")],
      now: () => loop.now(),
      isWanted: ({ notice }) => isStillWanted(notice, loop.incidents, loop.state.notices.alerts, loop.now()),
      retryMs: 5000,
      giveUpMs: 24 * 3_600_000,
    });
    this.sendAlerts = () => this.alertSender.pump();
  }

  #channel(name: string): Channel {
    return {
      name,
      type: "test",
      to: name,
      paceMs: 0,
      send: (notice) => {
        const sent = this.answer(notice);
        if (sent.result === "sent") this.arrived.push(notice);
        return Promise.resolve(sent);
      },
    };
  }

  /** Runs awake time, and lets pending sends finish. */
  async wait(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.run(1);
      await new Promise(setImmediate);
    }
  }

  /** `edge title`, in order of arrival. */
  get alertTitles(): string[] {
    return this.arrived.map(({ edge, title }) => `${edge} ${title.replace("Watchdog: ", "")}`);
  }

  override close(): void {
    void this.alertSender.close();
    super.close();
  }

  /** As after a kill: only stored state is known. */
  override restart(meanwhile?: () => void): void {
    void this.alertSender.close();
    super.restart(meanwhile);
    this.join();
  }

  get messages(): StoredMessage[] {
    return this.journal.messages.read(null, 0, true);
  }

  /** `type worker`, in order. */
  get reported(): string[] {
    return this.messages.map(({ type, payload }) => `${type} ${(payload as { worker_name: string }).worker_name}`);
  }

  payload(index: number): Record<string, unknown> {
    return this.messages[index]?.payload as Record<string, unknown>;
  }
}
