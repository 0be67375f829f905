import { openPrompt } from "./evidence/prompts.js";
import type { Evidence } from "./evidence/state.js";

/** What the agent asks: in a dialog, in its own report, or in the last message of its turn. */
export function questionOf(evidence: Evidence): string {
  const reported = evidence.report?.state === "needs_input" ? evidence.report.text : "";
  const open = openPrompt(evidence.prompts)?.question;
  return (
    open || reported || evidence.turn.asks?.text || (evidence.message?.preview ?? evidence.progress.reading?.asks ?? "")
  );
}
