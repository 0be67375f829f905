/** Answers that take their time: a blank now and then tells whoever waits that they are under way. Blanks in front of JSON mean nothing. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** So long the daemon's other work waits for a piece of this. */
const PIECE_MS = 10;
const SIGN_MS = 1000;

/** Work of the daemon's own, done in pieces between which it goes on judging. */
export function slowJson(work: Generator<void, unknown>): Response {
  const encoder = new TextEncoder();
  let gone = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        let signedAt = performance.now();
        for (;;) {
          const until = performance.now() + PIECE_MS;
          let step = work.next();
          while (!step.done && performance.now() < until) step = work.next();
          if (step.done) {
            controller.enqueue(encoder.encode(JSON.stringify(step.value)));
            controller.close();
            return;
          }
          await nextTurn();
          if (gone) return;
          if (performance.now() - signedAt < SIGN_MS) continue;
          signedAt = performance.now();
          controller.enqueue(encoder.encode(" "));
        }
      } catch (error) {
        if (!gone) controller.error(error);
      }
    },
    cancel() {
      gone = true;
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** Something is done elsewhere, and its end is waited for. */
export function waitingJson(work: Promise<unknown>): Response {
  const encoder = new TextEncoder();
  let sign: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      sign = setInterval(() => controller.enqueue(encoder.encode(" ")), SIGN_MS);
      work.then(
        (value) => {
          clearInterval(sign);
          controller.enqueue(encoder.encode(JSON.stringify(value)));
          controller.close();
        },
        (error: unknown) => {
          clearInterval(sign);
          controller.error(error);
        },
      );
    },
    cancel() {
      clearInterval(sign);
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}
