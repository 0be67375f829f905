/**
 * Test components that a machine may lack, such as PostgreSQL. A missing one skips its tests with one printed line; with
 * ROUSE_TEST_REQUIRE=all, which `.ci/run` sets, it fails them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether its tests have to be skipped. */
export function isMissing(name: string, path: string | null): path is null {
  if (path !== null) return false;
  if (process.env.ROUSE_TEST_REQUIRE === "all")
    throw new Error(`${name} is not installed, and ROUSE_TEST_REQUIRE=all makes that a failure`);
  console.log(`skipped: ${name} is not installed`);
  return true;
}

/** The first of these users that exists, when the tests run as root: servers refuse to run as root. */
export function serverUser(names: readonly string[]): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of names) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(`a server cannot run as root, and none of these users exists: ${names.join(", ")}`);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** A folder for a server of that user. */
export function serverFolder(name: string, user: { uid: number; gid: number } | null): string {
  const folder = mkdtempSync(join(tmpdir(), `rouse-${name}-`));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (user) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  return folder;
}

export interface Server {
  readonly pid: number;
  /** Its standard output and error until now. */
  output(): string;
  /** Ends it by its process id, and waits for it. */
  stop(): Promise<void>;
}

/** Ends the program together with the test process, also when that is killed. */
const SETPRIV = "/usr/bin/setpriv";
const LINKED = existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "INT"] : [];

/** Starts a program and waits until it answers. */
export async function startServer(
  command: readonly string[],
  user: { uid: number; gid: number } | null,
  isReady: () => Promise<boolean>,
): Promise<Server> {
  const [program = "", ...args] = [...LINKED, ...command];
  const child = spawn(program, args, { ...user, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const take = (chunk: Buffer): void => {
    output = `${output}${chunk.toString()}`.slice(-20_000);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const deadline = Date.now() + 60_000;
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await end(child, ended);
      throw new Error(`${command[0]} did not start:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { pid: child.pid ?? 0, output: () => output, stop: () => end(child, ended) };
}

/** SIGINT is a fast shutdown of PostgreSQL and of pgbouncer. */
async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGCONT");
  child.kill("SIGINT");
  const killer = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(killer);
}

/** Runs a program to its end; throws its output when it fails. */
export async function runProgram(
  [program = "", ...args]: readonly string[],
  user: { uid: number; gid: number } | null,
): Promise<void> {
  const child = spawn(program, args, { ...user, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output}`);
}

export function removeFolder(folder: string): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
