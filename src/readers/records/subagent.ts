/**
 * What the records of a subagent say about the session that started it: that it works, the tools that it calls, the
 * tokens that it uses. Its turns and messages are not those of the session.
 */
import { digest } from "../../core/digest.js";
import type { Signal } from "../../core/signal.js";

export function signalsOfSubagent(signals: readonly Signal[], agent: string): Signal[] {
  const kept = signals.flatMap((signal): Signal[] => {
    switch (signal.kind) {
      case "tool_start": {
        const { round, near, call } = signal;
        // Two subagents may make the same calls and the same errors without repeating each other.
        const own = {
          call: digest(`${agent} ${call}`),
          ...(near === undefined ? {} : { near: digest(`${agent} ${near}`) }),
        };
        return [{ ...signal, ...own, ...(round === undefined ? {} : { round: `${agent} ${round}` }), nested: true }];
      }
      case "tool_end":
        return [{ ...signal, ...(signal.error === undefined ? {} : { error: digest(`${agent} ${signal.error}`) }) }];
      case "tokens":
      case "delta":
      case "repetition":
        return [signal];
      default:
        return [];
    }
  });
  const last = signals.at(-1);
  if (last === undefined || kept.length > 0) return kept;
  return [{ kind: "delta", at: last.at, source: last.source, channel: "content", chars: 0 }];
}
