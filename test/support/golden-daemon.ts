/**
 * The real loop, services and socket of the daemon in this process, over a scripted night: one agent for each main situation.
 * Clock, ids and results of actions are fixed, so that every run gives the same answers.
 */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { openApi } from "../../src/api/open.js";
import { loadConfig } from "../../src/config/load.js";
import { makePrivateFolder, rousePaths } from "../../src/config/paths.js";
import { AgentSettings } from "../../src/daemon/agent-settings.js";
import { AuditedFiles } from "../../src/daemon/audited-files.js";
import { makeHostRoutes } from "../../src/daemon/host-routes.js";
import { WebLogins } from "../../src/daemon/http/web-logins.js";
import { Hooks } from "../../src/daemon/intake/hooks.js";
import { Profiles } from "../../src/daemon/intake/profiles.js";
import type { WatchRules } from "../../src/daemon/intake/watch-rules.js";
import { makeIntake } from "../../src/daemon/intake.js";
import { setUpLoop } from "../../src/daemon/loop-setup.js";
import { SecurityAlerts } from "../../src/daemon/security-alerts.js";
import { loadReaders, profileFor } from "../../src/programs/registry.js";
import { readContextOf } from "../../src/sensors/read-context.js";
import { openJournal } from "../../src/store/journal.js";
import { sessionFile, writeRecord } from "../../src/terminal/registry.js";
import { TaskChecks } from "../../src/work/checks.js";
import { NodeHub } from "../../src/work/node-hub.js";
import { HandClock } from "./hand-clock.js";
import { ScriptedAgents } from "./scripted-agents.js";
import { sessionOf } from "./sessions.js";
import { START } from "./steps.js";

const HOME = "/tmp/me-";

/** Always of the same length, so that lines wrap at the same place; the random part is replaced in what is compared. */
export const makeGoldenHome = (): string => mkdtempSync(HOME);

const ROOT = join(import.meta.dirname, "..", "..");

/** Facts of this machine and this run. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\/tmp\/me-\w{6}/g, `${HOME}golden`],
  [/cursor \d+/g, "cursor 9"],
  [/(Node\.js +version) \d+\.\d+\.\d+/g, "$1 20.19.0"],
  [/SQLite \d.*/g, "SQLite 3"],
  [/(?:@photostructure\/|node:)sqlite/g, "node:sqlite"],
  [/[\d.]+ [GT]B free/g, "80 GB free"],
  [/process \d+/g, "process 4242"],
];

export const maskFacts = (text: string): string =>
  MASKS.reduce((all, [fact, mask]) => all.replaceAll(fact, mask), text.replaceAll(ROOT, "/opt/rouse"));

export interface GoldenDaemon {
  /** Time at the end of the script. */
  now: number;
  close: () => Promise<void>;
}

/** In the folder that ROUSE_HOME names. `play` is what has happened before. */
export async function startGoldenDaemon(
  play: (agents: ScriptedAgents) => Promise<void>,
  onTime: (now: number) => void,
): Promise<GoldenDaemon> {
  const paths = rousePaths();
  for (const folder of [paths.config, paths.state, paths.runtime]) makePrivateFolder(folder);
  const hand = new HandClock(START);
  onTime(START);
  const { config } = loadConfig({ cwd: paths.config });
  const { journal } = openJournal(paths.journal, { commitWithinMs: 1, now: () => hand.wall });
  const profiles = new Profiles(paths.config);
  const tuning = new AgentSettings(paths.config, [], profiles.of);
  const hub = new NodeHub({
    state: paths.state,
    node: "lab",
    instance: "golden",
    version: "0.1.0",
    now: () => hand.wall,
  });
  const setup = setUpLoop(journal, hand.clock, {
    paths,
    config,
    isOnlyWorkers: false,
    hub,
    hostScript: "",
    release: "test",
    profileOf: profileFor,
    tuning,
    sensors: { transcriptOf: () => null, accountOf: () => null },
    log: () => {},
  });
  let rules: WatchRules = { programs: false, tags: [], names: [] };
  const now = (): number => setup.loop.now();
  const handlers = openApi({
    ...setup,
    auditedFiles: new AuditedFiles({ paths, audit: journal.audit, now, announce: () => {} }),
    securityAlerts: new SecurityAlerts(setup.loop, setup.alerts),
    journal,
    hub,
    fleet: null,
    checks: new TaskChecks(paths.state),
    logins: new WebLogins(paths.tokens),
    config,
    tuning,
    profiles,
    paths,
    version: "0.1.0",
    log: () => {},
    control: {
      watch: async (wanted) => {
        rules = wanted.replace ? { programs: false, tags: [], names: [] } : wanted;
        return rules;
      },
      watchRules: () => rules,
      unwatch: async () => {},
      pulses: () => [],
      http: () => ({ port: 0, address: "127.0.0.1", listening: false, error: null }) as never,
      shutDown: async () => {},
    },
  });
  const hooks = new Hooks(setup.loop, readContextOf(config), await loadReaders());
  const app = makeIntake(hooks);
  handlers.addTo(app);
  const answer = getRequestListener(app.fetch);
  const answerHost = makeHostRoutes(setup.loop);
  const server = createServer((request, response) => void (answerHost(request, response) || answer(request, response)));
  await new Promise<void>((resolve) => server.listen(paths.daemonSocket, resolve));
  chmodSync(paths.daemonSocket, 0o600);
  setup.loop.tick();
  await play(new ScriptedAgents(setup, hand, onTime));
  return {
    now: hand.wall,
    close: async () => {
      handlers.stop();
      await hub.close();
      await closeServer(server);
      setup.loop.close();
      journal.close();
    },
  };
}

/** As the host of the agent that was lost would leave it. */
export function recordEnded(now: number): void {
  const paths = rousePaths();
  const session = sessionOf({ id: "s-build", name: "build", kind: "claude-code", endedAt: now - 61_000 });
  const host = { hostPid: 4_000_001, hostStart: "boot:0", cols: 100, rows: 30, exit: { code: null, signal: 9 } };
  writeRecord(paths, { ...session, ...host });
  writeFileSync(sessionFile(paths, "s-build", "out"), "Compiling 12 of 40 files\r\nCompiling 13 of 40 files\r\n", {
    mode: 0o600,
  });
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

export const writeConfig = (text: string): void => {
  const { config } = rousePaths();
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "config.toml"), text);
};

export const removeGoldenHome = (home: string): void => rmSync(home, { recursive: true, force: true });
