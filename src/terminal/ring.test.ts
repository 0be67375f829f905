import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ring } from "./ring.js";

describe("the ring of last bytes", () => {
  it("keeps the last bytes for pieces of any size, and returns the first of them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
        fc.nat(40),
        fc.nat(40),
        (chunks, wanted, taken) => {
          const ring = new Ring(16);
          for (const chunk of chunks) ring.push(Buffer.from(chunk));
          const all = Buffer.concat(chunks);
          const length = Math.min(wanted, 16, all.length);
          expect(ring.total).toBe(all.length);
          const tail = all.subarray(all.length - length);
          expect(ring.tail(wanted)).toEqual(tail);
          expect(ring.tail(wanted, taken)).toEqual(tail.subarray(0, taken));
        },
      ),
    );
  });

  it("gives the output up to a time, as far as it is kept", () => {
    const ring = new Ring(8);
    ring.push(Buffer.from("abcd"), 1000);
    ring.push(Buffer.from("ef"), 5000);
    ring.push(Buffer.from("gh"), 9000);
    expect(ring.before(4999)?.toString()).toBe("abcd");
    expect(ring.before(5000)?.toString()).toBe("abcdef");
    expect(ring.before(99_000)?.toString()).toBe("abcdefgh");
    expect(ring.before(999)).toBeNull();
    ring.push(Buffer.from("ijkl"), 12_000);
    expect(ring.before(8000)?.toString()).toBe("ef");
    ring.push(Buffer.from("mnopqrst"), 15_000);
    expect(ring.before(12_000)).toBeNull();
  });
});
