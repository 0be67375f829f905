/** `rouse up` and `rouse down`: the daemon, one per user, started when first needed. */
import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import type { Command } from "@commander-js/extra-typings";
import { ApiError } from "../../api/error.js";
import { logTo } from "../../config/log-file.js";
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
import { permitWithoutDaemon } from "../permit.js";
import { warnOfClosedPort } from "../port.js";
import { foldText } from "../text/width.js";
import { readVersion } from "../version.js";

/** Standard error. */
const LOG = 2;

export function addDaemon(program: Command, setExit: (code: number) => void): void {
  program
    .command("up")
    .summary("Start the daemon (also starts on demand)")
    .option("--foreground", "stay in this terminal and print the log")
    .action(async ({ foreground }) => {
      if (foreground) return serveHere(setExit);
      const started = await ensureDaemon();
      process.stdout.write(started ? "Started the daemon.\n" : "The daemon is already running.\n");
      // A user who just edited the configuration wants to know whether it is valid.
      const { loadSettings: settings } = await import("../settings.js");
      settings();
      await warnOfClosedPort();
    });
  program
    .command("down")
    .summary("Stop the daemon; agents keep running")
    .action(async () => {
      try {
        await call("shut_down", {});
        process.stdout.write(foldText(`Stopped the daemon; agents keep running. ${UNTIL}\n`, process.stdout));
      } catch (error) {
        if (error instanceof ApiError) throw error;
        const { finish } = permitWithoutDaemon("shut_down");
        // A daemon marks this itself, before it ends: the hosts of agents restart a daemon that they miss.
        markStopped(rousePaths());
        await finish("done");
        if (!(error instanceof DaemonUnreachable && error.isDown)) throw error;
        process.stdout.write(foldText(`No daemon was running. ${UNTIL}\n`, process.stdout));
      }
    });
}

const UNTIL =
  "The next `rouse up`, `run`, `spawn`, `watch`, `allow`, `task`, `work` or `web` starts it; it then catches up on what it missed.";

async function serveHere(setExit: (code: number) => void): Promise<void> {
  const { AlreadyRunning, serve } = await import("../../daemon/serve.js");
  const { JournalError } = await import("../../store/journal-error.js");
  const { openApi } = await import("../../api/open.js");
  const running = await serve(rousePaths(), readVersion(), HOST_SCRIPT, openApi, log).catch((error: unknown) => {
    if (error instanceof JournalError) throw new BadInput(error.message);
    if (error instanceof AlreadyRunning) throw new BadInput(`${error.message}; stop it with \`rouse down\` first`);
    throw error;
  });
  for (const note of running.notes) log(note);
  log(`listening on ${rousePaths().daemonSocket}`);
  // An unexpected error still ends the process, but leaves a line in the log instead of raw text.
  process.once("uncaughtException", (error) => {
    log(error.stack ?? String(error));
    process.exit(1);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void running.stop("stays down"));
  // A closed terminal does not mean that the user wants the daemon down.
  process.once("SIGHUP", () => void running.stop("may return"));
  await running.stopped;
  setExit(0);
}

let writeLog = (line: string): void => {
  writeLog = logTo(rousePaths().daemonLog, LOG);
  writeLog(line);
};

/** Plain text on a terminal, else a line of the log. */
function log(text: string): void {
  try {
    // Not through the stream: a failed write would end it, and all later lines with it.
    if (isatty(LOG)) writeSync(LOG, `rouse: ${redact(sanitizeLine(text))}\n`);
    else writeLog(logLine("daemon", text));
  } catch {
    // A full disk costs log lines, but must not end the daemon.
  }
}
