#!/usr/bin/env node
/**
 * Writes docs/configuration.md from the table of keys, the plans and keys of a policy into docs/acting.md, and the states of a
 * task into docs/work.md. Needs a build.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { planReference, policyReference } from "../dist/config/policy-reference.js";
import { configReference } from "../dist/config/reference.js";
import { taskReference } from "../dist/hub/task-reference.js";

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configReference());

writePart("acting.md", "plans", planReference());
writePart("acting.md", "keys", policyReference());
writePart("work.md", "states", taskReference());

/** Between its two markers. */
function writePart(page, name, text) {
  const file = new URL(`../docs/${page}`, import.meta.url);
  const part = new RegExp(`(<!-- ${name}: written by npm run docs:config -->\n).*?(<!-- end of the ${name} -->)`, "s");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(part, (_, begin, end) => `${begin}\n${text}\n${end}`),
  );
}
