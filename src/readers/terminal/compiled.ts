/** A profile with its patterns compiled, once per profile. */
import { compilePattern, type Pattern } from "../../programs/shared/pattern.js";
import type { AgentProfile, Rule } from "../../programs/shared/profile.js";
import { BoundedMemo } from "../memo.js";
import type { ScreenRow } from "./row.js";
import type { CompiledRule, RowPatterns } from "./row-patterns.js";
import { RowSays } from "./row-says.js";

type TitleStatus = AgentProfile["titles"][number]["status"];

export interface CompiledProfile {
  profile: AgentProfile;
  /** The status that the program's title shows; null if none. */
  statusOfTitle: (title: string) => TitleStatus | null;
  /** Is this the placeholder of an empty composer? */
  isPlaceholder: (draft: string) => boolean;
  /** The matches of the profile's patterns in a row. */
  says: (row: ScreenRow) => RowSays;
  dialogs: { when: Pattern; prompt: AgentProfile["dialogs"][number]["prompt"]; limit: boolean; userOnly: boolean }[];
}

/** A program has few titles, even with a spinner in them. */
const TITLES_MAX = 64;

const RULE_ACROSS = "^\\s*[─━═╌▔▁]{9,}\\s*$";
const isToolRow = ({ region, fact }: Rule): boolean => region === "last" && fact === "tool";

const cache = new WeakMap<AgentProfile, CompiledProfile>();

export function compileProfile(profile: AgentProfile): CompiledProfile {
  const known = cache.get(profile);
  if (known) return known;
  const rules: Record<Rule["region"], CompiledRule[]> = { status: [], foot: [], last: [] };
  for (const rule of profile.rules) rules[rule.region].push({ ...rule, when: compilePattern(rule.when) });
  const says = (row: ScreenRow): RowSays => row.saysTo(asked) ?? row.keep(new RowSays(asked, row.text));
  const placeholders = profile.composer.placeholders.map(compilePattern);
  const patterns = (...sources: (string | null)[]): Pattern[] =>
    sources.filter((source) => source !== null).map((source) => compilePattern(source));
  const { first, not, top, bottom, more } = profile.composer;
  const asked: RowPatterns = {
    rules,
    tool: patterns(...profile.rules.filter(isToolRow).map(({ when }) => when)),
    noise: patterns(RULE_ACROSS, ...profile.noise),
    message: patterns(profile.message),
    queued: patterns(profile.queued),
    version: patterns(profile.versionRow),
    first: patterns(first),
    not: patterns(not),
    top: patterns(top),
    bottom: patterns(bottom),
    more: patterns(more),
    placeholders,
  };
  const ofTitles = profile.titles.map(({ when, status }) => ({ when: compilePattern(when), status }));
  const titles = new BoundedMemo<{ status: TitleStatus | null }>(TITLES_MAX, (title) => ({
    status: ofTitles.find(({ when }) => when.test(title))?.status ?? null,
  }));
  const made: CompiledProfile = {
    profile,
    statusOfTitle: (title) => titles.of(title).status,
    isPlaceholder: (draft) => placeholders.some((p) => p.test(draft)),
    says,
    dialogs: profile.dialogs.map(({ when, prompt, limit = false, userOnly = false }) => ({
      when: compilePattern(when),
      prompt,
      limit,
      userOnly,
    })),
  };
  cache.set(profile, made);
  return made;
}
