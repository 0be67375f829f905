/**
 * A program without a profile that got its task at its start and hangs on its connection: it has asked another program
 * and got no answer, or its text stops in the middle of a sentence and no byte follows. The connection has to belong to
 * the youngest process, so that nothing that it started can be what it waits for. A program that computes is at work,
 * and one whose cursor waits behind a question or a space may wait for its user. A spinner or moving colours are no output
 * while a request is open, and the CPU time of a program that draws them proves no work.
 */
import { settingOf } from "../../defaults.js";
import { formatFor } from "../../text/duration.js";
import { MINUTE } from "../../text/time.js";
import { CONNECTION_QUIET_MS } from "../clocks.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { endingOf } from "./by-quiet.js";

/** Processes are checked every ten seconds: activity within this time is going on. */
const RECENT_MS = MINUTE;

export function byConnection(question: RuleInput): RuleVerdict | null {
  const { evidence, since, dueAfter, settings } = question;
  const { reading, outputAt, connection, receivedAt, seen, cpuMovedAt, childWorkedAt } = evidence.progress;
  if (reading?.composer !== "hidden" || reading.dialog || outputAt === null || connection === null) return null;
  const isAsking = connection.state === "asks" && reading.caret !== "question";
  const shownAt = Math.min(outputAt, (isAsking ? seen.reply : null) ?? outputAt);
  const isDrawing = isAsking && outputAt > shownAt && since(outputAt) < RECENT_MS;
  if (!isAsking && !reading.cut) return null;
  const quietMs = CONNECTION_QUIET_MS * settingOf(settings, "silence_patience");
  // Pings keep a dead stream open.
  const from = Math.max(shownAt, connection.since, (isAsking ? receivedAt : seen.socket) ?? 0);
  const workedAt = Math.max((isDrawing ? null : cpuMovedAt) ?? 0, childWorkedAt ?? 0);
  dueAfter(from, quietMs);
  dueAfter(workedAt, RECENT_MS);
  if (since(from) < quietMs || since(workedAt) < RECENT_MS) return null;
  const { reasons: more = [], ...ending } = endingOf(question);
  const ends = reading.cut ? ", and the text stops in the middle of a sentence" : "";
  const waits = isAsking ? "A request has had no answer" : "The connection is open and has brought nothing new";
  return {
    state: "stuck",
    cause: "silent_stream",
    confidence: ending.act ? 0.8 : 0.7,
    ...ending,
    reasons: [
      `No ${isDrawing ? "new text" : "output"} ${formatFor(since(shownAt))} (screen)${ends}`,
      `${waits} ${formatFor(since(from))} (process)`,
      ...more,
    ],
  };
}
