/** What every reason of a verdict must contain: the age and the source of its evidence. */
import { SOURCES } from "../../src/core/signal.js";

export const AGE =
  /\bjust now\b|\b(?:for|in) less than a second\b|\b(?:for|in) [\d.]+ (?:s|min|h)\b|[\d.]+ (?:s|min|h) ago\b/;
export const SOURCE = new RegExp(`\\((?:${SOURCES.join("|")})[,)]`);
