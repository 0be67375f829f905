/** Single screens, one per row of a file: each is judged as the live tail of its program. */
import { profileFor } from "../agents/registry.js";
import type { Cause, State } from "../core/states.js";
import { judgeFragment } from "../readers/fragment/fragment.js";
import { str } from "../readers/json.js";
import type { ReplayOptions } from "./replay-case.js";

interface JudgedScreen {
  case: string;
  kind: string;
  state: State;
  cause: Cause | null;
  until: string | null;
}

/** A row is `{id, agent, text, now, tz}`; whatever else it has is not read. Without `now` no time can be told. */
export function judgeScreen(
  row: Record<string, unknown>,
  { agent, profiles, zone = "UTC" }: Partial<Pick<ReplayOptions, "agent" | "profiles" | "zone">> = {},
): JudgedScreen {
  const now = Date.parse(str(row, "now") ?? "");
  const isDated = !Number.isNaN(now);
  const look = { at: isDated ? now : 0, zone: str(row, "tz") ?? zone };
  const profile = profileFor(agent ?? str(row, "agent") ?? "", profiles);
  const { state, cause, until } = judgeFragment(profile, str(row, "text") ?? "", look);
  return {
    case: str(row, "id") ?? "",
    kind: profile.id,
    state,
    cause,
    until: until === null || !isDated ? null : new Date(until).toISOString(),
  };
}
