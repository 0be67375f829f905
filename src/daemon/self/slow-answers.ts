/** Slow answers: a blank at intervals shows the client that the answer is under way. Blanks before JSON are ignored. */

const SIGN_MS = 1000;

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
