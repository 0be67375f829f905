/**
 * When keys may be typed into a terminal, as a pure rule. It is checked when the press is decided, and again on the
 * current screen when the keys are written.
 */
import type { PromptKind } from "../states.js";

/** The parts of one screen check that matter for typing. */
export interface ScreenState {
  composer: "empty" | "draft" | "hidden";
  /** The text in the composer; empty if it is only the program's own hint. */
  draft: string;
  dialog: PromptKind | null;
  /** The program's busy mark is on the screen; null if unknown. */
  busy: boolean | null;
  /** What the program reports, by OSC 7501 or else its title. */
  says: "working" | "idle" | "blocked" | null;
  /** A message is queued until the turn ends. */
  queued: boolean;
  /** The screen does not match the program's profile. */
  structural: boolean;
  /** Digest of the composer's rows and their position; it changes when either changes. */
  composerDigest: string;
}

/** A screen state and the time since the last user input. */
export interface TerminalState {
  screenState: ScreenState;
  /** Time since a user last typed; `Infinity` if never. */
  quietMs: number;
}

/** What must hold when the keys are written. */
export interface Precondition {
  /** The exact text in the composer; empty for none. */
  draft: string;
  /** `unknown`: the program has no profile, so only dialogs and the user at the keyboard are checked. */
  turn: "idle" | "running" | "unknown";
  /** Required time without user input. */
  quietMs: number;
  /** From the screen check: the composer must not have changed since. */
  composerDigest: string;
}

/** Text is literal and does not end in Enter; named keys are mapped per program. */
export type Keys =
  | { kind: "text"; text: string }
  | { kind: "submit" }
  /** Index of the key in the sequence that ends a turn, from 0. */
  | { kind: "interrupt"; press: number }
  | { kind: "erase"; chars: number };

type KeyCheck = (terminalState: TerminalState, precondition: Precondition) => string | null;

/** Why typing is refused; null if it is allowed. */
export function refuseReason(terminalState: TerminalState, precondition: Precondition): string | null {
  const checks = precondition.turn === "unknown" ? CHECKS_OF_ANY : CHECKS;
  for (const check of checks) {
    const objection = check(terminalState, precondition);
    if (objection !== null) return objection;
  }
  return null;
}

const CHECKS_OF_ANY: readonly KeyCheck[] = [
  ({ screenState: { dialog } }) => (dialog === null ? null : `a dialog is open (${dialog})`),
  ({ screenState: { says } }) => (says === "blocked" ? "the program is waiting for an answer" : null),
  ({ quietMs }, precondition) => (quietMs < precondition.quietMs ? `a user typed ${seconds(quietMs)} ago` : null),
];

const CHECKS: readonly KeyCheck[] = [
  ...CHECKS_OF_ANY,
  ({ screenState: { structural } }) => (structural ? "the screen does not match the program's profile" : null),
  ({ screenState: { composer } }) => (composer === "hidden" ? "no composer is visible" : null),
  ({ screenState }, { draft }) => {
    if (sameText(screenState.draft, draft)) return null;
    if (draft === "") return "the composer contains a draft";
    return "the composer does not contain the typed text";
  },
  ({ screenState }, { turn }) => {
    if ((turn === "running") === isRunning(screenState)) return null;
    return turn === "idle" ? "a turn is running" : "no turn is running";
  },
  ({ screenState }, { composerDigest: place }) =>
    place === screenState.composerDigest ? null : "the composer has changed",
];

export const isRunning = ({ busy, says }: ScreenState): boolean => busy === true || says === "working";

/** More characters of other scripts than this, and the text would not be the same any more. */
const OTHER_SHARE_MAX = 0.05;

/**
 * A prompt as one line of plain ASCII; null if it would lose its meaning. A composer completes names after `@`, and Enter
 * would then accept the completion.
 */
export function typableText(text: string | null): string | null {
  if (text === null) return null;
  const line = text.replace(/\s+/g, " ").trim();
  const others = line.replace(/[ -~]/g, "").length;
  if (line === "" || others > line.length * OTHER_SHARE_MAX) return null;
  return line.replace(/[@\\]/g, "").replace(/[^ -~]/g, "?");
}

/** A composer wraps its rows and draws a frame around them. */
const WRAPPING = /[\s│┃▌|]+/g;
const bare = (text: string): string => text.replace(WRAPPING, "");
/** A composer shows at least this much of a long text; the rest is scrolled out of it. */
const SHOWN_MIN = 200;

/** The composer shows the typed text, or the end of it if it is long. */
export function sameText(shown: string, typed: string): boolean {
  const [seen, whole] = [bare(shown), bare(typed)];
  return seen === whole || (seen.length >= SHOWN_MIN && whole.endsWith(seen));
}

const seconds = (ms: number): string => `${Math.max(0, Math.floor(ms / 1000))} s`;
