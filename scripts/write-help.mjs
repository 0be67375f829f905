#!/usr/bin/env node
/** Stores the help of every command beside the built code; the last step of `npm run build`. */
import { writeFileSync } from "node:fs";
import { helpFile, STORED_WIDTHS } from "../dist/cli/help-store.js";
import { renderHelp } from "../dist/cli/render-help.js";

for (const width of STORED_WIDTHS) writeFileSync(helpFile(width), JSON.stringify(await renderHelp(width)));
