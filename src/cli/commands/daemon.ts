/** `rouse up` and `rouse down`: the daemon, one per user, started on first need. */
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
    .summary("start the daemon (it also starts by itself on first need)")
    .option("--foreground", "stay in this terminal and say what happens")
    .action(async ({ foreground }) => {
      if (foreground) return serveHere(setExit);
      const started = await ensureDaemon();
      process.stdout.write(started ? "the daemon is up\n" : "the daemon was up already\n");
      // Who comes back from the configuration file wants to know whether it was understood.
      const { loadSettings: settings } = await import("../settings.js");
      settings();
    });
  program
    .command("down")
    .summary("stop the daemon; agents go on untouched")
    .action(async () => {
      const paths = rousePaths();
      // Before it ends: a host that misses it would start it again.
      markStopped(paths);
      try {
        await call("shut_down", {});
        process.stdout.write(`the daemon is down; agents go on. ${UNTIL}\n`);
      } catch (error) {
        if (!(error instanceof DaemonUnreachable && error.isDown)) throw error;
        process.stdout.write(`no daemon was running. ${UNTIL}\n`);
      }
    });
}

const UNTIL = "It starts again with the next rouse up, run, spawn or watch, and then judges what its hosts kept.";

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
  log(`watching; the socket is ${rousePaths().daemonSocket}`);
  // What nobody foresaw ends it, as it would anyway, but leaves a line of the log instead of a page of raw text.
  process.once("uncaughtException", (error) => {
    log(error.stack ?? String(error));
    process.exit(1);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void running.stop("stays down"));
  // A terminal that was closed says nothing about the daemon.
  process.once("SIGHUP", () => void running.stop("may return"));
  await running.stopped;
  setExit(0);
}

/** To whoever sits in front of it as words, else as a line of the log. */
function log(text: string): void {
  try {
    // Not by the stream: one write that fails ends it, and with it all that comes after.
    writeSync(LOG, isatty(LOG) ? `rouse: ${redact(sanitizeLine(text))}\n` : logLine("daemon", text));
  } catch {
    // A log on a full disk costs its lines, and not the watching.
  }
}
