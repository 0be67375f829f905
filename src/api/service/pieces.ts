/** Long answers, made in pieces: the daemon keeps judging between them. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Longest time that a piece blocks the daemon. */
const PIECE_MS = 10;

export async function inPieces<Answer>(work: Generator<void, Answer>): Promise<Answer> {
  for (;;) {
    const until = performance.now() + PIECE_MS;
    let step = work.next();
    while (!step.done && performance.now() < until) step = work.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}
