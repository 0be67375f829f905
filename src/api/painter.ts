/**
 * Draws terminals in a thread of its own, one after the other, each within a limit of time and memory: what an agent has
 * printed must not keep the daemon from judging the others.
 */
import { Worker } from "node:worker_threads";
import { ApiError } from "./error.js";

export interface PaintOrder {
  bytes: Uint8Array;
  size: { cols: number; rows: number };
  /** How many of the last rows are wanted. */
  lines: number;
}

/** A terminal full of output takes 0.1 s, most of it to start the thread. */
const WITHIN_MS = 10_000;
const WAITING_MAX = 16;
const MEMORY_MAX_MB = 256;
const SCRIPT = new URL("./paint-worker.js", import.meta.url);

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

export async function paintApart(order: PaintOrder, script: URL = SCRIPT, withinMs = WITHIN_MS): Promise<string[]> {
  if (waiting >= WAITING_MAX) throw new ApiError("full", "too many terminals are being read; try again");
  waiting++;
  const painted = last.then(() => paintedBy(script, order, withinMs));
  last = painted.catch(() => {}).finally(() => waiting--);
  return painted;
}

function paintedBy(script: URL, order: PaintOrder, withinMs: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB },
    });
    worker.unref();
    const late = setTimeout(() => fail(`it takes longer than ${withinMs / 1000} s`), withinMs);
    const end = (): void => {
      clearTimeout(late);
      void worker.terminate();
    };
    const fail = (reason: string): void => {
      end();
      reject(new ApiError("refused", `the terminal could not be drawn: ${reason}`));
    };
    worker.once("message", (rows: string[]) => {
      end();
      resolve(rows);
    });
    worker.once("error", (error) => fail(error.message));
    worker.once("exit", (code) => fail(`its thread ended with code ${code}`));
  });
}

/** The last rows, without the empty ones below. */
export function lastRows(rows: readonly string[], lines: number): string[] {
  let end = rows.length;
  while (end > 0 && rows[end - 1]?.trim() === "") end--;
  return rows.slice(Math.max(0, end - lines), end);
}
