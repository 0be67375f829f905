/** A machine by ssh as a node of the fleet: joins it, and keeps a relay to the hub of this machine. */
import { connect, type Socket } from "node:net";
import * as z from "zod";
import { sanitize } from "../../core/text/sanitize.js";
import { relayOf } from "../../hub/postgres/relay.js";
import { failureText, type SshTarget } from "./command.js";
import { Relay } from "./relay.js";
import { RELAY_BEGINS } from "./relay-socket.js";
import { installRemote, parseAnswer, startRemote } from "./remote.js";
import { SshError } from "./ssh-error.js";

/** Begins the line of the answer. */
export const JOIN_ANSWER = "rouse-join ";
const ANSWER = z.union([z.object({ joined: z.boolean() }), z.object({ error: z.string() })]);
export type JoinAnswer = z.output<typeof ANSWER>;

const SCRIPT = "dist/cli/commands/remote.js";
/** More than this before the first frame is no greeting of a login script. */
const GREETING_MAX = 64 * 1024;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;
/** A relay that lasted this long was a good one. */
const STEADY_MS = 60_000;

export interface JoinOrder {
  node: string;
  /** Null: only find out whether it can be written. */
  url: string | null;
  replace: boolean;
}

/** Writes the node's login there. Throws `SshError`. */
export async function joinRemote(target: SshTarget, folder: string, order: JoinOrder): Promise<void> {
  const child = startRemote(
    target,
    { folder, script: SCRIPT, args: ["join"], cwd: null },
    { terminal: false, stdio: "pipe" },
  );
  const [stdout, stderr] = [tail(child.stdout), tail(child.stderr)];
  child.stdin?.on("error", () => {});
  child.stdin?.end(JSON.stringify(order));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const line = stdout()
    .split("\n")
    .find((one) => one.startsWith(JOIN_ANSWER));
  if (line === undefined) throw new SshError(failureText(target, { status, stdout: stdout(), stderr: stderr() }));
  const answer = parseAnswer(target, ANSWER, line.slice(JOIN_ANSWER.length));
  if ("error" in answer) throw new SshError(`${sanitize(target.host, 100)}: ${sanitize(answer.error, 400)}`);
}

export interface RelayKeeperOptions {
  target: SshTarget;
  /** Address of this machine's hub. */
  url: string;
  log: (line: string) => void;
  install?: (target: SshTarget) => Promise<{ folder: string }>;
}

/** Runs until the signal: a relay that ends is started again. */
export async function keepRelay(options: RelayKeeperOptions, signal: AbortSignal): Promise<void> {
  const { target, log, install = installRemote } = options;
  let waitMs = RETRY_MS;
  let said = "";
  while (!signal.aborted) {
    const began = performance.now();
    const reason = await install(target)
      .then(({ folder }) => relayOnce(options, folder, signal))
      .catch((error: Error) => error.message);
    if (signal.aborted) return;
    if (performance.now() - began > STEADY_MS) [waitMs, said] = [RETRY_MS, ""];
    if (reason !== said) log(`${reason}; trying again`);
    said = reason;
    await pause(waitMs, signal);
    waitMs = Math.min(RETRY_MAX_MS, waitMs * 2);
  }
}

/** Why it ended. */
async function relayOnce(
  { target, url, log }: RelayKeeperOptions,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const child = startRemote(
    target,
    { folder, script: SCRIPT, args: ["relay"], cwd: null },
    { terminal: false, stdio: "pipe" },
  );
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new SshError("ssh has no streams");
  const stderr = tail(child.stderr);
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  stdin.on("error", () => {});
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  let before = Buffer.alloc(0);
  let reason = "";
  const greet = (chunk: Buffer): void => {
    before = Buffer.concat([before, chunk]);
    const at = before.indexOf(RELAY_BEGINS);
    if (at < 0) {
      if (before.length > GREETING_MAX) stop();
      return;
    }
    stdout.off("data", greet);
    const rest = before.subarray(at + RELAY_BEGINS.length);
    const closed = (why: string): void => {
      reason = why;
      stop();
    };
    new Relay({ input: stdout, output: stdin, connect: () => connectTo(url), closed });
    if (rest.length > 0) stdout.unshift(rest);
    log(`${sanitize(target.host, 100)} reaches the hub`);
  };
  stdout.on("data", greet);
  const status = await ended.finally(() => signal.removeEventListener("abort", stop));
  return reason && status === null
    ? reason
    : failureText(target, { status, stdout: before.toString(), stderr: stderr() });
}

function connectTo(url: string): Socket {
  const path = relayOf(url);
  if (path !== null) return connect(path);
  const { hostname, port } = new URL(url);
  return connect(Number(port || 5432), hostname.replace(/^\[|\]$/g, ""));
}

/** The end of what a program writes. */
function tail(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-GREETING_MAX);
  });
  return () => text;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
