import { formatFor } from "../../text/duration.js";
import { SETTLE_MS } from "../clocks.js";
import { openPrompt } from "../evidence/prompts.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/** The user is asked: a dialog, a question tool, a permission request. The menu of a limit counts as the limit. */
export function byPrompt({ evidence, since, dueAfter }: RuleInput): RuleVerdict | null {
  const open = openPrompt(evidence.prompts);
  if (!open) return null;
  // A flag only shows that a prompt is open. One check later the screen has its text, which may be that of a limit.
  const isWordless = open.source === "title" || (open.source === "session_file" && open.prompt === "confirmation");
  if (isWordless && since(open.at) < SETTLE_MS.reason) {
    dueAfter(open.at, SETTLE_MS.reason);
    return null;
  }
  const asked = open.question ? `: ${open.question}` : "";
  const reasons = [
    `${open.prompt === "input" ? "An" : "A"} ${open.prompt} prompt has been open ${formatFor(since(open.at))} (${open.source})${asked}`,
  ];
  const limit = evidence.failures.limit ?? evidence.failures.shownLimit;
  // A menu that opens on top of a limit offers ways around it; a permission request comes from running work.
  const onLimit =
    limit !== null && open.prompt !== "permission" && open.prompt !== "trust" && open.at >= limit.at - 5000;
  if (open.limit || onLimit) {
    const limited = { state: "rate_limited", cause: "limit", confidence: 0.9, until: limit?.until ?? null } as const;
    return open.userOnly ? { ...limited, reasons, asksUser: true } : { ...limited, reasons };
  }
  return { state: "needs_input", cause: open.prompt, confidence: 0.95, reasons };
}
