/**
 * Parts of the daemon that the API uses. The API imports the daemon, never the reverse: `cli/commands/daemon.ts` passes
 * `serve` the function that opens the API on these parts.
 */

import type { Hono } from "hono";
import type { Config } from "../config/keys.js";
import type { RousePaths } from "../config/paths.js";
import type { AgentSession } from "../core/agent.js";
import type { Journal } from "../store/journal.js";
import type { TaskChecks } from "../work/checks.js";
import type { NodeHub } from "../work/node-hub.js";
import type { AgentSettings } from "./agent-settings.js";
import type { AuditedFiles } from "./audited-files.js";
import type { NodeInFleet } from "./fleet.js";
import type { ApiHandler } from "./http/app.js";
import type { HttpView } from "./http/server.js";
import type { WebLogins } from "./http/web-logins.js";
import type { Profiles } from "./intake/profiles.js";
import type { WatchRules } from "./intake/watch-rules.js";
import type { LoopSetup } from "./loop-setup.js";
import type { SecurityAlerts } from "./security-alerts.js";
import type { PulseView } from "./self/pulse.js";

export interface DaemonParts
  extends Pick<
    LoopSetup,
    | "loop"
    | "rename"
    | "permission"
    | "policyNames"
    | "recovery"
    | "taskStarter"
    | "effectContext"
    | "woken"
    | "channels"
    | "channelNotes"
  > {
  journal: Journal;
  /** Tasks, claims and checkpoints. */
  hub: NodeHub;
  checks: TaskChecks;
  /** Null on a machine that is in no fleet. */
  fleet: NodeInFleet | null;
  config: Config;
  tuning: Pick<AgentSettings, "configOf" | "learn">;
  profiles: Pick<Profiles, "own">;
  paths: RousePaths;
  version: string;
  logins: WebLogins;
  control: DaemonControl;
  log: (line: string) => void;
  auditedFiles: AuditedFiles;
  securityAlerts: SecurityAlerts;
}

/** Requests of clients to the daemon process itself. */
export interface DaemonControl {
  /** Adds rules for adopting agents; returns all rules in force. */
  watch(rules: WatchRules): Promise<WatchRules>;
  /** The rules in force. */
  watchRules(): WatchRules;
  /** Removes names from the rules and stops watching these agents, which keep running. */
  unwatch(names: readonly string[], agents: readonly AgentSession[]): Promise<void>;
  pulses(): PulseView[];
  http(): HttpView;
  /** Resolves when no alert is under way; the process ends after the answer has left. */
  shutDown(): Promise<void>;
}

export interface ApiHandlers {
  /** Answers on the port, behind its guard. */
  more: ApiHandler;
  /** Adds its routes to the socket, which only this user can reach. */
  addTo(app: Hono): void;
  stop(): void;
}

export type ApiFactory = (parts: DaemonParts) => ApiHandlers;
