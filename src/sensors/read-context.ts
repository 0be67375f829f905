/** Time zone and completion marker of this process, as readers of an agent's records need them. */

import type { Config } from "../config/keys.js";
import { loadConfig } from "../config/load.js";
import { localZone } from "../config/local-zone.js";
import type { ReadContext } from "../readers/records/record-reader.js";

export const readContextOf = (config: Config): ReadContext => ({
  zone: localZone(),
  marker: config.health.completion_marker,
});

export const localReadContext = (): ReadContext => readContextOf(loadConfig().config);
