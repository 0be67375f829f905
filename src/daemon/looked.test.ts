import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Looked } from "./looked.js";

const NOW = Date.parse("2026-03-02T09:00:00Z");
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-looked-"));
  path = join(folder, "looked");
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(): number | null {
  const looked = new Looked(path);
  looked.close();
  return looked.before;
}

describe("the last look", () => {
  it("is known to the next daemon, to five seconds", () => {
    const looked = new Looked(path);
    expect(looked.before).toBeNull();
    for (let ms = 0; ms <= 12_000; ms += 1000) looked.keep(NOW + ms);
    // Not closed, as after a kill.
    expect(read()).toBe(NOW + 10_000);
    looked.close();
  });

  it.each(["", "17724", "garbage that is long", "\0\0\0\0\0\0\0\0\0\0\0\0\0"])("is not known from %j", (text) => {
    writeFileSync(path, text);
    expect(read()).toBeNull();
  });

  it("is not written through a link", () => {
    writeFileSync(join(folder, "other"), "mine");
    symlinkSync(join(folder, "other"), path);
    expect(() => new Looked(path)).toThrow("ELOOP");
    expect(readFileSync(join(folder, "other"), "utf8")).toBe("mine");
  });
});
