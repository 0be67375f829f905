/**
 * When keys may go into a terminal, as a pure rule. It is asked where the decision to press is made and once more where
 * the keys are written, in the same step, on what stands on the screen then.
 */
import type { PromptKind } from "../states.js";

/** What one look at a terminal says, as far as keys are concerned. Nothing in it needs a second look to agree. */
export interface ScreenState {
  composer: "empty" | "draft" | "hidden";
  /** What stands in the composer; empty where that is only the program's own hint. */
  draft: string;
  dialog: PromptKind | null;
  /** The program's busy mark is on the screen; null where nobody can tell. */
  busy: boolean | null;
  /** The program's own word, by OSC 7501 or else its title. */
  says: "working" | "idle" | "blocked" | null;
  /** A text waits to be sent when the turn ends. */
  queued: boolean;
  /** The screen does not fit the program's profile. */
  structural: boolean;
  /** The composer's rows and where they stand, as a digest: another one is another screen. */
  composerDigest: string;
}

/** A glance, with what else the terminal tells. */
export interface TerminalState {
  screenState: ScreenState;
  /** How long ago a human last typed; `Infinity` where nobody did, or nobody can. */
  quietMs: number;
}

/** What has to hold at the moment in which the keys go in. */
export interface Precondition {
  /** What the composer holds, to the letter; the empty text for nothing. */
  draft: string;
  turn: "idle" | "running";
  /** Nobody may have typed for so long. */
  quietMs: number;
  /** That of the look that was taken: the composer has not changed since. */
  composerDigest: string;
}

/** Text is literal and ends in no Enter; keys are named, and each program has its own for them. */
export type Keys =
  | { kind: "text"; text: string }
  | { kind: "submit" }
  /** The how-manieth of the keys that end a turn, from 0. */
  | { kind: "interrupt"; press: number }
  | { kind: "erase"; chars: number };

type KeyCheck = (terminalState: TerminalState, precondition: Precondition) => string | null;

/** Why nothing may be typed into this; null when it may. */
export function refuseReason(terminalState: TerminalState, precondition: Precondition): string | null {
  for (const check of CHECKS) {
    const objection = check(terminalState, precondition);
    if (objection !== null) return objection;
  }
  return null;
}

const CHECKS: readonly KeyCheck[] = [
  ({ screenState: { dialog } }) => (dialog === null ? null : `a dialog is open (${dialog})`),
  ({ screenState: { says } }) => (says === "blocked" ? "the program says that it waits for an answer" : null),
  ({ quietMs }, precondition) => (quietMs < precondition.quietMs ? `somebody typed ${seconds(quietMs)} ago` : null),
  ({ screenState: { structural } }) => (structural ? "the screen does not fit the program's profile" : null),
  ({ screenState: { composer } }) => (composer === "hidden" ? "no composer is to be seen" : null),
  ({ screenState }, { draft }) => {
    if (sameText(screenState.draft, draft)) return null;
    if (draft === "") return "a draft stands in the composer";
    return "the composer does not hold what was typed";
  },
  ({ screenState }, { turn }) => {
    if ((turn === "running") === isRunning(screenState)) return null;
    return turn === "idle" ? "a turn is running" : "no turn is running";
  },
  ({ screenState }, { composerDigest: place }) =>
    place === screenState.composerDigest ? null : "the composer has changed",
];

export const isRunning = ({ busy, says }: ScreenState): boolean => busy === true || says === "working";

/** A composer wraps its rows where it likes and draws a frame around them. */
const WRAPPING = /[\s│┃▌|]+/g;

export function sameText(a: string, b: string): boolean {
  return a.replace(WRAPPING, "") === b.replace(WRAPPING, "");
}

const seconds = (ms: number): string => `${Math.max(0, Math.floor(ms / 1000))} s`;
