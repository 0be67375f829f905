import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isCast, openCast } from "./cast.js";
import { readLines } from "./files.js";
import { fromArray, isOnClock, mergeInputs, type RecordedInput } from "./inputs.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rouse-cast-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}
const HEADER = '{"version": 2, "width": 80, "height": 24, "timestamp": 1700000000}';
const CAST = [HEADER, '[0.5, "o", "hi"]', '[1, "i", "y"]', '[2, "r", "100x30"]', '[3, "m", "mark"]'].join("\n");

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("a cast", () => {
  it.each([
    ['"claude --continue"', "claude"],
    ['" /usr/bin/codex"', "/usr/bin/codex"],
    ['""', null],
    ["7", null],
  ])("names the program that its header's command %s starts", async (command, program) => {
    const header = `{"version": 2, "width": 80, "height": 24, "command": ${command}}`;
    expect((await openCast(await file("named.cast", header), false)).header.program).toBe(program);
  });

  it.each([
    ["", "it is empty"],
    ["hello", 'its first line must be a JSON header with "version": 2 or 3'],
    ['{"version": 1, "width": 80, "height": 24}', 'its first line must be a JSON header with "version": 2 or 3'],
    ['{"version": 2}', 'its header, of version 2, must have "width" and "height" as numbers'],
    ['{"version": 3, "term": 7}', 'its header, of version 3, must have "cols" and "rows" in "term" as numbers'],
    [
      '{"type": "user", "version": "2.1.197"}',
      'its first line must be a JSON header with "version": 2 or 3; pass a transcript with --transcript FILE',
    ],
  ])("is rejected with the first line %j, and the error says what was expected", async (line, complaint) => {
    const path = await file("none.cast", line);
    await expect(openCast(path, false)).rejects.toThrow(`${path} is not an asciinema recording: ${complaint}`);
  });

  it("gives its size and start, and its inputs in order", async () => {
    const { header, inputs } = await openCast(await file("a.cast", CAST), false);
    expect(header).toMatchObject({ cols: 80, rows: 24, startAt: 1_700_000_000_000 });
    expect(await all(inputs)).toMatchObject([
      { t: 0.5, kind: "bytes", bytes: new TextEncoder().encode("hi") },
      { t: 1, kind: "keys", text: "y" },
      { t: 2, kind: "size", cols: 100, rows: 30 },
      { t: 3, kind: "end" },
    ]);
  });

  it("is read compressed or not, by its bytes and not by its name", async () => {
    const { inputs } = await openCast(await file("packed.cast", gzipSync(CAST)), true);
    expect((await all(inputs))[0]).toMatchObject({ t: 0.5, kind: "stdout" });
  });

  it("is read up to the point at which a compressed block was cut off", async () => {
    const long = [HEADER, ...Array.from({ length: 5000 }, (_, i) => `[${i}, "o", "${Math.sin(i)}"]`)].join("\n");
    const packed = gzipSync(long);
    const { inputs } = await openCast(await file("cut.cast.gz", packed.subarray(0, packed.length / 2)), false);
    const found = await all(inputs);
    expect(found.length).toBeGreaterThan(100);
    expect(found.length).toBeLessThan(5000);
  });

  it("loses only a damaged line, and counts it", async () => {
    const damaged = [HEADER, '[1, "o", "a"]', "{", '[2, "o"]', '["x", "o", "b"]', '[4, "o", "c"]'].join("\n");
    const { inputs, skipped } = await openCast(await file("damaged.cast", damaged), false);
    expect((await all(inputs)).map(({ t }) => t)).toEqual([1, 4]);
    expect(skipped()).toBe(3);
  });

  it("never runs backwards", async () => {
    const { inputs } = await openCast(
      await file("back.cast", [HEADER, '[5, "o", "a"]', '[2, "o", "b"]'].join("\n")),
      false,
    );
    expect((await all(inputs)).map(({ t }) => t)).toEqual([5, 5]);
  });

  it.each([
    ["", "empty"],
    ['{"version": 9, "width": 80, "height": 24}', "another version"],
    ["not json", "no JSON"],
  ])("with invalid content is refused with its name and what was expected: %j", async (content) => {
    const path = await file("none.cast", content);
    await expect(openCast(path, false)).rejects.toThrow(/none\.cast.*asciinema/);
  });

  it("is refused with its name if it does not exist", async () => {
    await expect(openCast(join(folder, "missing.cast"), false)).rejects.toThrow(/missing\.cast/);
  });
});

describe("lines of a file", () => {
  it("are complete for any chunking of the file, with and without a last line break", async () => {
    const lines = Array.from({ length: 9000 }, (_, i) => `Zeile ${i} äöü`);
    expect(await all(readLines(await file("lines", lines.join("\n"))))).toEqual(lines);
    expect(await all(readLines(await file("lines-gz", gzipSync(`${lines.join("\n")}\n`))))).toEqual(lines);
  });
});

describe("merged inputs", () => {
  const at = (t: number, text: string): RecordedInput => ({ t, kind: "keys", text });

  it("are ordered by time, and at equal times by source", async () => {
    const merged = mergeInputs([
      fromArray([at(1, "a"), at(3, "c")]),
      fromArray([]),
      fromArray([at(1, "b"), at(2, "d")]),
    ]);
    expect((await all(merged)).map((input) => ("text" in input ? input.text : ""))).toEqual(["a", "b", "d", "c"]);
  });

  it("have a time that a recording can have", () => {
    expect([0, 5, -1, Number.NaN, 1e300].map(isOnClock)).toEqual([true, true, false, false, false]);
  });
});

describe("isCast", () => {
  it.each([
    ["a header of a cast", '{"version": 2, "width": 80, "height": 24}', true],
    ["a record of a transcript", '{"version": "2.1.210", "type": "user"}', false],
    ["the start of a document", "{", false],
    ["any other text", "hello", true],
    ["nothing", "", true],
  ])("takes %s for what it is", async (_, line, wanted) => {
    const path = join(folder, "first-line");
    await writeFile(path, `${line}\n`);
    expect(await isCast(path)).toBe(wanted);
  });
});
