/** The daemon process: opens the journal, folds it, listens on its socket, and ends when it is asked to. */
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { makePrivateFolder, type RousePaths } from "../config/paths.js";
import { openJournal } from "../store/journal.js";
import { askDaemon } from "./client.js";
import { Clock } from "./clock.js";
import { Loop } from "./loop.js";
import { makeRoutes } from "./routes.js";

/** The journal is bounded: a week, or half a gigabyte, whichever comes first. */
const JOURNAL_AGE_MS = 7 * 24 * 3600_000;
const JOURNAL_BYTES = 512 * 1024 * 1024;
const PRUNE_EVERY_MS = 600_000;

/** Another daemon of this user runs already. */
export class AlreadyRunning extends Error {}

export interface Running {
  /** What the start had to say: a journal set aside, for example. */
  notes: string[];
  stopped: Promise<void>;
  stop: () => void;
}

export async function serve(paths: RousePaths, version: string): Promise<Running> {
  const running = await askDaemon(paths.daemonSocket, "GET", "/v1/health").catch(() => null);
  if (running) throw new AlreadyRunning(`a daemon answers already on ${paths.daemonSocket}`);
  makePrivateFolder(paths.state);
  makePrivateFolder(paths.runtime);
  const clock = new Clock();
  const { journal, notes } = openJournal(paths.journal, { now: () => clock.now() });
  const loop = new Loop(journal, clock);
  loop.restore();
  let stop: () => void = () => {};
  const app = makeRoutes({ loop, version, shutDown: () => stop() });
  const answer = getRequestListener(app.fetch);
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  // Nobody answered above, so a socket file that is still there belongs to a daemon that was killed.
  rmSync(paths.daemonSocket, { force: true });
  await listen(server, paths.daemonSocket);
  chmodSync(paths.daemonSocket, 0o600);
  loop.start();
  const pruning = setInterval(
    () => journal.prune({ now: clock.now(), maxAgeMs: JOURNAL_AGE_MS, maxBytes: JOURNAL_BYTES }),
    PRUNE_EVERY_MS,
  );
  const stopped = new Promise<void>((resolve) => {
    stop = () => {
      stop = () => {};
      clearInterval(pruning);
      loop.stop();
      server.close();
      server.closeAllConnections();
      journal.close();
      rmSync(paths.daemonSocket, { force: true });
      resolve();
    };
  });
  return { notes, stopped, stop: () => stop() };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // The umask makes the file private from its first moment; the mode is set again afterwards.
    const before = process.umask(0o177);
    server.listen(path, () => {
      process.umask(before);
      resolve();
    });
  });
}
