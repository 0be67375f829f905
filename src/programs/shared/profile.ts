/**
 * The knowledge about one agent program, as data. A new release of a program, or a new program, is a new profile and
 * its fixtures, never new code; a user's file can override any part of it (`mergeProfile`).
 *
 * The screen of such a program has, from the bottom: a *foot* (hints below the composer), the *composer* (the user's
 * input) or in its place a *dialog*, the *status* rows (spinner, tips, queue), and the *reply* above them, whose lowest
 * block is *last*. A rule names its region, so that the same words elsewhere mean nothing.
 */
import type * as z from "zod";
import type { profileOverrideSchema, profileSchema, ruleSchema } from "./profile-schema.js";

export type AgentProfile = z.infer<typeof profileSchema>;
export type Rule = z.infer<typeof ruleSchema>;
export type ProfileOverride = z.infer<typeof profileOverrideSchema>;

/**
 * A user's profile over a built-in one. Its rules are added; every other given part replaces that part completely. Its
 * records are those of the base unless it names others.
 */
export function mergeProfile(base: AgentProfile, override: ProfileOverride): AgentProfile {
  const { extends: _, removeRules = [], rules: own = [], ...parts } = override;
  const rules = own.length + removeRules.length > 0 ? mergeRules(base.rules, own, removeRules) : base.rules;
  return { ...base, records: recordsOf(base), ...(parts as Partial<AgentProfile>), rules, id: override.id };
}

export const ALL_RULES = "*";

/**
 * A rule with a known id replaces that rule; any other goes before the rules of the base, so that it is tried first.
 */
function mergeRules(base: readonly Rule[], own: readonly Rule[], removed: readonly string[]): Rule[] {
  const kept = removed.includes(ALL_RULES) ? [] : base.filter(({ id }) => id === undefined || !removed.includes(id));
  const isKnown = ({ id }: Rule): boolean => id !== undefined && kept.some((rule) => rule.id === id);
  const replaced = kept.map((rule) => own.find((given) => given.id !== undefined && given.id === rule.id) ?? rule);
  return [...own.filter((rule) => !isKnown(rule)), ...replaced];
}

/** The program whose readers read its records. */
export const recordsOf = ({ id, records }: Pick<AgentProfile, "id" | "records">): string => records ?? id;
