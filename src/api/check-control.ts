/** Which agents clients may type into. */
import type { AgentSession } from "../core/agent.js";
import { type Grants, grantFor } from "../daemon/permission.js";

/** An agent that rouse only found belongs to a user, who has to allow it by name first. Null if control is permitted. */
export function checkControl(
  { name, origin }: Pick<AgentSession, "name" | "origin">,
  grants: Grants,
  now: number,
): string | null {
  if (origin === "run" || origin === "spawn" || grantFor(grants, { name, origin }, now)?.allowed) return null;
  return `${name} was not started by rouse; a user can allow control of it with \`rouse allow ${name}\``;
}
