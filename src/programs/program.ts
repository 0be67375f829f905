/**
 * Everything that rouse knows about one agent program. Each part is given or is `absent` with the reason, so a new
 * program that leaves one out does not compile.
 *
 * Parts have no I/O. Code that only some processes need is loaded on demand (`Load`): the process beside each agent needs
 * the screens of all programs and the records of none, which are 2.4 MB of its memory.
 */
import type { Place, RecordReader } from "../readers/record-reader.js";
import type { AgentProfile } from "./shared/profile.js";

export interface AgentProgram {
  /** Its names, releases, screens, keys and resume commands. */
  readonly profile: AgentProfile;
  /** How its process is recognised. */
  readonly process: ProcessRule | Absent;
  /** What its records say. */
  readonly readers: Load<ProgramReaders>;
}

/** A part that the program does not have, and why. */
export interface Absent {
  readonly absent: string;
}

export type Load<T> = () => Promise<T>;

export interface ProcessRule {
  /** Name of the command. */
  readonly name: string;
  /** Ends of the paths that a runtime is given, or that the command lives at. */
  readonly paths: readonly string[];
  /** Commands of the program that are no agent: they serve, set up or ask for something. */
  readonly others: ReadonlySet<string>;
}

/** The place is required: a zone that is left out is hours off, and nobody notices. */
export type MakeReader = (place: Place) => RecordReader;

export interface ProgramReaders {
  readonly transcript: MakeReader;
  readonly stream: MakeReader;
  /** Null where the program has no hooks. */
  readonly hook: MakeReader | null;
  /** Null where the program keeps no session file. */
  readonly session_file: MakeReader | null;
}

/** The part, or null where it is absent. */
export function partOf<T extends object>(part: T | Absent): T | null {
  return "absent" in part ? null : part;
}
