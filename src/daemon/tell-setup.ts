/** What telling needs of the daemon: who is a worker, who is told, over which channels, and with how much patience. */
import { pattern } from "../agents/pattern.js";
import type { Channel } from "../channels/channel.js";
import { makeChannel } from "../channels/index.js";
import { loadChannels } from "../config/channels.js";
import type { Config } from "../config/keys.js";
import { problemText } from "../config/problem.js";
import type { AgentSession } from "../core/agent.js";
import type { TellRules } from "../core/message/contents.js";
import type { Policy } from "../core/policy/policy.js";
import type { Journal } from "../store/journal.js";
import { alertRules, isCron } from "./alert-rules.js";
import { Alerting } from "./alerting.js";
import { Courier } from "./courier.js";
import { Digests } from "./digests.js";
import type { Loop } from "./loop.js";
import { ringTerminals } from "./ring-terminals.js";
import { Telling, workerRules } from "./telling.js";

export interface TellSetup {
  telling: Telling;
  courier: Courier;
  channels: readonly Channel[];
  notes: string[];
}

export interface TellPlace {
  config: Config;
  /** What holds where a session works. */
  configOf: (session: AgentSession) => Config;
  /** The user said who is a worker: nobody else is told of. */
  isOnlyWorkers: boolean;
  policyOf: (session: AgentSession) => Policy;
  can: TellRules["can"];
}

export function setUpTelling(
  loop: Loop,
  journal: Journal,
  { config, configOf, isOnlyWorkers, policyOf, can }: TellPlace,
): TellSetup {
  const { worker_pattern, orchestrator_tag } = config.watchdog;
  const named = worker_pattern === "" ? null : pattern(worker_pattern);
  const { outbox } = journal;
  const now = (): number => loop.now();
  const patienceMs = (agent: string): number => {
    const watched = loop.find(agent);
    return watched ? policyOf(watched.session).patienceMs : 0;
  };
  const loaded = loadChannels();
  const configured = alertRules(config, loaded.channels);
  const notes = [...loaded.problems, ...configured.problems].map(problemText);
  const channels = loaded.channels.map((settings) =>
    makeChannel(settings, { ring: (text) => ringTerminals(loop, text) }),
  );
  const alerting = new Alerting({
    outbox,
    rules: { ...configured.rules, patienceMs, tagsOf: (agent) => loop.find(agent)?.session.tags ?? [] },
    clock: clockTime,
  });
  const courier = new Courier({
    outbox,
    channels,
    now,
    isWanted: (delivery) => alerting.isWanted(delivery, telling.book, now()),
    retryMs: config.alerts.retry_seconds * 1000,
    giveUpMs: config.alerts.give_up_hours * 3_600_000,
  });
  const wantDigest = loaded.channels.filter(({ digest }) => digest);
  const digests = isCron(config.alerts.digest)
    ? new Digests({
        pattern: config.alerts.digest,
        outbox,
        channels: (wantDigest.length > 0 ? wantDigest : loaded.channels).map(({ name }) => name),
        book: () => telling.book,
        states: () => loop.sessions().flatMap((one) => (one.session.endedAt === null ? [one.assessment.state] : [])),
        now,
      })
    : null;
  const telling: Telling = new Telling({
    messages: journal.messages,
    receiver: orchestrator_tag,
    alerting,
    pump: () => {
      digests?.tick(now());
      courier.pump();
    },
    now,
    rules: {
      patienceMs,
      can,
      ...workerRules({
        tagsFor: (session) => configOf(session).watchdog.worker_tags,
        matches: (name) => named?.test(name) ?? false,
        isOnly: isOnlyWorkers,
        orchestratorTag: orchestrator_tag,
      }),
    },
  });
  return { telling, courier, channels, notes };
}

/** In this machine's zone, as a person would say it. */
function clockTime(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, "0");
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return date.toDateString() === new Date().toDateString()
    ? time
    : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
