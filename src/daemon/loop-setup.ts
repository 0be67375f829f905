/** Builds the loop of the daemon: the rules for its decisions, and the runner of its effects. */
import { join } from "node:path";
import { Cron } from "croner";
import { configuredAccount } from "../config/accounts.js";
import { loadAgents } from "../config/agents.js";
import { issueText } from "../config/issue.js";
import type { Config } from "../config/keys.js";
import type { RousePaths } from "../config/paths.js";
import { type LoadedPolicies, PolicyFiles, policyFor } from "../config/policies.js";
import type { Action } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { createNodeState, type StepRules } from "../core/node-state.js";
import type { Policy } from "../core/policy/policy.js";
import { canDo, carryOut, type EffectContext, typeMessage } from "../effects/index.js";
import { Environments } from "../effects/start/environments.js";
import type { Journal } from "../store/journal.js";
import { giveName, readGivenNames } from "../terminal/given-names.js";
import { startHost } from "../terminal/start-host.js";
import type { WorkSignal } from "../work/claim-keeper.js";
import type { NodeHub } from "../work/node-hub.js";
import { nudgeLine } from "../work/prompts/resume.js";
import { effectsIn } from "../work/session-effects.js";
import { TaskEffects } from "../work/task-effects.js";
import { TaskStarter } from "../work/task-starter.js";
import type { AgentSettings } from "./agent-settings.js";
import { AlertOutbox } from "./alert-outbox.js";
import { auditedEffect } from "./audited-effect.js";
import { budgetPeriodAt } from "./budget-period.js";
import { type EffectSources, effectContextOf } from "./effect-context.js";
import { Loop } from "./loop.js";
import { type ChannelSetup, localTime, messageRules, openChannels } from "./notify-setup.js";
import { Permission } from "./permission.js";
import { UserRecovery } from "./recovery.js";
import type { DaemonClock } from "./self/clock.js";
import { logLine } from "./views/log-line.js";

/** The policy of an agent that was started without one and that no policy names. */
const USUAL = "default";
/** A loop with a longer delay does not keep up. */
const LAG_MS = 5000;

export interface LoopSetup extends ChannelSetup {
  loop: Loop;
  alerts: AlertOutbox;
  /** A session with the name that a user gave it. */
  named: (session: AgentSession) => AgentSession;
  /** Gives a running session another name, for the rest of its life. */
  rename: (session: AgentSession, name: string) => void;
  permission: Permission;
  recovery: UserRecovery;
  /** Starts configured agents for tasks. */
  taskStarter: TaskStarter;
  policyOf: (session: AgentSession) => Policy;
  /** Policies that an agent may be started with in this folder. */
  policyNames: (workspace: string) => string[];
  /** The daemon as effects see it. */
  effectContext: EffectContext;
  /** Ids of sessions that a timer wakes; the API keeps it. */
  woken: Set<string>;
  notes: string[];
}

export interface LoopSetupOptions {
  paths: RousePaths;
  config: Config;
  /** The user configured which agents are workers: messages are about these only. */
  isOnlyWorkers: boolean;
  /** The script of the process that holds a spawned agent's terminal. */
  hostScript: string;
  /** Tasks, claims and checkpoints. */
  hub: NodeHub;
  release: string;
  profileOf: EffectContext["profileOf"];
  tuning: AgentSettings;
  sensors: EffectSources & { accountOf: (session: string) => string | null };
  log: (line: string) => void;
}

