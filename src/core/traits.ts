import { type Settings, settingOf } from "./defaults.js";
import { SECOND } from "./text/time.js";
import type { VersionRange } from "./version-fit.js";

/** What the judgement needs to know of the program: the part of a profile that the core sees. */
export interface Traits {
  /** The reply appears on the screen while it streams, so an unchanged screen means that nothing came. */
  streamsReply: boolean;
  countsTokens: boolean;
  /** It retries without a word: silence before the first text of a reply may be its own back-off. */
  retriesSilently: boolean;
  ownTimeoutMs: number | null;
  /** The busy mark of the screen must stay away for so long before a turn's end is believed. */
  settleMs: number;
  /** It closes a turn with a mark of its own ("Worked for 9s"); without it, the end is believed much later. */
  marksEnd: boolean;
  /** Nothing of it says that it works before its first turn: neither while it loads nor while it starts its servers. */
  startsQuiet?: boolean | undefined;
  /** Its status says that it works for as long as a command runs that the turn left behind, a server, say. */
  statusOutlivesTurn?: boolean | undefined;
  /** The releases that the profile was checked against; null for a program without a profile. */
  versions: VersionRange | null;
}

export const PLAIN_TRAITS: Traits = {
  streamsReply: true,
  countsTokens: false,
  retriesSilently: true,
  ownTimeoutMs: null,
  settleMs: 2500,
  marksEnd: false,
  versions: null,
};

/** After so long the program ends a silent request itself; null where it never does. */
export function ownTimeoutMs(
  { ownTimeoutMs: usual }: Pick<Traits, "ownTimeoutMs">,
  settings?: Settings,
): number | null {
  const own = settingOf(settings, "own_timeout_seconds");
  return own > 0 ? own * SECOND : usual;
}
