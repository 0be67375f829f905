/** What a refusal of the hub is to a client of the API. */
import type { HubErrorCode } from "../../hub/hub-error.js";
import type { ApiErrorKind } from "../error.js";

const UNKNOWN: readonly HubErrorCode[] = ["unknown_task", "unknown_parent", "unknown_blocker", "unknown_node"];
const BAD: readonly HubErrorCode[] = ["invalid", "step_out_of_range", "circle"];
const UNAVAILABLE: readonly HubErrorCode[] = ["unreachable", "busy", "read_only", "closed"];

export function kindOfHubError(code: HubErrorCode): ApiErrorKind {
  if (UNKNOWN.includes(code)) return "unknown";
  if (BAD.includes(code)) return "bad";
  if (UNAVAILABLE.includes(code)) return "unavailable";
  return code === "not_permitted" ? "identity" : "refused";
}
