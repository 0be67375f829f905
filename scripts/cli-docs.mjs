#!/usr/bin/env node
/** Writes docs/cli.md from the help of the commands. Needs a build. */
import { writeFileSync } from "node:fs";
import { cliReference } from "../dist/cli/reference.js";

writeFileSync(new URL("../docs/cli.md", import.meta.url), await cliReference());
