/** The compiled patterns that a profile matches against one row. */
import type { Pattern } from "../../programs/shared/pattern.js";
import type { Rule } from "../../programs/shared/profile.js";

export interface CompiledRule extends Omit<Rule, "when"> {
  when: Pattern;
}

/** The regions whose rules are matched row by row. */
export type RowRegion = "status" | "foot" | "last";

/** Alternatives: one match is enough. */
type Patterns = readonly Pattern[];

export interface RowPatterns {
  rules: Readonly<Record<RowRegion, readonly CompiledRule[]>>;
  tool: Patterns;
  noise: Patterns;
  message: Patterns;
  queued: Patterns;
  version: Patterns;
  first: Patterns;
  not: Patterns;
  top: Patterns;
  bottom: Patterns;
  more: Patterns;
  placeholders: Patterns;
}
