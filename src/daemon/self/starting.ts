/** Answers requests with the progress while the daemon reads its journal. A million signals take some seconds. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Longest wait of a request for an answer. */
const PIECE_MS = 20;

export interface RestoreProgress {
  /** Signals folded so far, and of how many. */
  folded: number;
  of: number;
}

export function answerStarting(
  version: string,
  fold: RestoreProgress,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const isHealth = request.method === "GET" && request.url === "/v1/health";
  const share = fold.of > 0 ? Math.min(99, Math.floor((100 * fold.folded) / fold.of)) : 0;
  const body = isHealth
    ? { ok: false, version, pid: process.pid, starting: fold }
    : { error: `the daemon is starting: ${share} % of its journal is read; try again in a moment` };
  request.resume();
  response.writeHead(isHealth ? 200 : 503, { "content-type": "application/json", "retry-after": "1" });
  response.end(JSON.stringify(body));
}

/** Works in pieces; requests are answered between them. */
export async function inPieces(work: Generator<number, number>, fold: RestoreProgress): Promise<void> {
  for (;;) {
    const until = performance.now() + PIECE_MS;
    let step = work.next();
    while (!step.done && performance.now() < until) step = work.next();
    fold.folded = step.value;
    if (step.done) return;
    await nextTurn();
  }
}
