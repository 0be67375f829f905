/** Finds the profile for a program, and says how well it fits. */
import type { Traits } from "../core/traits.js";
import { claudeCode } from "./claude-code/screens.js";
import { codex } from "./codex/screens.js";
import { gemini } from "./gemini/screens.js";
import { generic } from "./generic/screens.js";
import { opencode } from "./opencode/screens.js";
import { type AgentProfile, mergeProfile, type ProfileOverride } from "./shared/profile.js";

const PROFILES: readonly AgentProfile[] = [claudeCode, codex, gemini, opencode, generic];

/** Every kind of program that has a profile of its own, and `generic`. */
export const KINDS: readonly string[] = PROFILES.map(({ id }) => id);

/** Whether a kind is known by its id or by the name of its program. */
export function isKind(given: string, own: readonly ProfileOverride[] = []): boolean {
  const name = given.toLowerCase();
  return byName(name) !== undefined || own.some((override) => isCalled(override, name));
}

/**
 * The profile of a program; the generic one for any other, a fork included. `said` is what the program calls itself
 * when asked for its version ("2.1.197 (Claude Code)"): a recording may spell the program in a way of its own.
 */
export function profileFor(program: string, own: readonly ProfileOverride[] = [], said = ""): AgentProfile {
  const name = (program.split("/").at(-1) ?? "").toLowerCase();
  const base = byName(name) ?? byName(name.replace(/[-_. ]?v?\d[\d.]*$/, "")) ?? byProduct(said) ?? generic;
  // The program's own name goes before its base: a profile over the generic one hides none that has a name.
  const override =
    own.find((given) => isCalled(given, name)) ?? own.find((given) => given.id.toLowerCase() === base.id);
  if (!override) return base;
  const parent = override.extends ? (PROFILES.find((p) => p.id === override.extends) ?? base) : base;
  return mergeProfile(parent, override);
}

/** Names of programs are compared in small letters, however somebody wrote them. */
const isCalled = ({ id, programs = [] }: ProfileOverride, name: string): boolean =>
  [id, ...programs].some((known) => known.toLowerCase() === name);

const byName = (name: string): AgentProfile | undefined =>
  PROFILES.find((p) => p.id === name || p.programs.includes(name));

function byProduct(said: string): AgentProfile | undefined {
  const words = said.slice(0, 200).toLowerCase();
  return PROFILES.find((p) => p.products.some((product) => words.includes(product.toLowerCase())));
}

/** The part of a profile that the judgement sees. */
export function traitsOf(profile: AgentProfile): Traits {
  return { ...profile.traits, versions: profile.versions };
}
