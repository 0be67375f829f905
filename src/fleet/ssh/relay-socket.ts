/** The side of a relay that has no way to the hub: a socket file, which the daemon there takes for its hub. */
import { chmodSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { makeFolder } from "../../config/paths.js";
import { Relay } from "./relay.js";

/** Printed before the first frame: login scripts may print anything. */
export const RELAY_BEGINS = "\nrouse-relay-1\n";

const WATCH_MS = 2_000;

/** Ends with the connection, or when a later relay has taken the file. */
export async function serveRelay(path: string, input: Readable, output: Writable): Promise<string> {
  makeFolder(dirname(path));
  rmSync(path, { force: true });
  const server = createServer((socket) => relay.add(socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  const own = statSync(path).ino;
  const isOwn = (): boolean => statSync(path, { throwIfNoEntry: false })?.ino === own;
  output.write(RELAY_BEGINS);
  let end: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const relay = new Relay({ input, output, connect: null, closed: end });
  const watching = setInterval(() => isOwn() || relay.close("another relay serves this machine"), WATCH_MS);
  const reason = await ended;
  clearInterval(watching);
  // Node.js removes the file of a server that it closes, so a later relay's file must not have this server's name.
  if (isOwn()) server.close();
  return reason;
}
