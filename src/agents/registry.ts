/** Finds the profile for a program, and says how well it fits. */
import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { gemini } from "./gemini.js";
import { generic } from "./generic.js";
import { opencode } from "./opencode.js";
import { type AgentProfile, mergeProfile, type ProfileOverride } from "./profile.js";

export const PROFILES: readonly AgentProfile[] = [claudeCode, codex, gemini, opencode, generic];

/** The profile whose program has this name; the generic one for any other program, a fork included. */
export function profileFor(program: string, own: readonly ProfileOverride[] = []): AgentProfile {
  const name = program.toLowerCase();
  const base = PROFILES.find((p) => p.id === name || p.programs.includes(name)) ?? generic;
  const override = own.find((o) => o.id === base.id || o.id === name || (o.programs ?? []).includes(name));
  if (!override) return base;
  const parent = override.extends ? (PROFILES.find((p) => p.id === override.extends) ?? base) : base;
  return mergeProfile(parent, override);
}

/** -1, 0 or 1: how a release stands to the range that the profile was checked against. Null where nothing is known. */
export function versionFit(profile: AgentProfile, version: string | undefined): -1 | 0 | 1 | null {
  if (!profile.versions || !version) return null;
  if (compareVersions(version, profile.versions.from) < 0) return -1;
  return compareVersions(version, profile.versions.to) > 0 ? 1 : 0;
}

function compareVersions(a: string, b: string): number {
  const parts = (v: string): number[] => (v.match(/\d+/g) ?? []).slice(0, 4).map(Number);
  const [x, y] = [parts(a), parts(b)];
  for (let i = 0; i < 4; i++) {
    const difference = (x[i] ?? 0) - (y[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
