import { describe, expect, it } from "vitest";
import { isNewEnough, loadSqlite, type Modules } from "./sqlite.js";

const module = (name: string) => () => ({
  DatabaseSync: class {
    readonly name = name;
    exec(): void {}
    prepare(): never {
      throw new Error("not used");
    }
    close(): void {}
  },
});
const modules: Modules = { builtinVersion: "3.53.4", builtin: module("builtin"), fallback: module("package") };

describe("loadSqlite", () => {
  it.each([
    [undefined, false],
    ["3.45.1", false],
    ["3.51.2", false],
    ["3.51.3", true],
    ["3.53.0", true],
    ["4.0.0", true],
    ["2.99.99", false],
  ])("uses the built-in SQLite %s: %s", (version, taken) => {
    expect(isNewEnough(version)).toBe(taken);
    const { engine } = loadSqlite({ ...modules, builtinVersion: version });
    expect(engine).toBe(taken ? "node:sqlite" : "@photostructure/sqlite");
  });

  it("says what to do if there is none", () => {
    const missing = () => {
      throw new Error("Cannot find module '@photostructure/sqlite'\nRequire stack: ...");
    };
    expect(() => loadSqlite({ ...modules, builtinVersion: "3.45.1", fallback: missing })).toThrow(
      /3\.45\.1 is older than 3\.51\.3.*Cannot find module '@photostructure\/sqlite'\).*Install rouse again/,
    );
  });

  it("opens a database on this Node.js", () => {
    const database = loadSqlite().open(":memory:");
    const version = String(database.prepare("select sqlite_version() as v").get()?.v);
    database.close();
    expect(isNewEnough(version)).toBe(true);
  });
});
