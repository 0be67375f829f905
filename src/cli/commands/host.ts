/**
 * The detached process behind `rouse spawn`: one small process per agent, started as a separate script so that it does
 * not load the command line. It reads the order from standard input, reports on descriptor 3 whether the agent started,
 * and then runs on its own.
 */
import { closeSync, readFileSync, writeSync } from "node:fs";
import { logTo } from "../../config/log-file.js";
import { logLine } from "../../config/log-line.js";
import { rousePaths } from "../../config/paths.js";
import { Host } from "../../terminal/host.js";
import { releaseName } from "../../terminal/names.js";
import type { HostOrder } from "../../terminal/start-host.js";
import { keysRefused, nameFor, startDaemon } from "../agent-spec.js";

const LOG = 2;
const ANSWER = 3;
const CLOSE_MS = 10_000;
/** These describe the terminal of `rouse spawn`, not the agent's. */
const TERMINAL_VARIABLES = ["TMUX", "TMUX_PANE", "STY", "WINDOW", "WINDOWID", "COLUMNS", "LINES"];

async function main(): Promise<void> {
  const order = JSON.parse(readFileSync(0, "utf8")) as HostOrder;
  const paths = rousePaths();
  const host = await start(order);
  if (!host) return;
  process.on("uncaughtException", (error) => {
    log(`observation stopped; the agent keeps running: ${error.stack}`);
    host.stopWatching();
  });
  // The host ends with its agent: a signal to the host ends the agent.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => host.kill("SIGTERM", "group"));
  process.on("SIGHUP", () => {});
  const exit = await host.exited;
  releaseName(paths, host.name);
  await host.close(exit, CLOSE_MS);
}

async function start({ spec: wanted, cols, rows, session }: HostOrder): Promise<Host | null> {
  const paths = rousePaths();
  try {
    const spec = nameFor(wanted);
    try {
      const host = new Host({ spec, session, paths, env: environment(), cols, rows, startDaemon, keysRefused, log });
      await host.ready;
      answer({ name: host.name, session: host.session, pid: host.pid });
      return host;
    } catch (error) {
      releaseName(paths, spec.name);
      throw error;
    }
  } catch (error) {
    answer({ error: (error as Error).message });
    process.exitCode = 1;
    return null;
  }
}

function environment(): Record<string, string | undefined> {
  const env = { ...process.env };
  for (const name of TERMINAL_VARIABLES) delete env[name];
  if (!env.TERM || env.TERM === "dumb") env.TERM = "xterm-256color";
  return env;
}

function answer(value: Record<string, unknown>): void {
  try {
    writeSync(ANSWER, `${JSON.stringify(value)}\n`);
    closeSync(ANSWER);
  } catch {
    // `rouse spawn` did not wait.
  }
}

let writeLog = (line: string): void => {
  writeLog = logTo(rousePaths().hostLog, LOG);
  writeLog(line);
};

/** A full disk or a removed log must not stop the host. */
function log(text: string): void {
  try {
    writeLog(logLine("host", text));
  } catch {
    // No other place to report it.
  }
}

await main();
// Pending work for a daemon that never started has no agent left.
process.exit();
