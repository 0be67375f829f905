import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Moment } from "./clock.js";
import { LastWatchedFile } from "./last-watched.js";

const NOW = Date.parse("2026-03-02T09:00:00Z");
const BOOT = "5e0a37f2-7d3c-4a6f-9c52-0f8c0c3f1b11";
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-checked-"));
  path = join(folder, "checked");
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(): Moment | null {
  const checked = new LastWatchedFile(path);
  checked.close();
  return checked.before;
}

describe("the time of the last observation", () => {
  it("is known to the next daemon within five seconds", () => {
    const checked = new LastWatchedFile(path);
    expect(checked.before).toBeNull();
    for (let ms = 0; ms <= 12_000; ms += 1000)
      checked.keep({ now: NOW + ms, wall: NOW - 9, uptime: { ms: 70 + ms, boot: BOOT } });
    // Not closed, as after a kill.
    expect(read()).toEqual({ now: NOW + 10_000, wall: NOW - 9, uptime: { ms: 10_070, boot: BOOT } });
    checked.close();
  });

  it.each([{ ms: 90_000, boot: null }, null])("is stored with the known uptime of the machine: %j", (uptime) => {
    const before = new LastWatchedFile(path);
    before.keep({ now: NOW, wall: NOW, uptime: { ms: 1, boot: BOOT } });
    before.close();
    const checked = new LastWatchedFile(path);
    checked.keep({ now: NOW + 6000, wall: NOW + 5000, uptime });
    checked.close();
    expect(read()).toEqual({ now: NOW + 6000, wall: NOW + 5000, uptime });
  });

  it("is read from the format of an older rouse, which stored only the time", () => {
    writeFileSync(path, String(NOW));
    expect(read()).toEqual({ now: NOW, wall: NOW, uptime: null });
  });

  it.each(["", "17724", "garbage that is long", "\0\0\0\0\0\0\0\0\0\0\0\0\0"])(
    "is unknown for the content %j",
    (text) => {
      writeFileSync(path, text);
      expect(read()).toBeNull();
    },
  );

  it("is not written through a link", () => {
    writeFileSync(join(folder, "other"), "mine");
    symlinkSync(join(folder, "other"), path);
    expect(() => new LastWatchedFile(path)).toThrow("ELOOP");
    expect(readFileSync(join(folder, "other"), "utf8")).toBe("mine");
  });
});
