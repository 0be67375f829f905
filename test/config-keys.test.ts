import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEY_BY_NAME } from "../src/config/keys.js";
import { strayVariables } from "../src/config/variables.js";

const SRC = join(import.meta.dirname, "..", "src");

/** The table itself and its parts do not read values. */
const TABLE = /^(?:config\/|core\/defaults\.ts)|\.test\.ts$/;

const source = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !TABLE.test(name))
  .map((name) => readFileSync(join(SRC, name), "utf8"))
  .join("\n");

it("every configuration key is read by the code", () => {
  const isRead = (name: string): boolean => new RegExp(`"${name}"|\\.${name}\\b`).test(source);
  expect([...KEY_BY_NAME.keys()].filter((full) => !isRead(full.split(".")[1] ?? ""))).toEqual([]);
});

it("no variable that rouse reads or sets is reported as a misspelt configuration variable", () => {
  const named = [...source.matchAll(/(?:env\.|")(ROUSE_[A-Z_]+)|\b(ROUSE_[A-Z_]+):/g)].map(([, a, b]) => a ?? b ?? "");
  expect(named.length).toBeGreaterThan(10);
  expect(strayVariables(Object.fromEntries(named.map((name) => [name, "x"])))).toEqual([]);
});
