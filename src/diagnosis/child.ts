/**
 * Runs one program in a process group of its own, with a time limit, and an end that is proven: after the answer nothing
 * of the group is left. No shell.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants, setPriority } from "node:os";
import { readEnviron } from "../sensors/process/proc.js";
import { readProcesses } from "../sensors/process/process-sensor.js";
import { isDead } from "../sensors/process/process-table.js";
import { readSockets } from "../sensors/process/sockets.js";

export interface ChildOptions {
  argv: readonly [string, ...string[]];
  /** In messages; default: the program. */
  name?: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: string;
  outputMax: number;
  /** Counted from its start, whatever it does. */
  totalMs: number;
  /** Counted from its first established connection, or from its start if connections cannot be seen. */
  connectedMs?: number;
  signal?: AbortSignal;
}

export interface ChildResult {
  end: "exited" | "late" | "too_much_output" | "cancelled" | "not_started";
  code: number | null;
  stdout: string;
  stderr: string;
  tookMs: number;
  /** No process of the group is left. */
  isGone: boolean;
  reason: string;
}

const ERRORS_MAX = 16 * 1024;
const TERM_MS = 2000;
const PROOF_MS = 5000;
const STEP_MS = 50;
const CONNECTION_STEP_MS = 1000;
/** In the environment of the program and of everything that it starts: finds what has left its group. */
const MARK = "ROUSE_INTERNAL_RUN";

export function runChild(options: ChildOptions): Promise<ChildResult> {
  const { argv, cwd, env, input, outputMax, totalMs, signal } = options;
  const startedAt = performance.now();
  const mark = randomUUID();
  return new Promise((resolve) => {
    const [file, ...args] = argv;
    const name = options.name ?? file;
    let child: ChildProcessWithoutNullStreams;
    const out = { stdout: "", stderr: "", bytes: 0 };
    const result = (end: ChildResult["end"], reason: string, more: Partial<ChildResult> = {}): ChildResult => ({
      end,
      code: null,
      stdout: out.stdout,
      stderr: out.stderr,
      tookMs: Math.round(performance.now() - startedAt),
      isGone: true,
      reason,
      ...more,
    });
    try {
      child = spawn(file, args, { cwd, env: { ...env, [MARK]: mark }, stdio: "pipe", detached: true });
    } catch (error) {
      resolve(result("not_started", `${name} could not be started: ${(error as Error).message}`));
      return;
    }
    const { pid } = child;
    let isOver = false;
    const finish = async (end: ChildResult["end"], reason: string, code: number | null = null): Promise<void> => {
      if (isOver) return;
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      child.stdin.destroy();
      const isGone = pid === undefined || (await endAll(pid, mark));
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(result(end, reason, { code, isGone }));
    };
    const cancel = (): void => void finish("cancelled", "cancelled");
    const timers: NodeJS.Timeout[] = [];
    const limit = (ms: number): void => {
      timers.push(
        setTimeout(() => void finish("late", `${name} did not answer within ${Math.round(ms / 1000)} s`), ms),
      );
    };
    limit(totalMs);
    child.once("error", (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "ENOENT" ? "program not found" : error.code === "EACCES" ? "permission denied" : error.message;
      void finish("not_started", `${name}: ${why}`);
    });
    if (pid !== undefined) {
      try {
        setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
      } catch {
        // It has already ended.
      }
      if (options.connectedMs !== undefined) {
        const { connectedMs } = options;
        void firstConnection(pid, () => isOver).then(() => {
          if (!isOver && connectedMs < totalMs - (performance.now() - startedAt)) limit(connectedMs);
        });
      }
    }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out.bytes += text.length;
      if (out.bytes > outputMax)
        void finish("too_much_output", `${name} printed more than ${Math.round(outputMax / 1024)} kB`);
      else out.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      out.stderr = (out.stderr + text).slice(-ERRORS_MAX);
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const exited = (code: number | null, killed: NodeJS.Signals | null): void =>
      void finish("exited", code === 0 ? "" : `${name} exited with ${code ?? killed}`, code ?? -1);
    child.once("close", exited);
    // A process that outlives it may hold its output open.
    child.once("exit", (code, killed) => timers.push(setTimeout(() => exited(code, killed), 500)));
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
  });
}

/** Resolves at the first established connection of the group, or at once if connections cannot be seen. */
async function firstConnection(pid: number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const [sockets, table] = await Promise.all([readSockets(), readProcesses()]);
    if (!sockets || !table) return;
    const own = [pid, ...table.descendants(pid).map((row) => row.pid)];
    if (own.some((one) => sockets.get(one)?.some(({ isServed }) => !isServed))) return;
    await pause(CONNECTION_STEP_MS);
  }
}

/** Ends the group and what has left it, and proves that nothing is left. */
async function endAll(pid: number, mark: string): Promise<boolean> {
  const groups = async (): Promise<number[]> => {
    const table = await readProcesses();
    if (!table) return isAlive(-pid) ? [-pid] : [];
    const marked = [...table.rows.values()].filter(
      (row) => !isDead(row) && row.pid !== process.pid && (row.sid === pid || readEnviron(row.pid)?.get(MARK) === mark),
    );
    return marked.map((row) => row.pid);
  };
  for (const [name, within] of [
    ["SIGTERM", TERM_MS],
    ["SIGKILL", PROOF_MS],
  ] as const) {
    const until = performance.now() + within;
    for (let left = await groups(); left.length > 0; left = await groups()) {
      if (performance.now() > until) break;
      for (const one of [-pid, ...left]) kill(one, name);
      await pause(STEP_MS);
    }
    if ((await groups()).length === 0) return true;
  }
  return false;
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
