/**
 * The receivers of notices: the inbox of an orchestrator, and two alert channels that fail like real ones. The
 * planning, the outbox and the alert sender are real; the receivers are not.
 */
import type { Channel, DeliveryResult } from "../../src/channels/channel.js";
import { refusedDelivery, retryDelivery, SENT } from "../../src/channels/channel.js";
import type { StepRules } from "../../src/core/node-state.js";
import type { AlertRules, Notice } from "../../src/core/notices/alert.js";
import { isStillWanted } from "../../src/core/notices/wanted.js";
import { HOUR, MINUTE, SECOND } from "../../src/core/text/time.js";
import type { AlertOutbox } from "../../src/daemon/alert-outbox.js";
import { AlertSender } from "../../src/daemon/alert-sender.js";
import type { Loop } from "../../src/daemon/loop.js";
import { workerRules } from "../../src/daemon/notify-setup.js";
import { ROUTE, RULES } from "../support/notifier.js";
import { START } from "../support/steps.js";
import type { CallFaults } from "./faults.js";

/** What receivers need from the world. */
export interface Post {
  readonly faults: CallFaults;
  isDown(): boolean;
  /** True time passes first; a message under way arrives even if the daemon changes meanwhile. */
  later(ms: number, act: () => void): void;
  /** The alert reached a user. */
  arrived(channel: string, notice: Notice): void;
  /** The channel answered while the daemon runs; null if the answer is lost. */
  answered(channel: string, notice: Notice, sent: DeliveryResult | null): void;
}

/** A phone that is silent for some hours except for critical alerts, and a room that gets every alert. */
const ALERTS: AlertRules = {
  ...RULES,
  routes: [
    { ...ROUTE, channel: "room", honoursQuiet: false },
    { ...ROUTE, channel: "phone" },
  ],
  quiet: {
    from: 60,
    to: 240,
    passes: "critical",
    minuteOfDay: (at) => Math.floor((((at - START) / MINUTE) % 1440) + 1440) % 1440,
  },
  reminder: { everyMs: 30 * MINUTE, max: 2 },
};

/** Plans the due notices and their texts. */
export const noticeRules = (
  patienceMs: (agent: string) => number,
): Pick<StepRules, "messages" | "alerts" | "clock"> => ({
  alerts: { ...ALERTS, patienceMs },
  clock: (at) => new Date(at).toISOString().slice(11, 16),
  messages: {
    patienceMs,
    can: () => [],
    ...workerRules({
      tagsFor: () => ["worker"],
      matches: () => false,
      isOnly: false,
      orchestratorTag: "orchestrator",
    }),
  },
});

export interface CourierParts {
  loop: () => Loop;
  alerts: AlertOutbox;
  post: Post;
  /** This run has ended: none of its messages arrive any more. */
  isDead: () => boolean;
  die: () => void;
}

export function simCourier({ loop, alerts, post, isDead, die }: CourierParts): AlertSender {
  const now = (): number => loop().now();
  return new AlertSender({
    outbox: alerts,
    channels: ALERTS.routes.map(({ channel }) => channelTo(channel, post, isDead, die)),
    now,
    isWanted: ({ notice }) => isStillWanted(notice, loop().incidents, loop().state.notices.alerts, now()),
    retryMs: 5 * SECOND,
    giveUpMs: 24 * HOUR,
  });
}

function channelTo(name: string, post: Post, isDead: () => boolean, die: () => void): Channel {
  const never = (): Promise<DeliveryResult> => new Promise(() => {});
  const dies = (): Promise<DeliveryResult> => {
    die();
    return never();
  };
  const send = (notice: Notice): Promise<DeliveryResult> => {
    if (isDead()) return never();
    const fault = post.isDown() ? "fail_before" : post.faults.at("channel");
    const says = (sent: DeliveryResult, isHeard = true): Promise<DeliveryResult> => {
      post.answered(name, notice, isHeard ? sent : null);
      return Promise.resolve(sent);
    };
    if (fault === "crash_before") return dies();
    if (fault === "fail_before") return says(retryDelivery("it is out of order (503)"));
    if (fault === "refused") return says(refusedDelivery("it rejected the alert (400)"));
    if (fault === "done_late")
      return new Promise((resolve) => {
        post.later(12 * SECOND, () => {
          post.arrived(name, notice);
          if (!isDead()) void says(SENT).then(resolve);
        });
      });
    post.arrived(name, notice);
    if (fault === "crash_after") return dies();
    return fault === "fail_after" ? says(retryDelivery("the connection broke"), false) : says(SENT);
  };
  return { name, type: "test", to: name, paceMs: 0, send };
}
