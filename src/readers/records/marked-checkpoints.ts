/**
 * Checkpoints that an agent reports by a line of its own reply, where it can run no command:
 *
 *   @rouse checkpoint 7 step 3: added the endpoint
 *
 * The line counts only alone, at the start of a line, outside of a block of code: what an agent quotes, such as a diff, a
 * file or this prompt, is not its report. Only replies are read, never results of tools.
 */
import { ROUSE_MARK } from "../../core/judgement/noise.js";
import type { MarkedCheckpoint } from "../../core/signal.js";
import { redact } from "../../core/text/redact.js";
import { textHead } from "./text.js";

const WORD = "@rouse checkpoint";
/** A placeholder of the prompt starts with `<`. */
const LINE = /^@rouse checkpoint(?: #?(\d{1,9}))?(?: step (\d{1,6}))?: (?!<)(\S.{0,999})$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TEXT_MAX = 300;
/** Of one reply: the newest. */
const MARKS_MAX = 5;
const LINES_MAX = 5000;

export function markedCheckpoints(text: string): MarkedCheckpoint[] {
  if (!text.includes(WORD) || text.includes(ROUSE_MARK)) return [];
  const found: MarkedCheckpoint[] = [];
  let fence = "";
  for (const line of text.split("\n", LINES_MAX)) {
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
      continue;
    }
    fence = mark;
    const [, task, step, said] = LINE.exec(line.trimEnd()) ?? [];
    if (said === undefined) continue;
    found.push({
      ...(task === undefined ? {} : { task: Number(task) }),
      ...(step === undefined ? {} : { step: Number(step) }),
      text: textHead(redact(said), TEXT_MAX),
    });
  }
  // In a block that is never closed, everything to the end is code.
  return found.slice(-MARKS_MAX);
}
