/** Single screens, one per row of a file: each is judged as the live tail of its program. */
import { profileFor } from "../agents/registry.js";
import type { Cause, State } from "../core/states.js";
import { judgeFragment } from "../readers/fragment.js";
import { str } from "../readers/json.js";

export interface JudgedScreen {
  case: string;
  state: State;
  cause: Cause | null;
  until: string | null;
}

/** A row is `{id, agent, text, now, tz}`; whatever else it has is not read. */
export function judgeScreen(row: Record<string, unknown>): JudgedScreen {
  const now = Date.parse(str(row, "now") ?? "");
  const look = { at: Number.isNaN(now) ? 0 : now, zone: str(row, "tz") ?? "UTC" };
  const { state, cause, until } = judgeFragment(profileFor(str(row, "agent") ?? ""), str(row, "text") ?? "", look);
  return { case: String(row["id"] ?? ""), state, cause, until: until === null ? null : new Date(until).toISOString() };
}
