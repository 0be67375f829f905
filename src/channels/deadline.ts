/** How long a channel waits for an answer. */

const PARTS = 10;

/**
 * Aborts after this time, in which this process could have read an answer. A process that was starved, stopped or busy
 * would otherwise find its time over before it reads an answer that arrived meanwhile, and send the alert again.
 */
export function deadline(ms: number): AbortSignal {
  const over = new AbortController();
  let parts = 0;
  const counting = setInterval(() => {
    if (++parts < PARTS) return;
    clearInterval(counting);
    // After the next reading from the network.
    setImmediate(() => over.abort());
  }, ms / PARTS);
  counting.unref();
  return over.signal;
}
