/** Accounts that the user configured: agents of one account share its limits, whatever their programs report. */
import type { Config } from "./keys.js";

/** Entries are `NAME=ACCOUNT`; the agent's own counts before those of its tags. */
export function configuredAccount(
  { agents, tags }: Config["accounts"],
  agent: { name: string; tags: readonly string[] },
): string | null {
  return entryOf(agents, [agent.name]) ?? entryOf(tags, agent.tags);
}

function entryOf(entries: readonly string[], names: readonly string[]): string | null {
  for (const entry of entries) {
    const at = entry.indexOf("=");
    const account = entry.slice(at + 1).trim();
    if (at > 0 && account !== "" && names.includes(entry.slice(0, at).trim())) return account;
  }
  return null;
}
