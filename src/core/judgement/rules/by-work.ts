import type { RuleInput, RuleVerdict } from "../rule.js";
import { byCompaction } from "./by-compaction.js";
import { bySilence } from "./by-silence.js";
import { byTool } from "./by-tool.js";

/** A turn is running: what is it doing, and has the matching clock expired? */
export function byWork(question: RuleInput): RuleVerdict | null {
  if (question.active !== true) return null;
  return byCompaction(question) ?? byTool(question) ?? bySilence(question);
}
