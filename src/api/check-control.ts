/** Whom clients may type into. */
import type { AgentSession } from "../core/agent.js";
import { type Grants, grantFor } from "../daemon/permission.js";

/** One that rouse only found is somebody's own: a person has to name it before anybody types there. Null when nothing stands against it. */
export function checkControl(
  { name, origin }: Pick<AgentSession, "name" | "origin">,
  grants: Grants,
  now: number,
): string | null {
  if (origin === "run" || origin === "spawn" || grantFor(grants, { name, origin }, now)?.allowed) return null;
  return `${name} was not started by rouse; a user can allow control of it with rouse allow ${name}`;
}
