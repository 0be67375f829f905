import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "./lines.js";

function split(chunks: Iterable<Uint8Array | string>, maxBytes?: number): { lines: string[]; dropped: number } {
  const splitter = new LineSplitter(maxBytes);
  const lines: string[] = [];
  for (const chunk of chunks) lines.push(...splitter.push(chunk));
  lines.push(...splitter.end());
  return { lines, dropped: splitter.dropped };
}

function* pieces<T extends Uint8Array | string>(whole: T, sizes: readonly number[]): Generator<T> {
  for (let from = 0, i = 0; from < whole.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield whole.slice(from, from + size) as T;
    from += size;
  }
}

const text = fc
  .array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\n", "\r\n", "é", "🦊", "\0", "{}\n")))
  .map((parts) => parts.join(""));
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe("LineSplitter", () => {
  it("gives the same lines for any chunking of bytes", () => {
    fc.assert(
      fc.property(text, sizes, (whole, cut) => {
        const bytes = new TextEncoder().encode(whole);
        expect(split(pieces(bytes, cut))).toEqual(split([bytes]));
      }),
    );
  });

  it("gives the same lines for any chunking of a string, even between the halves of a character", () => {
    fc.assert(
      fc.property(text, sizes, (whole, cut) => {
        expect(split(pieces(whole, cut))).toEqual(split([new TextEncoder().encode(whole)]));
      }),
    );
  });

  it("keeps empty lines, so that lines can be counted", () => {
    expect(split(["a\n\nb\r\n\nc"]).lines).toEqual(["a", "", "b", "", "c"]);
  });

  it("loses only the line that is too long, and counts it", () => {
    const whole = `short\n${"x".repeat(50)}\nnext\n${"y".repeat(50)}`;
    for (const size of [1, 7, 4096]) {
      expect(split(pieces(whole, [size]), 16)).toEqual({ lines: ["short", "", "next", ""], dropped: 2 });
    }
  });

  it("holds no more than one line", () => {
    const splitter = new LineSplitter(1024);
    const before = process.memoryUsage().arrayBuffers;
    const chunk = new Uint8Array(65_536).fill(120);
    for (let i = 0; i < 2000; i++) expect(splitter.push(chunk)).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
    expect(splitter.push("\nafter\n")).toEqual(["", "after"]);
  });

  it("accepts bytes that are not text", () => {
    expect(split([new Uint8Array([0, 255, 254, 10, 195, 10])]).lines).toEqual(["\0\ufffd\ufffd", "\ufffd"]);
  });

  it("keeps the order when strings and bytes are mixed", () => {
    const fox = "🦊";
    expect(split([fox.slice(0, 1), new TextEncoder().encode("b\n")]).lines).toEqual(["\ufffdb"]);
  });
});
