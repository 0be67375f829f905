/** Real processes for the benchmarks: rouse in a home of its own, and the system's figures for a process. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rousePaths } from "../dist/config/paths.js";

export const BIN = join(dirname(fileURLToPath(import.meta.url)), "..", "bin", "rouse");
/** Clock ticks of `/proc` per second: 100 on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;
const START_MS = 30_000;

/** Figures of processes need Linux's `/proc` and the `script` of util-linux. */
export const canMeasure =
  process.platform === "linux" && spawnSync("script", ["--version"], { stdio: "ignore" }).status === 0;

export function makeHome(daemon) {
  const path = mkdtempSync(join(tmpdir(), "rouse-bench-"));
  return { path, env: { ...process.env, ROUSE_HOME: path, ROUSE_DAEMON: daemon, NO_COLOR: "1" } };
}

export const removeHome = (home) => rmSync(home.path, { recursive: true, force: true });

export function run(home, command, input = "") {
  const [file, ...args] = command;
  const { status, stdout, stderr } = spawnSync(file, args, { env: home.env, cwd: home.path, input, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** The daemon as a child of the bench. It writes a CPU profile into the folder `profile` when it ends. */
export async function startDaemon(home, profile) {
  const flags = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const child = spawn(process.execPath, [...flags, BIN, "up", "--foreground"], {
    env: home.env,
    cwd: home.path,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const { daemonSocket } = rousePaths(home.env);
  const deadline = performance.now() + START_MS;
  while (!(await answers(daemonSocket))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`the daemon did not start: ${said}`);
    }
    await sleep(50);
  }
  return child;
}

const answers = (path) =>
  new Promise((resolve) => {
    const socket = connect(path, () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

export function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", resolve));
}

/** Resident memory in bytes: all of it, and the part that no other process shares. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const kilobytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  return { resident: kilobytes("VmRSS"), own: kilobytes("RssAnon") };
}

/** Processor time in milliseconds: its own, and with that of the children that it waited for. */
export function cpuOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user, system, childUser, childSystem] = fields.slice(11, 15);
  const ms = (ticks) => (ticks * 1000) / TICKS_PER_SECOND;
  return { own: ms(user + system), all: ms(user + system + childUser + childSystem) };
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
