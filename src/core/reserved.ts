/** What only rouse's own messages have: their sender and their types. Orchestrators act on them. */
import { sanitize } from "./text/sanitize.js";

/** The sender of rouse's own messages: no agent and no token has this name. */
export const ROUSE = "rouse";

/** Also a name that looks the same once it is shown. */
export const isReservedName = (name: string): boolean => sanitize(name, 400).toLowerCase() === ROUSE;

export const isReservedType = (type: string): boolean => /^(worker|watchdog)\./.test(type);
