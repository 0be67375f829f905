/** The journal folded again after a restart: each session is judged as it was judged while its signals came. */
import type { AgentSession } from "../core/agent.js";
import type { Journal } from "../store/journal.js";
import { type Clock, TICK_MS } from "./clock.js";
import { type JudgingOptions, Watched } from "./watched.js";

/** Sessions that ended are forgotten by the loop after so long; the journal keeps them. */
export const ENDED_KEPT_MS: number = 24 * 3600_000;

/** A silence of hours is stepped through every half minute at the most often. */
const FOLD_STEPS_MAX = 2000;
const FOLD_PIECE = 64;

export interface Folded {
  /** How many signals there were. */
  folded: number;
  /** `last`: when the last of its signals came. */
  sessions: { watched: Watched; last: number }[];
}

/** Yields every few signals, so that a long journal can be folded in pieces. */
export function* foldJournal(
  journal: Journal,
  clock: Clock,
  settingsFor: (session: AgentSession) => JudgingOptions,
): Generator<number, Folded> {
  let folded = 0;
  const sessions: Folded["sessions"] = [];
  for (const session of journal.sessions()) {
    if (session.endedAt !== null && clock.now() - session.endedAt > ENDED_KEPT_MS) continue;
    const watched = new Watched(session, session.startedAt, settingsFor(session));
    let last = session.startedAt;
    let isTold = false;
    for (const { seq, signal, receivedAt } of journal.read(session.session)) {
      if (receivedAt > last) {
        // One judgement per batch, and what was due before it, as when it came.
        if (isTold) watched.judge(last);
        judgeUntil(watched, signal.kind === "gap" ? Math.min(signal.from, receivedAt) : receivedAt);
        last = receivedAt;
      }
      watched.take([signal], last);
      isTold = true;
      watched.hear(last, seq === null ? "senses" : "host");
      if (++folded % FOLD_PIECE === 0) yield folded;
    }
    if (isTold) watched.judge(last);
    sessions.push({ watched, last });
    if (isTold) clock.reach(last);
  }
  return { folded, sessions };
}

/** Judges at the moments that the judgement named, so that a fold tells the same story as the watching did. */
export function judgeUntil(watched: Watched, until: number): void {
  for (let step = 0; step < FOLD_STEPS_MAX; step++) {
    const { recheckAt, at } = watched.assessment;
    if (recheckAt === null) return;
    // The loop looks up no more often than this.
    const due = Math.max(recheckAt, at + TICK_MS);
    if (due >= until) return;
    watched.judge(due);
  }
}
