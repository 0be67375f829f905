/** The socket of the daemon, which only its user can open. It answers from the first moment; what answers changes once. */
import { chmodSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";

export class DaemonSocket {
  readonly #path: string;
  readonly #server: Server;
  respond: RequestListener;

  private constructor(path: string, first: RequestListener) {
    this.#path = path;
    this.respond = first;
    this.#server = createServer((request, response) => this.respond(request, response));
  }

  /** Replaces the file of a daemon that was killed: the caller has found out that none answers. */
  static async open(path: string, first: RequestListener): Promise<DaemonSocket> {
    const socket = new DaemonSocket(path, first);
    rmSync(path, { force: true });
    await listen(socket.#server, path);
    chmodSync(path, 0o600);
    return socket;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** After the last write of the daemon: without the file, the next daemon may start. */
  remove(): void {
    rmSync(this.#path, { force: true });
  }
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