export function setUpLoop(journal: Journal, clock: DaemonClock, options: LoopSetupOptions): LoopSetup {
  const { paths, config, isOnlyWorkers, profileOf, tuning, sensors, log } = options;
  const files = new PolicyFiles();
  // A project that lowers the hours gets earlier categories and no earlier prompts.
  const { auto_resume_hours } = config.check;
  const policiesOf = (workspace: Pick<AgentSession, "workspace">): LoadedPolicies =>
    files.under({ ...tuning.configOf(workspace).health, auto_resume_hours });
  const { issues } = files.under({ ...config.health, auto_resume_hours });
  const permission = new Permission(join(paths.state, "allow.json"));
  const policyOf = (session: AgentSession): Policy => {
    return policyFor(policiesOf(session).policies, session, USUAL);
  };
  const policyNames = (workspace: string): string[] => [...policiesOf({ workspace }).policies.keys()];
  const can: StepRules["can"] = (session) => [...canDo(session, profileOf), ...taskEffects.can(session)];
  const patienceMs = (agent: string): number => {
    const judge = loop.find(agent);
    return judge ? policyOf(judge.session).patienceMs : 0;
  };
  const tagsOf = (agent: string): readonly string[] => loop.find(agent)?.session.tags ?? [];
  const alerts = new AlertOutbox(journal.outbox);
  const channels = openChannels(config, alerts, () => loop, options.hub);
  const woken = new Set<string>();
  const scheduleNotes: string[] = [];
  const rules: StepRules = {
    settingsFor: tuning.settingsFor,
    policyOf,
    isAllowed: (session, problem) => permission.isAllowed(session, problem, loop.now()),
    can,
    accountOf: (session) => configuredAccount(config.accounts, session) ?? sensors.accountOf(session.id),
    isObserverHealthy: () => journal.isWriting && loop.tickedAt !== null && loop.now() - loop.tickedAt < LAG_MS,
    periodAt: budgetPeriodAt,
    ...scheduleOf(config.work.check_schedule, scheduleNotes),
    messages: messageRules(config, tuning.configOf, { isOnlyWorkers, patienceMs, can, woken }),
    // The same object: it changes with the user's channels.
    alerts: Object.assign(channels.rules, { patienceMs, tagsOf }),
    clock: localTime,
  };
  // The environment of an agent can only be read while it lives, so it is read at registration.
  const environments = new Environments(paths, process.env);
  const starting = { environments, hostScript: options.hostScript };
  const nudgeText = (action: Action) => nudgeLine(action, paths.config);
  const effectContext: EffectContext = {
    ...effectContextOf(() => loop, sensors, paths),
    starting,
    profileOf,
    nudgeText,
  };
  const agents = () => loadAgents(paths.config).agents;
  const signal = signalTo(
    () => loop,
    (ms) => effectContext.sleep(ms),
  );
  const taskStarter = new TaskStarter({
    hub: options.hub,
    paths,
    agents,
    startHost: (order, env) => startHost(order, { script: options.hostScript, paths, env }),
    type: (session, text) =>
      auditedEffect(
        journal.audit,
        () => loop.now(),
        { action: "type", session, text },
        () => typeMessage(text, session, effectContext, { waitMs: READY_MS }),
      ),
    signal,
    minutes: (workspace) => {
      const stall = tuning.configOf({ workspace }).checkpoints.checkpoint_stall_minutes;
      return { checkpoint: Math.max(1, Math.floor(stall / 2)), stall };
    },
    now: () => loop.now(),
    env: process.env,
  });
  const taskEffects = new TaskEffects({
    hub: options.hub,
    starter: taskStarter,
    sessions: { find: (nameOrId) => loop.find(nameOrId) },
    agents,
    continueWith: config.work.continue_with,
    context: effectContext,
    signal,
    effectsOf: (session) => effectsIn(journal, session),
  });
  const notices = {
    sent: journal.messages.sentEdges(),
    alerts: new Map(journal.outbox.states().map((state) => [state.subject, state])),
  };
  let names = readGivenNames(paths);
  const named = (session: AgentSession): AgentSession => {
    const name = names.get(session.id) ?? session.name;
    return name === session.name ? session : { ...session, name };
  };
  const loop: Loop = new Loop({
    journal,
    clock,
    state: createNodeState(rules, journal.incidentState.load(), notices),
    carryOut: async (action, session) => {
      const work = taskEffects.carryOut(action, session);
      if (work === null) return carryOut(action, session, effectContext);
      return { intent: action.id, at: loop.now(), ...(await work) };
    },
    alerts,
    send: channels.send,
    receiver: config.watchdog.orchestrator_tag,
    release: options.release,
    named,
    onRegister: (session) => environments.remember(session),
  });
  loop.subscribe((event) => {
    if (event.kind === "incidents") {
      const line = logLine(event.event, loop.incidents);
      if (line !== null) log(line);
    }
    if (event.kind !== "renamed") return;
    permission.rename(event.from, event.to);
    tuning.learn(loop.incidents.feedback);
  });
  const notes = [
    ...issues.map(issueText),
    ...loadAgents(paths.config).issues.map(issueText),
    ...scheduleNotes,
    ...channels.channelNotes,
  ];
  if (permission.loadError !== null) notes.push(permission.loadError);
  return {
    ...channels,
    loop,
    alerts,
    named,
    rename: (session, name) => {
      names = giveName(paths, session.id, name);
      loop.register(session);
    },
    permission,
    recovery: new UserRecovery(loop),
    taskStarter,
    policyOf,
    policyNames,
    effectContext,
    woken,
    notes,
  };
}

/** How long a new agent may take to be ready for its prompt. */
const READY_MS = 60_000;
/** The host registers with the daemon a moment after the agent runs. */
const REGISTER_MS = 5000;
const STEP_MS = 50;

const signalTo =
  (loop: () => Loop, sleep: (ms: number) => Promise<void>) =>
  async (session: string, body: WorkSignal): Promise<void> => {
    for (let waited = 0; waited < REGISTER_MS && !loop().find(session); waited += STEP_MS) await sleep(STEP_MS);
    const found = loop().find(session);
    if (found) await loop().ingest(session, null, [{ ...body, at: loop().now(), source: "report" }]);
  };

function scheduleOf(pattern: string, notes: string[]): Pick<StepRules, "nextScheduledCheck"> {
  if (pattern === "") return {};
  try {
    const cron = new Cron(pattern, { paused: true });
    return { nextScheduledCheck: (after) => cron.nextRun(new Date(after))?.getTime() ?? null };
  } catch (error) {
    notes.push(
      `work.check_schedule: ${(error as Error).message}; missing checkpoints are acted on as soon as they are confirmed`,
    );
    return {};
  }
}
