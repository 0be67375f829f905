/** Entry point of the host process of a spawned agent; its own file, so that starting one does not load it. */
import { fileURLToPath } from "node:url";

export const HOST_SCRIPT: string = fileURLToPath(new URL("./commands/host.js", import.meta.url));
