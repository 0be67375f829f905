/** What telling needs of the daemon: who is a worker, who is told, and with how much patience. */
import { pattern } from "../agents/pattern.js";
import type { Config } from "../config/keys.js";
import type { AgentSession } from "../core/agent.js";
import type { Policy } from "../core/policy/policy.js";
import type { Journal } from "../store/journal.js";
import type { Loop } from "./loop.js";
import { Telling, workerRules } from "./telling.js";

export function setUpTelling(
  loop: Loop,
  journal: Journal,
  { config, policyOf }: { config: Config; policyOf: (session: AgentSession) => Policy },
): Telling {
  const { worker_tags, worker_pattern, orchestrator_tag, output_preview_lines, poll_interval_secs } = config.watchdog;
  const named = worker_pattern === "" ? null : pattern(worker_pattern);
  const patienceMs = (agent: string): number => {
    const watched = loop.find(agent);
    return watched ? policyOf(watched.session).patienceMs : 0;
  };
  return new Telling({
    messages: journal.messages,
    receiver: orchestrator_tag,
    now: () => loop.now(),
    rules: {
      previewLines: output_preview_lines,
      pollIntervalMs: poll_interval_secs * 1000,
      patienceMs,
      ...workerRules(worker_tags, (name) => named?.test(name) ?? false, orchestrator_tag),
    },
  });
}
