/** An agent that gets another name stays who it is: its problems, what was done about them and what people said go along. */
import type { FeedbackCount, Incidents } from "./incident.js";

export function carryOver(book: Incidents, from: string, to: string): void {
  if (from === to) return;
  for (const list of [book.incidents, book.actions, book.silences])
    for (const entry of list) if (entry.agent === from) entry.agent = to;
  const since = book.blind.filter(({ agent }) => agent === from || agent === to).map((entry) => entry.since);
  book.blind = book.blind.filter(({ agent }) => agent !== from && agent !== to);
  if (since.length > 0) book.blind.push({ agent: to, since: Math.min(...since) });
  const said = book.feedback.filter(({ agent }) => agent === from);
  book.feedback = book.feedback.filter(({ agent }) => agent !== from);
  for (const count of said) addCount(book.feedback, { ...count, agent: to });
}

/** Whoever had the new name before was spoken of too. */
function addCount(feedback: FeedbackCount[], { agent, problem, falseAlarms, right }: FeedbackCount): void {
  const known = feedback.find((count) => count.agent === agent && count.problem === problem);
  if (!known) feedback.push({ agent, problem, falseAlarms, right });
  else {
    known.falseAlarms += falseAlarms;
    known.right += right;
  }
}
