/**
 * Everything that rouse knows about one agent program. Each part is given or is `absent` with the reason, so a new
 * program that leaves one out does not compile.
 *
 * Parts have no I/O. Code that only some processes need is loaded on demand (`LazyLoad`): the process beside each agent needs
 * the screens of all programs and the records of none, which are 2.4 MB of its memory.
 */
import type { ReadContext, RecordReader } from "../readers/records/record-reader.js";
import type { TelemetryNames } from "../readers/records/telemetry.js";
import type { IdentifyAccount } from "./account.js";
import type { HookPart } from "./hooks.js";
import type { Absent, LazyLoad } from "./part.js";
import type { AgentProfile } from "./shared/profile.js";
import type { SessionFilePart, TranscriptPart } from "./transcript.js";

export interface AgentProgram {
  /** Its names, releases, screens, keys and resume commands. */
  readonly profile: AgentProfile;
  /** How its process is recognised. */
  readonly process: ProcessRule | Absent;
  /** Readers of its records. */
  readonly readers: LazyLoad<ProgramReaders>;
  /** The place of its records. */
  readonly transcript: TranscriptPart | Absent;
  readonly sessionFile: SessionFilePart | Absent;
  readonly hooks: HookPart | Absent;
  readonly telemetry: TelemetryPart | Absent;
  readonly account: IdentifyAccount | Absent;
  /** Labels of recordings that its screens show like another state, so they are not scored. */
  readonly ambiguousLabels: readonly string[];
}

export interface TelemetryPart {
  /** The settings that make it send its telemetry to the daemon, as text for the user. */
  readonly settings: (target: TelemetryTarget) => string;
  readonly names: TelemetryNames;
}

export interface TelemetryTarget {
  url: string;
  key: string;
  /** The file that has the key, quoted for a shell. */
  keyFile: string;
}

export interface ProcessRule {
  /** Name of the command. */
  readonly name: string;
  /** Ends of the paths of its script, or of the command itself. */
  readonly paths: readonly string[];
  /** Whole titles that processes of the program give themselves: whether such a process is an agent. */
  readonly titles?: ReadonlyMap<string, boolean>;
  /** Commands of the program that are not agents: servers, setup, queries. */
  readonly others: ReadonlySet<string>;
}

/** The context is required: a missing zone shifts times by hours without an error. */
export type MakeReader = (context: ReadContext) => RecordReader;

export interface ProgramReaders {
  readonly transcript: MakeReader;
  readonly stream: MakeReader;
  /** Null if the program has no hooks. */
  readonly hook: MakeReader | null;
  /** Null if the program writes no session file. */
  readonly session_file: MakeReader | null;
}
