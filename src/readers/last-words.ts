/** What a headless program wrote to standard error before it failed: often the only place that says why. */
import { digest } from "../core/digest.js";
import type { Signal } from "../core/signal.js";
import { readResetTime } from "./reset-time.js";
import { head } from "./text.js";
import { finalCause, knownVendorError } from "./vendor-errors.js";

const LINES = 20;

/** The lowest line that the table of vendor texts knows, as a limit or a final error; nothing where none is known. */
export function lastWords(stderr: string, at: number, zone: string): Signal[] {
  for (const line of stderr.split("\n").slice(-LINES).reverse()) {
    const text = line.trim();
    const known = text === "" ? null : knownVendorError({ text });
    if (!known) continue;
    if (known.kind !== "limit") {
      return [
        {
          kind: "error",
          at,
          source: "stream",
          cause: finalCause(known),
          final: true,
          digest: digest(text),
          text: head(text),
        },
      ];
    }
    const until = readResetTime(text, at, zone)?.until;
    return [
      {
        kind: "limit",
        at,
        source: "stream",
        level: "hit",
        text: head(text),
        ...(until === undefined ? {} : { until }),
      },
    ];
  }
  return [];
}
