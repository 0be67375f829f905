/** `rouse up` and `rouse down`: the daemon, one per user, started when first needed. */
import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import type { Command } from "@commander-js/extra-typings";
import { logLine } from "../../config/log-line.js";
import { rousePaths } from "../../config/paths.js";
import { redact } from "../../core/text/redact.js";
import { sanitizeLine } from "../../core/text/sanitize.js";
import { DaemonUnreachable } from "../../daemon/client.js";
import { markStopped } from "../../daemon/self/stay-down.js";
import { BadInput } from "../../replay/bad-input.js";
import { call } from "../client.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { HOST_SCRIPT } from "../host-script.js";
import { readVersion } from "../version.js";

/** Standard error. */
const LOG = 2;

export function addDaemon(program: Command, setExit: (code: number) => void): void {
  program
    .command("up")
    .summary("Start the daemon (run, spawn and watch start it too)")
    .option("--foreground", "stay in this terminal and log to it")
    .action(async ({ foreground }) => {
      if (foreground) return serveHere(setExit);
      const started = await ensureDaemon();
      process.stdout.write(started ? "Daemon started.\n" : "The daemon is already running.\n");
      // Users run this after they edited the configuration: report its errors.
      const { loadSettings: settings } = await import("../settings.js");
      settings();
      await reportPort();
    });
  program
    .command("down")
    .summary("Stop the daemon; agents keep running")
    .action(async () => {
      const paths = rousePaths();
      // Before the daemon ends: an agent's host would restart it.
      markStopped(paths);
      try {
        await call("shut_down", {});
        process.stdout.write(`Daemon stopped. Agents keep running. ${UNTIL}\n`);
      } catch (error) {
        if (!(error instanceof DaemonUnreachable && error.isDown)) throw error;
        process.stdout.write(`The daemon was not running. ${UNTIL}\n`);
      }
    });
}

/** Warns of a port in use: it does not stop the daemon, but clients cannot reach it. */
async function reportPort(): Promise<void> {
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    // A daemon of another version may not answer this; `rouse doctor` reports that.
    const http = await call("daemon", {}).then(
      (daemon) => daemon.http,
      () => null,
    );
    if (!http || http.port === 0 || http.listening) return;
    if (http.error !== null) {
      const where = `${http.address}:${http.port}`;
      process.stderr.write(
        `rouse: warning: ${where} is not open: ${sanitizeLine(http.error)}. The HTTP API, HTTP hooks and telemetry are off\n`,
      );
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The daemon answers on its socket shortly before it has tried to open the port. */
const PORT_TRIES = 10;

const UNTIL = "It restarts on the next rouse up, run, spawn or watch and catches up on what it missed.";

async function serveHere(setExit: (code: number) => void): Promise<void> {
  const { AlreadyRunning, serve } = await import("../../daemon/serve.js");
  const { JournalError } = await import("../../store/journal-error.js");
  const { openApi } = await import("../../api/open.js");
  const running = await serve(rousePaths(), readVersion(), HOST_SCRIPT, openApi, log).catch((error: unknown) => {
    if (error instanceof JournalError) throw new BadInput(error.message);
    if (error instanceof AlreadyRunning) throw new BadInput(`${error.message}; stop it with "rouse down" first`);
    throw error;
  });
  for (const note of running.notes) log(note);
  log(`listening on ${rousePaths().daemonSocket}`);
  // An unexpected error ends the daemon in any case; logged here, it is one line of the log.
  process.once("uncaughtException", (error) => {
    log(error.stack ?? String(error));
    process.exit(1);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void running.stop("stays down"));
  // A closed terminal is no request to stop the daemon: hosts may restart it.
  process.once("SIGHUP", () => void running.stop("may return"));
  await running.stopped;
  setExit(0);
}

/** As plain text on a terminal, else as a line of the log. */
function log(text: string): void {
  try {
    // Not through the stream: after one failed write it accepts no more.
    writeSync(LOG, isatty(LOG) ? `rouse: ${redact(sanitizeLine(text))}\n` : logLine("daemon", text));
  } catch {
    // A full disk loses log lines, but must not stop the daemon.
  }
}
