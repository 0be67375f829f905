/** What is said about a name that no agent has. */
import { sanitize } from "../core/text/sanitize.js";
import { otherNames } from "./suggest.js";

export const NONE_RUNNING = "no agents are running; start one with `rouse spawn`";

export const unknownAgent = (name: string, names: readonly string[]): string =>
  `no agent named ${JSON.stringify(sanitize(name, 80))}; ${names.length === 0 ? NONE_RUNNING : otherNames(name, names.map((one) => sanitize(one, 80)).sort())}`;
