/** The daemon process: opens and reads the journal, listens on its socket, and stops on request. */
import { randomBytes } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { issueText } from "../config/issue.js";
import { loadConfig } from "../config/load.js";
import { makePrivateFolder, type RousePaths } from "../config/paths.js";
import { screenSettingsOf } from "../config/screen-settings.js";
import { loadSources } from "../config/sources.js";
import { partOf } from "../programs/part.js";
import { loadReaders, programFor } from "../programs/registry.js";
import { programFiles } from "../sensors/process/program-files.js";
import { readContextOf } from "../sensors/read-context.js";
import { takeSpool } from "../store/audit-spool.js";
import { rouse } from "../store/audit-table.js";
import { openJournal } from "../store/journal.js";
import { loadSqlite } from "../store/sqlite.js";
import { migrateStateFiles } from "../store/state-files.js";
import { agentSession, endedSince, recordedEnd } from "../terminal/registry.js";
import { TaskChecks } from "../work/checks.js";
import { ClaimKeeper } from "../work/claim-keeper.js";
import { reportFailed } from "../work/history.js";
import { holderOf, knownClaims, knowsClaim } from "../work/holder.js";
import { instanceFile, NodeHub, nodeName } from "../work/node-hub.js";
import { Retention } from "../work/retention.js";
import { SessionWork } from "../work/session-work.js";
import { SourceSync } from "../work/sources/source-sync.js";
import { AgentSettings } from "./agent-settings.js";
import { AuditedFiles, digestOf } from "./audited-files.js";
import { askDaemon } from "./client.js";
import { openNode } from "./fleet.js";
import { FleetAlerts } from "./fleet-alerts.js";
import { makeHostRoutes } from "./host-routes.js";
import { makeKey } from "./http/key.js";
import { readPublicHosts } from "./http/public-hosts.js";
import { HttpServer } from "./http/server.js";
import { WebLogins } from "./http/web-logins.js";
import { Hooks } from "./intake/hooks.js";
import { LocalSensors } from "./intake/local-sensors.js";
import { Profiles } from "./intake/profiles.js";
import { Telemetry } from "./intake/telemetry.js";
import { joinRules, readRules, removeFromRules, type WatchRules, writeRules } from "./intake/watch-rules.js";
import { makeIntake } from "./intake.js";
import { setUpLoop } from "./loop-setup.js";
import type { ApiFactory, DaemonControl } from "./parts.js";
import { SecurityAlerts } from "./security-alerts.js";
import { DaemonClock, TICK_MS } from "./self/clock.js";
import { Compaction } from "./self/compaction.js";
import { deadManPulse } from "./self/dead-man.js";
import { JournalUpkeep } from "./self/journal-upkeep.js";
import { LastWatchedFile } from "./self/last-watched.js";
import { servicePulse } from "./self/service-manager.js";
import { answerStarting, inPieces } from "./self/starting.js";
import { clearStopped, markStopped } from "./self/stay-down.js";
import { SettingsFollower } from "./settings-follower.js";
import { standDown } from "./stand-down.js";

const DAY_MS = 24 * 3600_000;
const UPKEEP_EVERY_MS = 60_000;
/** Each time about 10 ms of work, if there is any. */
const COMPACT_EVERY_MS = 250;
const DEAD_MAN_EVERY_MS = 60_000;

/** Another daemon of this user is already running. */
export class AlreadyRunning extends Error {}

export interface RunningDaemon {
  /** Notes of the start, such as a damaged journal that was set aside. */
  notes: string[];
  stopped: Promise<void>;
  /** A daemon that a user stopped stays down; hosts may restart any other. */
  stop: (then: "stays down" | "may return") => Promise<void>;
}

