/**
 * What the daemon lends to those who build faces on it. The API imports the daemon, and never the other way round: whoever
 * starts the daemon (`cli/daemon.ts`) hands `serve` the function that opens the API on these parts.
 */
import type { Hono } from "hono";
import type { Config } from "../config/keys.js";
import type { RousePaths } from "../config/paths.js";
import type { Journal } from "../store/journal.js";
import type { More } from "./http/app.js";
import type { LoopSetup } from "./loop-setup.js";

export interface DaemonParts extends Pick<LoopSetup, "loop" | "permission" | "recovery" | "outside"> {
  journal: Journal;
  config: Config;
  paths: RousePaths;
  version: string;
}

export interface Faces {
  /** Answers on the port, behind its guard. */
  more: More;
  /** Adds its routes to the socket, which only this user can reach. */
  addTo(app: Hono): void;
  stop(): void;
}

export type OpenFaces = (parts: DaemonParts) => Faces;
