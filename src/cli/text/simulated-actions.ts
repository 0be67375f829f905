/** Actions that a policy would have taken during a recording, as text and as JSON. */
import { sanitize } from "../../core/text/sanitize.js";
import type { SimulatedAction } from "../../core/what-if.js";
import { textFor } from "../../effects/keys/texts.js";
import { clockText } from "./timeline.js";

export function wouldEntry(
  { at, do: name, problem, incident, say, reason }: SimulatedAction,
  startAt: number,
): Record<string, unknown> {
  const t = Math.round(at - startAt) / 1000;
  return { t, do: name, problem, incident, ...(say ? { say } : {}), reason: sanitize(reason) };
}

export function wouldText(policy: string, wouldDo: readonly SimulatedAction[], startAt: number): string {
  if (wouldDo.length === 0) return `  policy ${sanitize(policy)}: no action\n`;
  const lines = wouldDo.map(({ at, do: name, say, reason }) => {
    const what = name === "escalate" ? "escalate to you" : `${name}${say ? ` "${textFor(say)}"` : ""}`;
    return `${clockText((at - startAt) / 1000).padStart(9)}  ${what}\n${" ".repeat(11)}${sanitize(reason)}\n`;
  });
  return `  policy ${sanitize(policy)} would have done:\n${lines.join("")}`;
}
