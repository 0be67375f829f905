/** The built-in `default` as a policy of one's own whose waits are seconds: the same rungs in the same order. */
import { POLICIES } from "../../src/core/policy/builtin.js";
import type { Rung } from "../../src/core/policy/policy.js";

/** Whoever is looked at after a touch has so long to show that it helped, on a busy machine. */
const WAIT_SECONDS: Readonly<Partial<Record<Rung["do"], number>>> = { nudge: 30, resume: 30 };

/** `more` are ladders that replace those of `default`. */
export function quickPolicy(agents: readonly string[], more: Readonly<Record<string, readonly Rung[]>> = {}): string {
  const ladders = { ...POLICIES.default.ladders, ...more };
  return [
    `agents = ${JSON.stringify(agents)}`,
    "confirm_seconds = 0",
    "patience_minutes = 4",
    "[limits]",
    "margin_seconds = 0",
    "jitter_seconds = 0",
    "backoff_seconds = 3",
    "own_resume_minutes = 10",
    "[ladders]",
    ...Object.entries(ladders).map(([problem, rungs]) => `${problem} = [${rungs.map(rungText).join(", ")}]`),
  ].join("\n");
}

function rungText({ do: name, when: { level, origins }, limit, proof, say }: Rung): string {
  const only = origins === null ? "" : `, origins = ${JSON.stringify(origins)}`;
  const saying = say === undefined ? "" : `, say = "${say}"`;
  const wait = WAIT_SECONDS[name] ?? 4;
  return `{ do = "${name}", when = { level = "${level}"${only} }, limit = ${limit}, wait_seconds = ${wait}, proof = "${proof}"${saying} }`;
}
