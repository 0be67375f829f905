/** Where this process runs, as far as readers of an agent's records have to know it. */
import type { Place } from "../readers/record-reader.js";
import type { Config } from "./keys.js";
import { loadConfig } from "./load.js";

export const placeOf = (config: Config): Place => ({
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  marker: config.health.completion_marker,
});

export const placeHere = (): Place => placeOf(loadConfig().config);
