import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEY_BY_NAME } from "../src/config/keys.js";

const SRC = join(import.meta.dirname, "..", "src");

/** The table itself, and what it is made of, ask for nothing. */
const TABLE = /^(?:config\/|core\/defaults\.ts)|\.test\.ts$/;

it("every key of the configuration is asked for somewhere, or says that it is not used yet", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !TABLE.test(name),
  );
  const source = files.map((name) => readFileSync(join(SRC, name), "utf8")).join("\n");
  const unread = [...KEY_BY_NAME].flatMap(([full, { notUsedYet }]) => {
    const [section = "", name = ""] = full.split(".");
    const isRead = new RegExp(`"${name}"|\\.${section}\\.${name}\\b|\\b${section}\\.${name}\\b|\\.${name}\\b`).test(
      source,
    );
    return isRead || notUsedYet ? [] : [full];
  });
  expect(unread).toEqual([]);
});
