/** Slow answers: a space at intervals shows the client that the answer is under way. Spaces before JSON are ignored. */

const SIGN_MS = 1000;

/** Answers with the result of `work`. */
export function waitingJson(work: Promise<unknown>): Response {
  const encoder = new TextEncoder();
  let sign: NodeJS.Timeout | undefined;
  // A client that left before the end: writing to its stream would end the daemon.
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      sign = setInterval(() => controller.enqueue(encoder.encode(" ")), SIGN_MS);
      work.then(
        (value) => {
          clearInterval(sign);
          if (isCancelled) return;
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
      isCancelled = true;
      clearInterval(sign);
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}
