import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeNew, writeWhole } from "./whole-file.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-whole-"));
  path = join(folder, "file");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a file that is written completely or not at all", () => {
  it("replaces the previous file, is private to the user, and leaves no other file in the folder", () => {
    writeFileSync(path, "before", { mode: 0o644 });
    writeWhole(path, "after");
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["after", 0o600]);
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  it("leaves the previous file in place if it cannot be written", () => {
    writeFileSync(path, "before");
    mkdirSync(join(folder, `file.${process.pid}.new`));
    expect(() => writeWhole(path, "after")).toThrow("EISDIR");
    expect(readFileSync(path, "utf8")).toBe("before");
  });

  it("is created only if there is no file, or an empty one", () => {
    expect(writeNew(path, "first")).toBe(true);
    expect(writeNew(path, "second")).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("first");
    writeFileSync(path, "");
    expect(writeNew(path, "third")).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("third");
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  it("is not created through a link", () => {
    writeFileSync(join(folder, "empty"), "");
    symlinkSync(join(folder, "empty"), path);
    expect(writeNew(path, "text")).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("");
  });
});
