#!/usr/bin/env node
/** Writes docs/configuration.md from the table of keys. Needs a build. */
import { writeFileSync } from "node:fs";
import { configReference } from "../dist/config/reference.js";

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configReference());
