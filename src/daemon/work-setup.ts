/** Tasks on this node: the hub with its sources, the checks of tasks, the claims of agents, and what sessions do for their tasks. */
import { issueText } from "../config/issue.js";
import type { Config } from "../config/keys.js";
import type { RousePaths } from "../config/paths.js";
import { loadSources } from "../config/sources.js";
import type { Signal } from "../core/signal.js";
import type { EffectContext } from "../effects/index.js";
import { partOf } from "../programs/part.js";
import { programFor } from "../programs/registry.js";
import { programFiles } from "../sensors/process/program-files.js";
import type { AuditTable } from "../store/audit-table.js";
import { TaskChecks } from "../work/checks.js";
import { ClaimKeeper } from "../work/claim-keeper.js";
import { reportFailed } from "../work/history.js";
import { holderOf, knownClaims, knowsClaim } from "../work/holder.js";
import { NodeHub } from "../work/node-hub.js";
import { Retention } from "../work/retention.js";
import { SessionWork } from "../work/session-work.js";
import { SourceSync } from "../work/sources/source-sync.js";
import type { Loop } from "./loop.js";
import type { SecurityAlerts } from "./security-alerts.js";
import { standDown } from "./stand-down.js";

export interface WorkSetupOptions {
  paths: RousePaths;
  config: Config;
  node: string;
  instance: string;
  version: string;
  now: () => number;
  log: (line: string) => void;
}

export interface WorkSetup {
  hub: NodeHub;
  checks: TaskChecks;
  notes: string[];
  /** From now on, claims, checkpoints and sources follow the loop. */
  follow: (context: WorkContext) => void;
}

export interface WorkContext {
  loop: Loop;
  effects: EffectContext;
  /** The transcript of a session. */
  transcriptOf: (session: string) => string | null;
  alerts: SecurityAlerts;
  audit: AuditTable;
}

export function setUpWork(options: WorkSetupOptions): WorkSetup {
  const { paths, config, node, instance, version, now, log } = options;
  const { sources: settings, issues } = loadSources();
  const sources = new SourceSync({ settings, state: paths.state, node, now, log });
  const hub = new NodeHub({
    url: config.hub.url,
    state: paths.state,
    node,
    sources,
    instance,
    version,
    allowNetworkFileSystem: config.journal.allow_network_file_system,
    log,
  });
  const checks = new TaskChecks(paths.state);
  const follow = (context: WorkContext): void => {
    const { loop } = context;
    const claims = claimKeeper(hub, context, { now, log });
    const retention = new Retention(hub, now);
    const work = sessionWork(hub, context, { now, log });
    void checks.recover(() => hub.open()).catch((error: Error) => log(`an interrupted check: ${error.message}`));
    loop.subscribe((event) => {
      const judge = event.kind === "signals" ? loop.state.sessions.get(event.session) : undefined;
      if (event.kind === "signals" && judge) void work.take(judge.session, event.signals);
      if (event.kind !== "tick") return;
      void claims.tick();
      void retention.tick();
      void sources.tick(() => hub.open());
    });
  };
  return { hub, checks, notes: issues.map(issueText), follow };
}

type Common = Pick<WorkSetupOptions, "now" | "log">;

const ingest = async (loop: Loop, session: string, signal: Signal): Promise<void> => {
  await loop.ingest(session, null, [signal]);
};

function claimKeeper(hub: NodeHub, { loop, effects, alerts, audit }: WorkContext, common: Common): ClaimKeeper {
  return new ClaimKeeper({
    ...common,
    hub,
    holderOf: (claim) => holderOf(loop, claim),
    isKnown: (session, task) => knowsClaim(loop, session, task),
    known: () => knownClaims(loop.sessions()),
    lost: (claim) => standDown(claim, { loop, alerts, audit, effects }),
    expired: (ended) => void reportFailed(hub, ended, (finding) => alerts.sendTask(finding)),
    signal: (session, body) => ingest(loop, session, { ...body, at: loop.now(), source: "report" }),
  });
}

function sessionWork(hub: NodeHub, { loop, transcriptOf }: WorkContext, common: Common): SessionWork {
  return new SessionWork({
    ...common,
    hub,
    signal: (session, signal) => ingest(loop, session, signal),
    todoFiles: async ({ id, kind }) => {
      const transcript = transcriptOf(id);
      const part = partOf(programFor(kind).transcript);
      return transcript === null ? null : ((await part?.todoFiles?.(transcript, programFiles)) ?? null);
    },
  });
}
