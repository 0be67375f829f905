import { CHECK_MS } from "../../src/readers/terminal/terminal.js";
/** Cuts the terminal's bytes of a recording again, as another reader of the same PTY would have received them. */
import type { RecordedInput } from "../../src/replay/inputs.js";

/**
 * Bytes between two time boundaries are joined and cut into pieces of `size`; a boundary itself, keys, records and
 * everything else stay where they are. Half a character at the end of a piece is what a real read gives too.
 */
export async function* rechunk(inputs: AsyncIterable<RecordedInput>, size: number): AsyncGenerator<RecordedInput> {
  let held: Uint8Array[] = [];
  let heldAt = 0;
  const windowOf = (t: number): number => Math.floor((t * 1000) / CHECK_MS);
  function* pieces(): Generator<RecordedInput> {
    const all = Buffer.concat(held);
    held = [];
    for (let at = 0; at < all.length; at += size)
      yield { t: heldAt, kind: "bytes", bytes: all.subarray(at, at + size) };
  }
  for await (const input of inputs) {
    if (input.kind === "bytes" && (held.length === 0 || windowOf(input.t) === windowOf(heldAt))) {
      if (held.length === 0) heldAt = input.t;
      held.push(input.bytes);
      continue;
    }
    yield* pieces();
    if (input.kind === "bytes") {
      held = [input.bytes];
      heldAt = input.t;
    } else yield input;
  }
  yield* pieces();
}
