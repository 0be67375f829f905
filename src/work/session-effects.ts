/** What a session did that others can see, from its own records: pushes, pull requests, releases. */
import type { Signal } from "../core/signal.js";

const VISIBLE =
  /^(?:git push|gh (?:pr|issue|release) (?:create|merge|close|comment|edit)|glab mr (?:create|merge)|npm publish|docker push)/;
const EFFECTS_MAX = 20;

/** Others can see its effect. */
export const isVisibleCall = (subject: string | undefined): boolean => subject !== undefined && VISIBLE.test(subject);

/** A call whose result is missing may have had its effect. */
function visibleEffects(signals: Iterable<Signal>): string[] {
  const open = new Map<string, { subject: string; at: number; result: string }>();
  for (const signal of signals) {
    if (signal.kind === "tool_start" && signal.subject !== undefined && isVisibleCall(signal.subject)) {
      const { subject, at } = signal;
      open.set(signal.id, { subject, at, result: "without a recorded result: check it" });
    }
    const call = signal.kind === "tool_end" ? open.get(signal.id) : undefined;
    if (call && signal.kind === "tool_end") call.result = signal.ok ? "succeeded" : "failed";
  }
  return [...open.values()]
    .slice(-EFFECTS_MAX)
    .map(
      ({ subject, at, result }) =>
        `${subject} (${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC): ${result}`,
    );
}

export interface SignalReader {
  read(session: string): Iterable<{ signal: Signal }>;
}

export function effectsIn(journal: SignalReader, session: string): string[] {
  return visibleEffects(signalsOf(journal, session));
}

function* signalsOf(journal: SignalReader, session: string): Generator<Signal> {
  for (const { signal } of journal.read(session)) yield signal;
}
