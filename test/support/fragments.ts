/** Single frames, judged at a fixed moment. */
import { profileFor } from "../../src/agents/registry.js";
import { judgeFragment } from "../../src/readers/fragment/fragment.js";

const NOW = Date.UTC(2026, 10, 15, 12, 0);
const ALARMS: ReadonlySet<string> = new Set(["needs_input", "rate_limited", "stuck", "error", "gone"]);

export const judge = (agent: string, text: string, zone = "UTC") =>
  judgeFragment(profileFor(agent), text, { at: NOW, zone });

/** State and cause, as "state/cause". */
export const said = (agent: string, text: string): string => {
  const { state, cause } = judge(agent, text);
  return cause === null ? state : `${state}/${cause}`;
};

export const alarms = (agent: string, text: string): boolean => ALARMS.has(judge(agent, text).state);

/** The state, and to the minute when it ends. */
export const saidUntil = (agent: string, text: string): [state: string, until: string | null] => {
  const { state, until } = judge(agent, text);
  return [state, until === null ? null : new Date(until).toISOString().slice(0, 16)];
};
