/** A profile with its patterns compiled, once per profile. */
import { type Pattern, pattern } from "../../agents/pattern.js";
import type { AgentProfile, Rule } from "../../agents/profile.js";

export interface CompiledRule extends Omit<Rule, "when"> {
  when: Pattern;
}

export interface CompiledProfile {
  profile: AgentProfile;
  version: Pattern | null;
  titles: { when: Pattern; status: "working" | "idle" | "blocked" }[];
  composer: {
    first: Pattern;
    not: Pattern | null;
    top: Pattern | null;
    bottom: Pattern | null;
    more: Pattern | null;
    belowMax: number;
    hiddenMeansDialog: boolean;
    placeholders: Pattern[];
  };
  rules: Record<Rule["region"], CompiledRule[]>;
  noise: Pattern[];
  message: Pattern | null;
  dialogs: { when: Pattern; prompt: AgentProfile["dialogs"][number]["prompt"]; limit: boolean }[];
}

const cache = new WeakMap<AgentProfile, CompiledProfile>();

export function compileProfile(profile: AgentProfile): CompiledProfile {
  const known = cache.get(profile);
  if (known) return known;
  const maybe = (source: string | null): Pattern | null => (source === null ? null : pattern(source));
  const rules: CompiledProfile["rules"] = { status: [], foot: [], last: [], reply: [] };
  for (const rule of profile.rules) rules[rule.region].push({ ...rule, when: pattern(rule.when) });
  const made: CompiledProfile = {
    profile,
    version: maybe(profile.versionRow),
    titles: profile.titles.map((t) => ({ when: pattern(t.when), status: t.status })),
    composer: {
      first: pattern(profile.composer.first),
      not: maybe(profile.composer.not),
      top: maybe(profile.composer.top),
      bottom: maybe(profile.composer.bottom),
      more: maybe(profile.composer.more),
      belowMax: profile.composer.belowMax,
      hiddenMeansDialog: profile.composer.hiddenMeansDialog,
      placeholders: profile.composer.placeholders.map(pattern),
    },
    rules,
    noise: profile.noise.map(pattern),
    message: maybe(profile.message),
    dialogs: profile.dialogs.map((d) => ({ when: pattern(d.when), prompt: d.prompt, limit: d.limit ?? false })),
  };
  cache.set(profile, made);
  return made;
}
