/** The daemon process: opens and reads the journal, listens on its socket, and stops on request. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { issueText } from "../config/issue.js";
import type { Config } from "../config/keys.js";
import { loadConfig } from "../config/load.js";
import { makePrivateFolder, type RousePaths } from "../config/paths.js";
import { screenSettingsOf } from "../config/screen-settings.js";
import { loadReaders } from "../programs/registry.js";
import { readContextOf } from "../sensors/read-context.js";
import { takeSpool } from "../store/audit-spool.js";
import { rouse } from "../store/audit-table.js";
import { openJournal } from "../store/journal.js";
import { loadSqlite } from "../store/sqlite.js";
import { migrateStateFiles } from "../store/state-files.js";
import { agentSession, endedSince, recordedEnd } from "../terminal/registry.js";
import { instanceFile, nodeName } from "../work/node-hub.js";
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
import { LocalSensors, type LocalSensorsOptions } from "./intake/local-sensors.js";
import { Profiles } from "./intake/profiles.js";
import { Telemetry } from "./intake/telemetry.js";
import { makeIntake } from "./intake.js";
import { setUpLoop } from "./loop-setup.js";
import type { ApiFactory, DaemonControl } from "./parts.js";
import { SecurityAlerts } from "./security-alerts.js";
import { DaemonClock, TICK_MS } from "./self/clock.js";
import { Compaction } from "./self/compaction.js";
import { DaemonSocket } from "./self/daemon-socket.js";
import { deadManPulse } from "./self/dead-man.js";
import { JournalUpkeep } from "./self/journal-upkeep.js";
import { LastWatchedFile } from "./self/last-watched.js";
import { servicePulse } from "./self/service-manager.js";
import { answerStarting, inPieces } from "./self/starting.js";
import { clearStopped, markStopped } from "./self/stay-down.js";
import { SettingsFollower } from "./settings-follower.js";
import { WatchControl } from "./watch-control.js";
import { setUpWork } from "./work-setup.js";

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
  openApi: ApiFactory,
  log: (line: string) => void = () => {},
): Promise<RunningDaemon> {
  const running = await askDaemon(paths.daemonSocket, "GET", "/v1/health").catch(() => null);
  if (running) throw new AlreadyRunning(`a daemon is already running on ${paths.daemonSocket}`);
  makePrivateFolder(paths.state);
  makePrivateFolder(paths.runtime);
  migrateStateFiles(paths.state);

  // What is stored, and the loop over it.
  const clock = new DaemonClock();
  const checked = new LastWatchedFile(join(paths.state, "checked"));
  const { config, origins, issues } = loadConfig({ cwd: paths.config });
  const { journal, notes } = openJournal(paths.journal, {
    now: () => clock.now(),
    allowNetworkFileSystem: config.journal.allow_network_file_system,
  });
  const profiles = new Profiles(paths.config);
  const tuning = new AgentSettings(paths.config, journal.incidentState.load().feedback, profiles.of);
  const node = { node: nodeName(config.hub.node), instance: makeKey(instanceFile(paths.state)), version };
  const work = setUpWork({ ...node, paths, config, now: () => loop.now(), log });
  const setup = setUpLoop(journal, clock, {
    paths,
    config,
    isOnlyWorkers: ["worker_tags", "worker_pattern"].some((key) => origins[`watchdog.${key}`]?.layer !== "default"),
    hostScript,
    hub: work.hub,
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
  notes.push(...[...issues, ...profiles.issues].map(issueText), ...work.notes);
  const progress = { folded: 0, of: journal.stats().signals };
  const socket = await DaemonSocket.open(paths.daemonSocket, (request, response) =>
    answerStarting(version, progress, request, response),
  );
  clearStopped(paths);
  await inPieces(loop.restoring(checked.before), progress);

  // What the user finds out about rouse itself.
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
      for (const { entry, outcome } of takeSpool(paths.state, journal.audit, digestOf))
        if (outcome?.result === "refused") securityAlerts.spooledAttempt(entry);
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

  // What comes in by itself.
  const follower = new SettingsFollower(loop, tuning);
  loop.subscribe(({ kind }, now) => {
    if (kind !== "tick") return;
    checked.keep(clock.moment);
    follower.tick();
    for (const pulse of pulses) pulse.ticked(now);
  });
  const readContext = readContextOf(config);
  const watching = new WatchControl(paths.state, config.watchdog.worker_tags);
  const sensors = new LocalSensors(loop, {
    ...sensorOptions(paths, config),
    readContext,
    rules: watching.rules,
    tagsIn: (folder) => tuning.configOf({ workspace: folder }).watchdog.worker_tags,
    profiles: profiles.own,
    named: setup.named,
  });
  notes.push(...setup.notes);
  work.follow({
    loop,
    effects: setup.effectContext,
    transcriptOf: (session) => sensors.transcriptOf(session),
    alerts: securityAlerts,
    audit: journal.audit,
  });
  const fleetAlerts = new FleetAlerts(node.node, () => setup.channels.length > 0, securityAlerts, log);
  const fleet = openNode({ ...node, loop, url: config.hub.url, alerts: fleetAlerts, log });

  // What clients ask.
  let end: (...then: Parameters<RunningDaemon["stop"]>) => void = () => {};
  // Pending alerts and running checks first, while the daemon still answers; the client gets its answer afterwards.
  const atRest = async (): Promise<void> => {
    await Promise.all([setup.alertSender.close(), work.checks.close()]);
  };
  const control: DaemonControl = {
    ...watching.over(sensors),
    pulses: () => pulses.map((pulse) => pulse.view()),
    http: () => httpServer.view(),
    shutDown: async () => {
      await atRest();
      setImmediate(() => end("stays down"));
    },
  };
  const logins = new WebLogins(paths.tokens, (text) => {
    const at = loop.now();
    journal.audit.put({ ...rouse(at), action: "web_session", text }, { at, result: "done", reason: "" });
    auditedFiles.accept(paths.tokens);
  });
  const api = openApi({
    ...setup,
    logins,
    journal,
    hub: work.hub,
    fleet,
    checks: work.checks,
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
  const hooks = new Hooks(loop, readContext, await loadReaders());
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
    telemetry: new Telemetry(loop, readContext),
    more: api.more,
    logins,
  });
  const intake = makeIntake(hooks);
  api.addTo(intake);
  const answer = getRequestListener(intake.fetch);
  const answerHost = makeHostRoutes(loop);
  await httpServer.start();
  const { port, address, error } = httpServer.view();
  if (error !== null) notes.push(`HTTP is off (no API, hooks or telemetry): port ${port} of ${address}: ${error}`);

  // Start, and stop on request.
  loop.tick();
  sensors.start();
  fleet?.node.start();
  const limits = {
    maxAgeMs: config.journal.max_age_days * DAY_MS,
    maxBytes: config.journal.max_megabytes * 1024 * 1024,
  };
  const compaction = new Compaction({ journal, state: loop.state, release: version });
  const upkeep = new JournalUpkeep({ journal, loop, limits, compaction, log });
  const timers = [
    setInterval(() => loop.tick(), TICK_MS),
    setInterval(() => upkeep.compact(), COMPACT_EVERY_MS),
    setInterval(() => upkeep.run(), UPKEEP_EVERY_MS),
    setInterval(keepAudit, UPKEEP_EVERY_MS),
  ];
  const stopped = new Promise<void>((resolve) => {
    end = (then) => {
      end = () => {};
      if (then === "stays down") markStopped(paths);
      for (const timer of timers) clearInterval(timer);
      for (const pulse of pulses) pulse.stop();
      checked.close();
      void sensors.stop();
      api.stop();
      void work.hub.close();
      void fleet?.node.close();
      httpServer.stop();
      socket.close();
      loop.close();
      journal.close();
      socket.remove();
      resolve();
    };
  });
  socket.respond = (request, response) => void (answerHost(request, response) || answer(request, response));
  return {
    notes,
    stopped,
    stop: async (then) => {
      await atRest();
      end(then);
    },
  };
}

type FromConfig = Pick<
  LocalSensorsOptions,
  | "pattern"
  | "screen"
  | "positionsFile"
  | "endOf"
  | "endedSince"
  | "workspace"
  | "ownFolders"
  | "accountKey"
  | "openDatabase"
>;

const sensorOptions = (paths: RousePaths, config: Config): FromConfig => ({
  pattern: config.watchdog.worker_pattern || null,
  screen: screenSettingsOf(config),
  positionsFile: join(paths.state, "transcripts.json"),
  endOf: (session) => recordedEnd(paths, session),
  endedSince: (since, isSkipped) => endedSince(paths, since, isSkipped).map(agentSession),
  workspace: config.workspace,
  ownFolders: [paths.state, paths.runtime, paths.config],
  accountKey: accountKey(join(paths.state, "account.key")),
  openDatabase: (path) => loadSqlite().openReadOnly(path),
});

/** With a stored key, account digests stay the same after a restart. Without one, accounts are still distinguished within this run. */
function accountKey(path: string): string {
  try {
    return makeKey(path);
  } catch {
    return randomBytes(32).toString("base64url");
  }
}
