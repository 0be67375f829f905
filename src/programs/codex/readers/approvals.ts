/**
 * What the calls of a rollout show about approvals: none is recorded, but a call says if it asks for more permissions,
 * and a result how long the command itself took.
 */
import { booleanAt, type JsonRecord, numberAt } from "../../../readers/records/json.js";
import { RecentMap } from "../../../readers/records/recent.js";
import { classifyTool } from "../../shared/tools.js";

const SHELLS = new Set(["shell", "shell_command", "container.exec"]);
const COMMAND_LIMIT_MS = 10_000;
const YIELD_MAX_MS = 30_000;
/** A command that took all but this much of its call did not wait for a user. */
const UNASKED_MS = 2000;

/** How long the program lets a call run: a command ends, or continues in the background. */
export function callLimitMs(tool: string, args: JsonRecord): number | undefined {
  if (SHELLS.has(tool)) return numberAt(args, "timeout_ms") ?? numberAt(args, "timeout") ?? COMMAND_LIMIT_MS;
  if (tool !== "exec_command") return undefined;
  return Math.min(numberAt(args, "yield_time_ms") ?? COMMAND_LIMIT_MS, YIELD_MAX_MS);
}

export class CodexApprovals {
  readonly #asking = new RecentMap<{ head: string; at: number }>(64);
  /** Commands that the user allowed for good. */
  readonly #granted = new RecentMap<true>(256);

  /** Whether the call waits for a user before it runs. */
  asks(id: string, tool: string, args: JsonRecord, at: number): boolean {
    if (!booleanAt(args, "with_escalated_permissions") && args.sandbox_permissions !== "require_escalated")
      return false;
    const head = classifyTool(tool, args).subject ?? "";
    this.#asking.set(id, { head, at });
    return head === "" || this.#granted.get(head) === undefined;
  }

  ended(id: string, wallMs: number | undefined, at: number): void {
    const asked = this.#asking.get(id);
    if (asked === undefined || wallMs === undefined) return;
    if (wallMs > UNASKED_MS && at - asked.at - wallMs < UNASKED_MS) this.#granted.set(asked.head, true);
  }
}
