import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "./error.js";
import { paintApart } from "./painter.js";

/** Threads run compiled code. */
const BUILT = new URL("../../dist/api/paint-worker.js", import.meta.url);
const order = { bytes: Buffer.from("one\r\ntwo\u001b[1A\r\u001b[2KONE"), size: { cols: 20, rows: 4 }, lines: 40 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-painter-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function script(text: string): URL {
  const path = join(folder, "worker.mjs");
  writeFileSync(path, text);
  return pathToFileURL(path);
}

describe("drawing a terminal in another thread", () => {
  it("returns the last rows", async () => {
    expect(await paintApart(order, BUILT)).toEqual(["ONE", "two"]);
    expect(await paintApart({ ...order, lines: 1 }, BUILT)).toEqual(["two"]);
  });

  it("survives output that makes the bare emulator throw", async () => {
    const bytes = Buffer.from("\u001b[4;20H\u001b[1J\u001b[Hstill here");
    expect(await paintApart({ ...order, bytes }, BUILT)).toEqual(["still here"]);
  });

  it.each([
    ["takes too long", "while (true);", /longer than 0.05 s/],
    ["fails", 'throw new Error("no such thing")', /no such thing/],
    ["ends without an answer", "process.exit(3)", /ended with code 3/],
  ])("is refused if the thread %s, and the next one is drawn", async (_what, text, reason) => {
    const failed = paintApart(order, script(text), text.startsWith("while") ? 50 : 60_000);
    const next = paintApart(order, BUILT);
    await expect(failed).rejects.toThrow(ApiError);
    await expect(failed).rejects.toThrow(reason);
    expect(await next).toEqual(["ONE", "two"]);
  });

  it("is refused if many others wait", async () => {
    const stuck = script("while (true);");
    const asked = Array.from({ length: 20 }, () => paintApart(order, stuck, 50).catch((error: ApiError) => error.kind));
    expect(await Promise.all(asked)).toEqual([...Array(16).fill("refused"), ...Array(4).fill("full")]);
  });
});
