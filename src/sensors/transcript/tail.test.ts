import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realRoot } from "./safe-open.js";
import { Tail, type TailMark } from "./tail.js";

const RUNS = process.env.ROUSE_FULL ? 2000 : 150;
let root: string;
let count = 0;

beforeAll(() => {
  root = realRoot(mkdtempSync(join(tmpdir(), "rouse-tail-"))) as string;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function freshPath(): string {
  const folder = join(root, String(count++));
  mkdirSync(folder);
  return join(folder, "t.jsonl");
}

async function drain(tail: Tail): Promise<string[]> {
  const lines: string[] = [];
  for (let step = 0; step < 10_000; step++) {
    const read = await tail.read();
    lines.push(...read.lines);
    if (!read.more) return lines;
  }
  throw new Error("never comes to an end");
}

type Step =
  | { do: "append"; lines: number; half: boolean; size: number }
  | { do: "finish" }
  | { do: "cut"; lines: number }
  | { do: "empty" }
  | { do: "rewrite"; lines: number }
  | { do: "rotate"; lines: number }
  | { do: "copy"; lines: number }
  | { do: "restart" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      lines: fc.nat(6),
      half: fc.boolean(),
      size: fc.nat(300),
    }),
  },
  fc.record({ do: fc.constant("finish" as const) }),
  fc.record({ do: fc.constant("cut" as const), lines: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant("empty" as const) }),
  fc.record({ do: fc.constant("rewrite" as const), lines: fc.nat(8) }),
  fc.record({ do: fc.constant("rotate" as const), lines: fc.nat(5) }),
  fc.record({ do: fc.constant("copy" as const), lines: fc.nat(5) }),
  fc.record({ do: fc.constant("restart" as const) }),
);

describe("Tail", () => {
  it("gives each complete line once and in order, whatever happens to the file", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.constantFrom(7, 64, 4096), async (steps, chunkBytes) => {
        const path = freshPath();
        const expected: string[] = [];
        const got: string[] = [];
        let serial = 0;
        // Each line is unique, so that a repeated and a lost line both show.
        const fresh = (size: number) => `${serial++}:${"ä".repeat(size)}`;
        const write = (lines: string[]) => lines.map((line) => `${line}\n`).join("");
        let half = "";
        let marks: readonly TailMark[] = [];
        let tail = new Tail(path, { root, chunkBytes });
        writeFileSync(path, "");
        await drain(tail);
        for (const now of steps) {
          const lines = Array.from({ length: "lines" in now ? now.lines : 0 }, () =>
            fresh("size" in now ? now.size : 3),
          );
          if (now.do === "append" || now.do === "finish") {
            const whole = now.do === "finish" && half === "" ? [] : half === "" ? lines : [half, ...lines];
            const joined = half === "" ? write(lines) : now.do === "finish" ? "\n" : `\n${write(lines)}`;
            expected.push(...whole);
            half = now.do === "append" && now.half ? fresh(2) : "";
            appendFileSync(path, joined + half);
          } else if (now.do === "cut") {
            // The remaining lines were returned already and must not be returned again.
            const kept = readFileSync(path, "utf8").split("\n").slice(0, -1).slice(0, -now.lines);
            half = "";
            truncateSync(path, Buffer.byteLength(write(kept)));
          } else if (now.do === "empty") {
            half = "";
            truncateSync(path, 0);
          } else if (now.do === "rewrite") {
            half = "";
            writeFileSync(path, write(lines));
            expected.push(...lines);
          } else if (now.do === "rotate" || now.do === "copy") {
            // Lines appended just before the rename are still read from the old file.
            const last = half === "" ? [fresh(5)] : [];
            appendFileSync(path, write(last));
            expected.push(...last);
            const copied = now.do === "copy" ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
            half = "";
            if (now.do === "rotate") renameSync(path, `${path}.${serial}`);
            writeFileSync(`${path}.new`, write([...copied, ...lines]));
            renameSync(`${path}.new`, path);
            expected.push(...lines);
          } else {
            marks = JSON.parse(JSON.stringify(tail.position)) as TailMark[];
            await tail.close();
            tail = new Tail(path, { root, chunkBytes, marks });
          }
          got.push(...(await drain(tail)));
        }
        await tail.close();
        expect(got).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it("reads a large file that it has not seen before from the first whole line in its window", async () => {
    const path = freshPath();
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${i}`);
    writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
    const tail = new Tail(path, { root, windowBytes: 1000 });
    const got = await drain(tail);
    expect(got.length).toBeLessThan(120);
    expect(got).toEqual(lines.slice(-got.length));
    appendFileSync(path, "next\n");
    expect(await drain(tail)).toEqual(["next"]);
    await tail.close();
  });

  it("returns the lines before its position without reading them again", async () => {
    const path = freshPath();
    writeFileSync(path, "a\nb\nc");
    const first = new Tail(path, { root });
    expect(await drain(first)).toEqual(["a", "b"]);
    await first.close();
    const second = new Tail(path, { root, marks: first.position });
    expect(await second.readBefore()).toEqual(["a", "b"]);
    appendFileSync(path, "c\n");
    expect(await drain(second)).toEqual(["cc"]);
    await second.close();
  });

  it("waits for a file that does not exist yet, and again when it is removed", async () => {
    const path = freshPath();
    const tail = new Tail(path, { root });
    expect((await tail.read()).refusal).toBe("missing");
    writeFileSync(path, "a\n");
    expect(await drain(tail)).toEqual(["a"]);
    rmSync(path);
    expect((await tail.read()).refusal).toBe("missing");
    writeFileSync(path, "b\n");
    expect(await drain(tail)).toEqual(["b"]);
    await tail.close();
  });

  it("reads a bounded piece at a time", async () => {
    const path = freshPath();
    writeFileSync(path, "x\n".repeat(10_000));
    const tail = new Tail(path, { root, chunkBytes: 1000, windowBytes: 1e9 });
    const { lines, more } = await tail.read();
    expect([lines.length, more]).toEqual([500, true]);
    await tail.close();
  });
});
