/** `rouse up` and `rouse down`: the daemon, one per user, started on first need. */
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "@commander-js/extra-typings";
import { makePrivateFolder, rousePaths } from "../config/paths.js";
import { askDaemon, Unreachable } from "../daemon/client.js";
import { BadInput } from "../replay/files.js";
import { readVersion } from "./version.js";

/** How long a starting daemon may take until it answers. */
const START_MS = 10_000;

export function addDaemon(program: Command, setExit: (code: number) => void): void {
  program
    .command("up")
    .summary("start the daemon (it also starts by itself on first need)")
    .option("--foreground", "stay in this terminal and say what happens")
    .action(async ({ foreground }) => {
      if (foreground) return serveHere(setExit);
      const started = await ensureDaemon();
      process.stdout.write(started ? "the daemon is up\n" : "the daemon was up already\n");
    });
  program
    .command("down")
    .summary("stop the daemon; agents go on untouched")
    .action(async () => {
      try {
        await askDaemon(rousePaths().daemonSocket, "POST", "/v1/shutdown", {});
        process.stdout.write("the daemon is down; spawned agents go on, and are judged again after the next start\n");
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        process.stdout.write("no daemon was running\n");
      }
    });
}

async function serveHere(setExit: (code: number) => void): Promise<void> {
  const { AlreadyRunning, serve } = await import("../daemon/serve.js");
  const { JournalError } = await import("../store/journal-error.js");
  const running = await serve(rousePaths(), readVersion()).catch((error: unknown) => {
    if (error instanceof JournalError) throw new BadInput(error.message);
    if (error instanceof AlreadyRunning) throw new BadInput(`${error.message}; stop it with "rouse down" first`);
    throw error;
  });
  for (const note of running.notes) process.stderr.write(`rouse: ${note}\n`);
  process.stderr.write(`rouse: watching; the socket is ${rousePaths().daemonSocket}\n`);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, running.stop);
  await running.stopped;
  setExit(0);
}

/** Makes sure that a daemon answers. True if it had to be started. */
export async function ensureDaemon(): Promise<boolean> {
  const paths = rousePaths();
  if (await answers(paths.daemonSocket)) return false;
  makePrivateFolder(paths.state);
  const log = openSync(join(paths.state, "daemon.log"), "a", 0o600);
  const bin = fileURLToPath(new URL("../../bin/rouse", import.meta.url));
  const child = spawn(process.execPath, [bin, "up", "--foreground"], {
    detached: true,
    stdio: ["ignore", log, log],
    cwd: "/",
  });
  child.unref();
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (await answers(paths.daemonSocket)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new BadInput(
    `the daemon did not come up within ${START_MS / 1000} s; ${join(paths.state, "daemon.log")} says why`,
  );
}

const answers = (socket: string): Promise<boolean> =>
  askDaemon(socket, "GET", "/v1/health").then(
    () => true,
    () => false,
  );
