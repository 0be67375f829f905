import { type Settings, settingOf } from "./defaults.js";
import { SECOND } from "./text/time.js";
import type { VersionRange } from "./version-fit.js";

/** The part of a program's profile that the judgement uses. */
export interface Traits {
  /** The reply appears on the screen while it streams, so an unchanged screen means that nothing arrived. */
  streamsReply: boolean;
  countsTokens: boolean;
  /** It retries silently: silence before the first text of a reply may be its own back-off. */
  retriesSilently: boolean;
  ownTimeoutMs: number | null;
  /** How long the busy mark must be absent before the turn counts as ended. */
  settleMs: number;
  /** It closes a turn with a mark of its own ("Worked for 9s"); without it, the end is accepted much later. */
  marksEnd: boolean;
  /** An interrupted turn stays in the conversation, with its prompt. False if it does not, or if that is unknown. */
  keepsInterruptedTurn: boolean;
  /** It shows no activity before its first turn, neither while it loads nor while it starts its servers. */
  startsQuiet?: boolean | undefined;
  /** Its status stays busy while a command that outlives the turn, such as a server, is running. */
  statusOutlivesTurn?: boolean | undefined;
  /** When background work ends, the program starts a turn by itself. */
  backgroundWakes?: boolean | undefined;
  /** A user can answer a command that asks on the terminal; otherwise nobody can. */
  takesToolInput?: boolean | undefined;
  /** Its title asks for an answer also when a running tool has printed nothing for a while. */
  titleReportsQuietTool?: boolean | undefined;
  /** Its own supervisor, which runs some of its sessions; see `judgement/supervisor.ts`. */
  supervisor?: SupervisorTraits | undefined;
  /** The releases that the profile was checked against; null for a program without a profile. */
  versions: VersionRange | null;
}

export interface SupervisorTraits {
  /** As the subject of a sentence. */
  name: string;
  /** It starts a process again this long after its end. */
  restartMs: number;
  /** It gives up a process that has not started after this time. */
  startMs: number;
  /** The command that opens one of its sessions; the session's id follows. */
  open: string[];
}

export const PLAIN_TRAITS: Traits = {
  streamsReply: true,
  countsTokens: false,
  retriesSilently: true,
  ownTimeoutMs: null,
  settleMs: 2500,
  marksEnd: false,
  keepsInterruptedTurn: true,
  titleReportsQuietTool: true,
  versions: null,
};

/** After this time the program ends a silent request itself; null if it never does. */
export function ownTimeoutMs(
  { ownTimeoutMs: usual }: Pick<Traits, "ownTimeoutMs">,
  settings?: Settings,
): number | null {
  const own = settingOf(settings, "own_timeout_seconds");
  return own > 0 ? own * SECOND : usual;
}
