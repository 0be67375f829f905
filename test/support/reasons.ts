/** What every reason of a verdict has to name: how old its evidence is, and who told it. */
import { SOURCES } from "../../src/core/signal.js";

export const AGE =
  /\bjust now\b|\b(?:for|in) less than a second\b|\b(?:for|in) [\d.]+ (?:s|min|h)\b|[\d.]+ (?:s|min|h) ago\b/;
export const SOURCE = new RegExp(`\\((?:${SOURCES.join("|")})[,)]`);
