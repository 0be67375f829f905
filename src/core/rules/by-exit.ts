import type { Question, Verdict } from "../assess.js";
import { byEnd } from "./by-end.js";
import { byFailure } from "./by-failure.js";

/** A human's key to leave counts as the reason of an exit for so long. */
const QUIT_MS = 15_000;

/** The process ended. A result survives it, a human's own quit says nothing, and only the rest is `gone`. */
export function byExit(question: Question): Verdict | null {
  const { exit, quitAt, turn } = question.evidence;
  if (!exit) return null;
  const how = exit.signal !== null ? `signal ${exit.signal}` : `exit code ${exit.code}`;
  const ended: Question = { ...question, active: false };
  const result = byFailure(ended) ?? (question.evidence.turn.turns > 0 && finished(question) ? byEnd(ended) : null);
  if (result) return { ...result, reasons: [...result.reasons, `the process ended after it, ${how}`] };
  if (quitAt !== null && exit.at - quitAt < QUIT_MS) {
    return { state: "idle", cause: null, confidence: 0.8, reasons: [`a human ended it (${how})`] };
  }
  if (exit.code === 0) {
    const state = turn.turns > 0 ? "complete" : "idle";
    return { state, cause: null, confidence: 0.7, reasons: ["the process ended with exit code 0"] };
  }
  const cause = exit.signal === null ? "exit_code" : "crash";
  return { state: "gone", cause, confidence: 0.9, reasons: [`the process ended in the middle of its work, ${how}`] };
}

/** The last turn had ended before the process did, by the live view or by a record of it. */
function finished({ evidence }: Question): boolean {
  const { endedAt, startedAt, record } = evidence.turn;
  if (endedAt !== null && endedAt >= (startedAt ?? 0)) return true;
  return record.endAt !== null && record.endAt >= (record.startAt ?? 0);
}
