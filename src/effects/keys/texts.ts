/**
 * The texts that rouse types. One line of plain ASCII, so that each character is one key to erase. A text must not begin
 * with a composer command (`/ ! # @ ?`) or with a character that could end an escape sequence. The mark at the end keeps
 * rouse from counting its own text as activity.
 */
import type { NudgeText } from "../../core/action.js";
import { ROUSE_MARK } from "../../core/judgement/noise.js";

const TEXTS: Readonly<Record<NudgeText, string>> = {
  continue: "Please continue where you stopped.",
  repeating: "You are repeating yourself without a new result. Stop, say what blocks you, and try another way.",
  report: "Please report where you are: what is done, what is left, what blocks you.",
  are_you_there: "Are you there? Please continue, or say what you are waiting for.",
};

/** `task`: a prompt that the program has forgotten. */
export const textFor = (say: NudgeText, task?: string): string =>
  `${TEXTS[say]}${task === undefined ? "" : ` The task was: ${task}`} ${ROUSE_MARK}`;
