/** What the process beside a spawned agent runs; its own file, since whoever starts one loads nothing of it. */
import { fileURLToPath } from "node:url";

export const HOST_SCRIPT: string = fileURLToPath(new URL("./commands/host.js", import.meta.url));
