import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEY_BY_NAME } from "../src/config/keys.js";
import { strayVariables } from "../src/config/variables.js";
import { DEFAULTS } from "../src/core/defaults.js";

const SRC = join(import.meta.dirname, "..", "src");

/** The table itself and its parts do not read values. */
const TABLE = /^(?:config\/|core\/defaults\.ts)|\.test\.ts$/;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !TABLE.test(name))
  .map((name) => readFileSync(join(SRC, name), "utf8"));
const source = files.join("\n");

/** A threshold is read by its name alone; any other key in a file that names its section too. */
function isRead(full: string): boolean {
  const [section = "", name = ""] = full.split(".");
  if (Object.hasOwn(DEFAULTS, name)) return isNamed(source, name);
  return files.some((text) => new RegExp(`\\b${section}\\b`).test(text) && isNamed(text, name));
}

const isNamed = (text: string, name: string): boolean =>
  new RegExp(`"${name}"|\\.${name}\\b|\\{[^}]*\\b${name}\\b[^}]*\\} = `).test(text);

it("every configuration key is read by the code", () => {
  expect([...KEY_BY_NAME.keys()].filter((full) => !isRead(full))).toEqual([]);
  for (const unread of ["hub.runner", "accounts.runs_per_day", "watchdog.threshold"])
    expect([unread, isRead(unread)]).toEqual([unread, false]);
});

it("no variable that rouse reads or sets is reported as a misspelt configuration variable", () => {
  const named = [...source.matchAll(/(?:env\.|")(ROUSE_[A-Z_]+)|\b(ROUSE_[A-Z_]+):/g)].map(([, a, b]) => a ?? b ?? "");
  expect(named.length).toBeGreaterThan(10);
  expect(strayVariables(Object.fromEntries(named.map((name) => [name, "x"])))).toEqual([]);
});