/** `hostScript`: script of the host process of a spawned agent. `log` gets a line per action. */
export async function serve(
  paths: RousePaths,
  version: string,
  hostScript: string,
  openFaces: ApiFactory,
  log: (line: string) => void = () => {},
): Promise<RunningDaemon> {
  const running = await askDaemon(paths.daemonSocket, "GET", "/v1/health").catch(() => null);
  if (running) throw new AlreadyRunning(`a daemon is already running on ${paths.daemonSocket}`);
  makePrivateFolder(paths.state);
  makePrivateFolder(paths.runtime);
  migrateStateFiles(paths.state);
  const clock = new DaemonClock();
  const checked = new LastWatchedFile(join(paths.state, "checked"));
  const { config, origins, issues } = loadConfig({ cwd: paths.config });
  const { journal, notes } = openJournal(paths.journal, {
    now: () => clock.now(),
    allowNetworkFileSystem: config.journal.allow_network_file_system,
  });
  const profiles = new Profiles(paths.config);
  notes.push(...[...issues, ...profiles.issues].map(issueText));
  const tuning = new AgentSettings(paths.config, journal.incidentState.load().feedback, profiles.of);
  const node = nodeName(config.hub.node);
  const { sources: sourceSettings, issues: sourceIssues } = loadSources();
  notes.push(...sourceIssues.map(issueText));
  const sources = new SourceSync({ settings: sourceSettings, state: paths.state, node, now: () => loop.now(), log });
  const hub = new NodeHub({
    url: config.hub.url,
    state: paths.state,
    node,
    sources,
    instance: makeKey(instanceFile(paths.state)),
    version,
    allowNetworkFileSystem: config.journal.allow_network_file_system,
  });
  const setup = setUpLoop(journal, clock, {
    paths,
    config,
    isOnlyWorkers: ["worker_tags", "worker_pattern"].some((key) => origins[`watchdog.${key}`]?.layer !== "default"),
    hostScript,
    hub,
    profileOf: profiles.of,
    tuning,
    release: version,
    // The sensors are built below, on the loop; nothing uses them before.
    sensors: {
      transcriptOf: (session) => sensors.transcriptOf(session),
      accountOf: (session) => sensors.accountOf(session),
    },
    log,
  });
  const { loop } = setup;
  const fold = { folded: 0, of: journal.stats().signals };
  let respond: RequestListener = (request, response) => answerStarting(version, fold, request, response);
  const server = createServer((request, response) => respond(request, response));
  // No daemon answered above, so an existing socket file belongs to a daemon that was killed.
  rmSync(paths.daemonSocket, { force: true });
  await listen(server, paths.daemonSocket);
  chmodSync(paths.daemonSocket, 0o600);
  clearStopped(paths);
  await inPieces(loop.restoring(checked.before), fold);
  const securityAlerts = new SecurityAlerts(loop, setup.alerts);
  const auditedFiles = new AuditedFiles({
    paths,
    audit: journal.audit,
    now: () => loop.now(),
    announce: (finding) => securityAlerts.send(finding),
  });
  // The permission of the agent has moved to its new name.
  loop.subscribe(({ kind }) => kind === "renamed" && auditedFiles.accept(join(paths.state, "allow.json")));
  const keepAudit = (): void => {
    try {
      takeSpool(paths.state, journal.audit, digestOf);
      auditedFiles.check();
    } catch {
      // A full disk: tried again.
    }
  };
  keepAudit();
  journal.audit.note({ ...rouse(loop.now()), action: "start", text: `version ${version}, process ${process.pid}` });
  const pulses = [servicePulse(), deadManPulse(config.daemon.dead_man_url, DEAD_MAN_EVERY_MS)].filter(
    (pulse) => pulse !== null,
  );
  const follower = new SettingsFollower(loop, tuning);
  loop.subscribe(({ kind }, now) => {
    if (kind !== "tick") return;
    checked.keep(clock.moment);
    follower.tick();
    for (const pulse of pulses) pulse.ticked(now);
  });
  const rulesFile = join(paths.state, "watch.json");
  const fromConfig = { programs: false, tags: [...config.watchdog.worker_tags], names: [] };
  const kept = readRules(rulesFile);
  let rules: WatchRules = { ...joinRules(fromConfig, kept), ...(kept.except ? { except: kept.except } : {}) };
  const context = readContextOf(config);
  const sensors = new LocalSensors(loop, {
    rules,
    tagsIn: (folder) => tuning.configOf({ workspace: folder }).watchdog.worker_tags,
    pattern: config.watchdog.worker_pattern || null,
    profiles: profiles.own,
    readContext: context,
    named: setup.named,
    screen: screenSettingsOf(config),
    positionsFile: join(paths.state, "transcripts.json"),
    endOf: (session) => recordedEnd(paths, session),
    endedSince: (since, isSkipped) => endedSince(paths, since, isSkipped).map(agentSession),
    workspace: config.workspace,
    ownFolders: [paths.state, paths.runtime, paths.config],
    accountKey: accountKey(join(paths.state, "account.key")),
    openDatabase: (path) => loadSqlite().openReadOnly(path),
  });
  notes.push(...setup.notes);
  const watch = async (wanted: WatchRules): Promise<WatchRules> => {
    rules = joinRules(wanted.replace ? fromConfig : rules, wanted);
    writeRules(rulesFile, rules);
    await sensors.watch(rules);
    return rules;
  };
  const unwatch: DaemonControl["unwatch"] = async (names, agents) => {
    rules = removeFromRules(rules, names, agents);
    writeRules(rulesFile, rules);
    await sensors.unwatch(rules, agents);
  };
  let end: (...then: Parameters<RunningDaemon["stop"]>) => void = () => {};
  // Pending alerts first, while the daemon still answers; the client gets its answer afterwards.
  const atRest = (): Promise<void> => setup.alertSender.close();
  const hooks = new Hooks(loop, context, await loadReaders());
  const control: DaemonControl = {
    watch,
    watchRules: () => rules,
    unwatch,
    pulses: () => pulses.map((pulse) => pulse.view()),
    http: () => httpServer.view(),
    shutDown: async () => {
      await atRest();
      setImmediate(() => end("stays down"));
    },
  };
  const checks = new TaskChecks(paths.state);
  void checks.recover(() => hub.open()).catch((error: Error) => log(`an interrupted check: ${error.message}`));
  const claims = new ClaimKeeper({
    hub,
    holderOf: (claim) => holderOf(loop, claim),
    isKnown: (session, task) => knowsClaim(loop, session, task),
    known: () => knownClaims(loop.sessions()),
    lost: (claim) =>
      standDown(claim, { loop, alerts: securityAlerts, audit: journal.audit, effects: setup.effectContext }),
    expired: (ended) => void reportFailed(hub, ended, (finding) => securityAlerts.sendTask(finding)),
    signal: async (session, signal) => {
      await loop.ingest(session, null, [{ ...signal, at: loop.now(), source: "report" }]);
    },
    now: () => loop.now(),
    log,
  });
  const retention = new Retention(hub, () => loop.now());
  const work = new SessionWork({
    hub,
    now: () => loop.now(),
    log,
    signal: async (session, signal) => {
      await loop.ingest(session, null, [signal]);
    },
    todoFiles: async ({ id, kind }) => {
      const transcript = sensors.transcriptOf(id);
      const part = partOf(programFor(kind).transcript);
      return transcript === null ? null : ((await part?.todoFiles?.(transcript, programFiles)) ?? null);
    },
  });
  loop.subscribe((event) => {
    const judge = event.kind === "signals" ? loop.state.sessions.get(event.session) : undefined;
    if (event.kind === "signals" && judge) void work.take(judge.session, event.signals);
    if (event.kind !== "tick") return;
    void claims.tick();
    void retention.tick();
    void sources.tick(() => hub.open());
  });
  const logins = new WebLogins(paths.tokens, (text) => {
    const at = loop.now();
    journal.audit.put({ ...rouse(at), action: "web_session", text }, { at, result: "done", reason: "" });
    auditedFiles.accept(paths.tokens);
  });
  const instance = makeKey(instanceFile(paths.state));
  const fleetAlerts = new FleetAlerts(node, () => setup.channels.length > 0, securityAlerts, log);
  const fleet = openNode({ loop, url: config.hub.url, node, instance, version, alerts: fleetAlerts, log });
  const faces = openFaces({
    ...setup,
    logins,
    journal,
    hub,
    fleet,
    checks,
    config,
    tuning,
    profiles,
    paths,
    version,
    control,
    log,
    auditedFiles,
    securityAlerts,
  });
  const publicHosts = readPublicHosts(config.api.public_hosts);
  notes.push(...publicHosts.issues);
  const httpServer = new HttpServer({
    port: config.daemon.http_port,
    address: config.daemon.http_address,
    isRemoteAllowed: config.daemon.http_remote,
    moreHosts: config.daemon.http_hosts,
    publicHosts: publicHosts.hosts,
    keyFile: paths.hookKey,
    tokensFile: paths.tokens,
    hooks,
    telemetry: new Telemetry(loop, context),
    more: faces.more,
    logins,
  });
  const app = makeIntake(hooks);
  faces.addTo(app);
  const answer = getRequestListener(app.fetch);
  const answerHost = makeHostRoutes(loop);
  await httpServer.start();
  const { port, address, error } = httpServer.view();
  if (error !== null) notes.push(`HTTP is off (no API, hooks or telemetry): port ${port} of ${address}: ${error}`);
  loop.tick();
  const ticking = setInterval(() => loop.tick(), TICK_MS);
  sensors.start();
  fleet?.node.start();
  const limits = {
    maxAgeMs: config.journal.max_age_days * DAY_MS,
    maxBytes: config.journal.max_megabytes * 1024 * 1024,
  };
  const compaction = new Compaction({ journal, state: loop.state, release: version });
  const upkeep = new JournalUpkeep({ journal, loop, limits, compaction, log });
  const keepingUp = setInterval(() => {
    upkeep.run();
    keepAudit();
  }, UPKEEP_EVERY_MS);
  const compacting = setInterval(() => upkeep.compact(), COMPACT_EVERY_MS);
  const stopped = new Promise<void>((resolve) => {
    end = (then) => {
      end = () => {};
      if (then === "stays down") markStopped(paths);
      clearInterval(ticking);
      clearInterval(keepingUp);
      clearInterval(compacting);
      for (const pulse of pulses) pulse.stop();
      checked.close();
      void sensors.stop();
      faces.stop();
      void hub.close();
      void fleet?.node.close();
      httpServer.stop();
      server.close();
      server.closeAllConnections();
      loop.close();
      journal.close();
      rmSync(paths.daemonSocket, { force: true });
      resolve();
    };
  });
  respond = (request, response) => void (answerHost(request, response) || answer(request, response));
  return {
    notes,
    stopped,
    stop: async (then) => {
      await atRest();
      end(then);
    },
  };
}

/** With a stored key, account digests stay the same after a restart. Without one, accounts are still distinguished within this run. */
function accountKey(path: string): string {
  try {
    return makeKey(path);
  } catch {
    return randomBytes(32).toString("base64url");
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // The umask makes the file private from its first moment; the mode is set again afterwards.
    const before = process.umask(0o177);
    server.listen(path, () => {
      process.umask(before);
      resolve();
    });
  });
}
