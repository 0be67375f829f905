/** Starts the detached process that holds an agent's terminal, and waits until it reports that the agent runs. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { rotateLog } from "../config/log-file.js";
import { makePrivateFolder, type RousePaths } from "../config/paths.js";
import type { HostSpec } from "./host-options.js";

/** Everything but the name, which the host process claims. */
export type SpecWithoutName = Omit<HostSpec, "name"> & { wanted: string | null };

export interface HostOrder {
  spec: SpecWithoutName;
  cols: number;
  rows: number;
  /** Id of the session, if it is known before the start; see `newSessionId`. */
  session?: string;
}

export interface HostStartResult {
  name?: string;
  session?: string;
  pid?: number;
  error?: string;
}

export interface HostStart {
  /** The script that the process runs. */
  script: string;
  paths: RousePaths;
  /** The agent's environment; by default that of this process. */
  env?: NodeJS.ProcessEnv;
}

/** A host allocates little and needs no speed: 58 MB resident, 15 of them its own. */
const SMALL = ["--max-semi-space-size=1", "--optimize-for-size", "--single-threaded"];

export async function startHost(order: HostOrder, { script, paths, env }: HostStart): Promise<HostStartResult> {
  makePrivateFolder(paths.state);
  rotateLog(paths.hostLog);
  const log = openSync(paths.hostLog, "a", 0o600);
  // `detached` makes it the leader of a session of its own: closing this terminal does not reach it.
  const child = spawn(process.execPath, [...SMALL, script], {
    detached: true,
    cwd: order.spec.workspace,
    stdio: ["pipe", "ignore", log, "pipe"],
    ...(env ? { env } : {}),
  });
  closeSync(log);
  const isStarted = new Promise<HostStartResult | null>((resolve) => {
    child.once("error", (error) => resolve({ error: error.message }));
    child.once("spawn", () => resolve(null));
  });
  const failure = await isStarted;
  if (failure) return failure;
  const stdin = child.stdin as Writable;
  const answer = child.stdio[3] as Readable;
  stdin.on("error", () => {});
  stdin.end(JSON.stringify(order));
  let text = "";
  answer.setEncoding("utf8");
  for await (const chunk of answer) text += chunk;
  child.unref();
  if (text === "") return { error: `the agent's host did not start; see ${paths.hostLog}` };
  return JSON.parse(text) as HostStartResult;
}
