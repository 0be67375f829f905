/** Which agents messages are about, and the channels that alerts go to. */

import type { Channel } from "../channels/channel.js";
import { makeChannel } from "../channels/index.js";
import type { ChannelSettings, LoadedChannels } from "../config/channels.js";
import { issueText } from "../config/issue.js";
import type { Config } from "../config/keys.js";
import type { AgentSession } from "../core/agent.js";
import type { AlertRules } from "../core/notices/alert.js";
import type { NotifyRules } from "../core/notices/contents.js";
import { isStillWanted } from "../core/notices/wanted.js";
import { compilePattern } from "../programs/shared/pattern.js";
import type { NodeHub } from "../work/node-hub.js";
import { workTotals } from "../work/overview.js";
import type { AlertOutbox } from "./alert-outbox.js";
import { alertRules, isCron } from "./alert-rules.js";
import { AlertSender } from "./alert-sender.js";
import { ALERT_TIMING } from "./alert-timing.js";
import { ChannelFile } from "./channel-file.js";
import { Digests } from "./digests.js";
import type { Loop } from "./loop.js";
import { ringTerminals } from "./ring-terminals.js";

/** An alert that cannot be sent for this long is given up; `rouse status` reports it. */
const GIVE_UP_MS = 24 * 3_600_000;

export interface ChannelSetup {
  alertSender: AlertSender;
  /** Replaced in place when the user's file changes, like the rules and the notes. */
  channels: readonly Channel[];
  rules: Omit<AlertRules, "patienceMs" | "tagsOf">;
  /** Sends what is due in the outbox, digests included; first takes over a changed file. */
  send: (now: number) => void;
  /** Problems in the configuration of channels. */
  channelNotes: string[];
}

export function openChannels(config: Config, outbox: AlertOutbox, loop: () => Loop, hub: NodeHub): ChannelSetup {
  const file = new ChannelFile();
  const first = file.read();
  const { rules, issues } = alertRules(config, first.channels);
  const make = (settings: ChannelSettings): Channel =>
    makeChannel(settings, { ring: (text) => ringTerminals(loop(), text) });
  const channels = first.channels.map(make);
  const digestChannels = digestTargets(first.channels);
  const channelNotes = [...first.issues, ...issues].map(issueText);
  const now = (): number => loop().now();
  const alertSender = new AlertSender({
    outbox,
    channels,
    now,
    isWanted: ({ notice }) => isStillWanted(notice, loop().incidents, loop().state.notices.alerts, now()),
    retryMs: ALERT_TIMING.retryMs,
    giveUpMs: GIVE_UP_MS,
  });
  const digests = isCron(config.alerts.digest)
    ? new Digests({
        pattern: config.alerts.digest,
        outbox: outbox.stored,
        channels: digestChannels,
        incidentState: () => loop().incidents,
        states: () =>
          loop()
            .sessions()
            .flatMap((one) => (one.session.endedAt === null ? [one.assessment.state] : [])),
        work: (since) => (hub.isUsed() ? hub.open().then((store) => workTotals(store, since)) : null),
        now,
      })
    : null;
  const takeOver = (loaded: LoadedChannels): void => {
    const next = alertRules(config, loaded.channels);
    Object.assign(rules, next.rules);
    replaceAll(channels, loaded.channels.map(make));
    replaceAll(digestChannels, digestTargets(loaded.channels));
    replaceAll(channelNotes, [...loaded.issues, ...next.issues].map(issueText));
    alertSender.use(channels);
  };
  const send = (at: number): void => {
    const changed = file.readIfChanged();
    if (changed !== null) takeOver(changed);
    digests?.tick(at);
    alertSender.pump();
  };
  return { alertSender, channels, rules, send, channelNotes };
}

/** Channels that ask for the digest; all of them if none does. */
function digestTargets(channels: readonly ChannelSettings[]): string[] {
  const wanted = channels.filter(({ digest }) => digest);
  return (wanted.length > 0 ? wanted : channels).map(({ name }) => name);
}

const replaceAll = <T>(list: T[], items: readonly T[]): void => void list.splice(0, list.length, ...items);

/** Rules for messages from the configuration of the user and of the folder that each agent works in. */
export function messageRules(
  config: Config,
  configOf: (session: AgentSession) => Config,
  more: Pick<NotifyRules, "patienceMs" | "can"> & { isOnlyWorkers: boolean; woken: ReadonlySet<string> },
): NotifyRules {
  const { worker_pattern, orchestrator_tag } = config.watchdog;
  const names = worker_pattern === "" ? null : compilePattern(worker_pattern);
  return {
    patienceMs: more.patienceMs,
    can: more.can,
    ...workerRules({
      tagsFor: (session) => configOf(session).watchdog.worker_tags,
      matches: (name) => names?.test(name) ?? false,
      isOnly: more.isOnlyWorkers,
      orchestratorTag: orchestrator_tag,
      woken: more.woken,
    }),
  };
}

export interface WorkerSettings {
  tagsFor: (session: AgentSession) => readonly string[];
  matches: (name: string) => boolean;
  /** The user configured which agents are workers: messages are about these only. */
  isOnly: boolean;
  orchestratorTag: string;
  /** Ids of sessions that a timer wakes: they watch others, so they are orchestrators too. */
  woken?: ReadonlySet<string>;
}

/** Workers by tag or name; an orchestrator gets no messages about itself. */
export function workerRules(settings: WorkerSettings): Pick<NotifyRules, "isWorker" | "isNotified" | "isReceiver"> {
  const { tagsFor, matches, isOnly, orchestratorTag, woken } = settings;
  const isWorker = (session: AgentSession): boolean =>
    session.tags.some((tag) => tagsFor(session).includes(tag)) || matches(session.name);
  return {
    isWorker,
    isNotified: (session) => !isOnly || isWorker(session),
    isReceiver: (session) => session.tags.includes(orchestratorTag) || woken?.has(session.id) === true,
  };
}

/** In this machine's time zone. */
export function localTime(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, "0");
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return date.toDateString() === new Date().toDateString()
    ? time
    : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
