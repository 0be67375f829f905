#!/usr/bin/env node
/** Writes docs/configuration.md from the table of keys, and the keys of a policy into docs/acting.md. Needs a build. */
import { readFileSync, writeFileSync } from "node:fs";
import { policyReference } from "../dist/config/policy-reference.js";
import { configReference } from "../dist/config/reference.js";

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configReference());

const acting = new URL("../docs/acting.md", import.meta.url);
const part = /(<!-- keys: written by npm run docs:config -->\n).*?(<!-- end of the keys -->)/s;
writeFileSync(
  acting,
  readFileSync(acting, "utf8").replace(part, (_, begin, end) => `${begin}\n${policyReference()}\n${end}`),
);
