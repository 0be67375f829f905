/** The terminals of agents by name, for the event stream. */
import type { DaemonParts } from "../../daemon/parts.js";
import { ApiError } from "../error.js";
import type { TerminalFeed } from "../event-stream.js";
import { findAgent } from "../service/context.js";
import { LiveTerminals } from "./live-terminals.js";

export function openTerminalFeed(parts: Pick<DaemonParts, "loop" | "paths">): {
  feed: TerminalFeed;
  close: () => void;
} {
  const terminals = new LiveTerminals(parts.paths);
  const feed: TerminalFeed = {
    watch: (agent, take) => {
      const found = sessionNamed(parts, agent);
      if (typeof found === "string") {
        take({ agent, session: "", ended: found });
        return { stop: () => {}, refresh: () => {} };
      }
      const stop = terminals.watch(agent, found, take);
      if (stop) return { stop, refresh: () => terminals.refresh(found.id) };
      take({ agent, session: found.id, ended: "Too many terminals are open. Close another agent's page." });
      return { stop: () => {}, refresh: () => {} };
    },
  };
  return { feed, close: () => terminals.close() };
}

function sessionNamed(parts: Pick<DaemonParts, "loop">, agent: string) {
  try {
    return findAgent(parts, agent).session;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
