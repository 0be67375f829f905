/** The agent programs that rouse knows: the only list of them. */
import type { Traits } from "../core/traits.js";
import type { JsonRecord } from "../readers/records/json.js";
import type { TelemetryNames } from "../readers/records/telemetry.js";
import { claudeCodeProgram } from "./claude-code/index.js";
import { codexProgram } from "./codex/index.js";
import { copilotProgram } from "./copilot/index.js";
import { geminiProgram } from "./gemini/index.js";
import { genericProgram } from "./generic/index.js";
import { gooseProgram } from "./goose/index.js";
import { opencodeProgram } from "./opencode/index.js";
import { partOf } from "./part.js";
import type { AgentProgram, ProgramReaders } from "./program.js";
import { type AgentProfile, mergeProfile, type ProfileOverride } from "./shared/profile.js";

export const PROGRAMS: readonly AgentProgram[] = [
  claudeCodeProgram,
  codexProgram,
  geminiProgram,
  opencodeProgram,
  gooseProgram,
  copilotProgram,
  genericProgram,
];

const PROFILES: readonly AgentProfile[] = PROGRAMS.map(({ profile }) => profile);

/** Every kind of program that has a profile of its own, and `generic`. */
export const KINDS: readonly string[] = PROFILES.map(({ id }) => id);

/** The names in the telemetry of all programs. */
export const TELEMETRY_NAMES: readonly TelemetryNames[] = PROGRAMS.flatMap(
  ({ telemetry }) => partOf(telemetry)?.names ?? [],
);

/** The program with this id; the generic one for any other id. */
export function programFor(kind: string): AgentProgram {
  return PROGRAMS.find(({ profile }) => profile.id === kind) ?? genericProgram;
}

/** The program that wrote a transcript, by the fields that only that program writes; the generic one if unknown. */
export function programOfRecords(records: readonly JsonRecord[]): AgentProgram {
  return PROGRAMS.find(({ transcript }) => partOf(transcript)?.isOwn(records)) ?? genericProgram;
}

/** The records in a JSON document that holds a whole session of one of them; null for any other document. */
export function unfoldDocument(document: JsonRecord): JsonRecord[] | null {
  for (const { transcript } of PROGRAMS) {
    const unfold = partOf(transcript)?.unfold;
    const records = unfold === undefined ? null : (partOf(unfold)?.(document) ?? null);
    if (records) return records;
  }
  return null;
}

/** The readers of all programs, by id; the generic ones for any other id. */
export async function loadReaders(): Promise<(kind: string) => ProgramReaders> {
  const loaded = new Map<AgentProgram, ProgramReaders>();
  for (const program of PROGRAMS) loaded.set(program, await program.readers());
  return (kind) => loaded.get(programFor(kind)) as ProgramReaders;
}

/** Whether a kind is known by its id or by the name of its program. */
export function isKind(given: string, own: readonly ProfileOverride[] = []): boolean {
  const name = given.toLowerCase();
  return byName(name) !== undefined || own.some((override) => isCalled(override, name));
}

/**
 * The profile of a program; the generic one for any other, including a fork. `said` is the program's own version output
 * ("2.1.197 (Claude Code)"): a recording may spell the program differently.
 */
export function profileFor(program: string, own: readonly ProfileOverride[] = [], said = ""): AgentProfile {
  const name = (program.split("/").at(-1) ?? "").toLowerCase();
  const base =
    byName(name) ?? byName(name.replace(/[-_. ]?v?\d[\d.]*$/, "")) ?? byProduct(said) ?? genericProgram.profile;
  // The program's own name takes precedence over its base: a profile over the generic one hides no named profile.
  const override =
    own.find((given) => isCalled(given, name)) ?? own.find((given) => given.id.toLowerCase() === base.id);
  if (!override) return base;
  const parent = override.extends ? (PROFILES.find((p) => p.id === override.extends) ?? base) : base;
  return mergeProfile(parent, override);
}

/** Program names are compared in lower case. */
const isCalled = ({ id, programs = [] }: ProfileOverride, name: string): boolean =>
  [id, ...programs].some((known) => known.toLowerCase() === name);

const byName = (name: string): AgentProfile | undefined =>
  PROFILES.find((p) => p.id === name || p.programs.includes(name));

function byProduct(said: string): AgentProfile | undefined {
  const words = said.slice(0, 200).toLowerCase();
  return PROFILES.find((p) => p.products.some((product) => words.includes(product.toLowerCase())));
}

/** The part of a profile that the judgement uses. */
export function traitsOf(profile: AgentProfile): Traits {
  return { ...profile.traits, versions: profile.versions };
}
