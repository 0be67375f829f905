#!/usr/bin/env node
/** Writes the reference part of docs/api.md from the table of operations; with --check it only compares. Needs a build. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiReference } from "../dist/api/reference.js";

const BEGIN = "<!-- reference: written by npm run docs:api -->\n";
const END = "<!-- end of the reference -->\n";

const path = fileURLToPath(new URL("../docs/api.md", import.meta.url));
const before = readFileSync(path, "utf8");
const [head, rest = ""] = before.split(BEGIN);
const tail = rest.split(END)[1] ?? "";
const after = `${head}${BEGIN}\n${apiReference()}\n${END}${tail}`;

if (process.argv.includes("--check")) {
  if (after !== before) console.error("docs/api.md is out of date; run npm run docs:api");
  process.exitCode = after === before ? 0 : 1;
} else {
  writeFileSync(path, after);
}
