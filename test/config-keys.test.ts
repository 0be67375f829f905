import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEY_BY_NAME } from "../src/config/keys.js";
import { strayVariables } from "../src/config/variables.js";

const SRC = join(import.meta.dirname, "..", "src");

/** The table itself, and what it is made of, ask for nothing. */
const TABLE = /^(?:config\/|core\/defaults\.ts)|\.test\.ts$/;

const source = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !TABLE.test(name))
  .map((name) => readFileSync(join(SRC, name), "utf8"))
  .join("\n");

const keys = [...KEY_BY_NAME].map(([full, { notUsedYet }]) => {
  const [section = "", name = ""] = full.split(".");
  const isFound = (pattern: string): boolean => new RegExp(pattern).test(source);
  return {
    full,
    isRead: isFound(`"${name}"|\\.${name}\\b`),
    // Another table may have a key of the same name.
    isSurelyRead: isFound(`\\b${section}\\.${name}\\b`),
    notUsedYet: notUsedYet === true,
  };
});

it("every key of the configuration is asked for somewhere, or says that it is not used yet", () => {
  expect(keys.filter(({ isRead, notUsedYet }) => !isRead && !notUsedYet)).toEqual([]);
});

it("no key that is asked for says that it is not used yet", () => {
  expect(keys.filter(({ isSurelyRead, notUsedYet }) => isSurelyRead && notUsedYet)).toEqual([]);
});

it("no variable that rouse reads or hands on is taken for one of the configuration that is misspelt", () => {
  const named = [...source.matchAll(/(?:env\.|")(ROUSE_[A-Z_]+)|\b(ROUSE_[A-Z_]+):/g)].map(([, a, b]) => a ?? b ?? "");
  expect(named.length).toBeGreaterThan(10);
  expect(strayVariables(Object.fromEntries(named.map((name) => [name, "x"])))).toEqual([]);
});
