/** Finds the profile for a program, and says how well it fits. */
import type { Traits } from "../core/traits.js";
import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { gemini } from "./gemini.js";
import { generic } from "./generic.js";
import { opencode } from "./opencode.js";
import { type AgentProfile, mergeProfile, type ProfileOverride } from "./profile.js";

const PROFILES: readonly AgentProfile[] = [claudeCode, codex, gemini, opencode, generic];

/** The profile whose program has this name; the generic one for any other program, a fork included. */
export function profileFor(program: string, own: readonly ProfileOverride[] = []): AgentProfile {
  const name = program.toLowerCase();
  const base = PROFILES.find((p) => p.id === name || p.programs.includes(name)) ?? generic;
  const override = own.find((o) => o.id === base.id || o.id === name || (o.programs ?? []).includes(name));
  if (!override) return base;
  const parent = override.extends ? (PROFILES.find((p) => p.id === override.extends) ?? base) : base;
  return mergeProfile(parent, override);
}

/** The part of a profile that the judgement sees. */
export function traitsOf(profile: AgentProfile): Traits {
  return { ...profile.traits, versions: profile.versions };
}
