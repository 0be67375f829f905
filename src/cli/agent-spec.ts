/**
 * The data that a host process needs from the command that started it. Separate from `agent-options.ts`, because the host
 * of a spawned agent does not load the command line.
 */
import { randomUUID } from "node:crypto";
import { rousePaths } from "../config/paths.js";
import { isMarkedStopped } from "../daemon/self/stay-down.js";
import { BadInput } from "../replay/bad-input.js";
import type { HostSpec, RefusedAttempt } from "../terminal/host-options.js";
import { nameOfCommand, takeFreeName, takeName } from "../terminal/names.js";
import type { SpecWithoutName } from "../terminal/start-host.js";

export function nameFor({ wanted, ...spec }: SpecWithoutName): HostSpec {
  const base = wanted ?? nameOfCommand(spec.command);
  let name: string | null;
  try {
    name = wanted === null ? takeFreeName(rousePaths(), base) : takeName(rousePaths(), wanted) ? wanted : null;
  } catch {
    // Nothing can be stored here, so no other agent holds a name either; the agent runs in any case.
    name = base;
  }
  if (name !== null) return { ...spec, name };
  throw new BadInput(
    `an agent named ${base} is already running; choose another name, or attach to it: \`rouse attach ${base}\``,
  );
}

/** The daemon takes the line into the audit trail, and announces it if a dialog is open. */
export function keysRefused({ by, order, agent, session, text, reason }: RefusedAttempt): void {
  const at = Date.now();
  const action = order === "type" ? "type_unchecked" : order;
  const entry = {
    at,
    author: `agent ${by}`,
    origin: "socket",
    action,
    agent,
    session,
    text,
    key: randomUUID(),
  } as const;
  const outcome = { at, result: "refused", reason } as const;
  import("../store/audit-spool.js")
    .then(({ spoolLine }) => spoolLine(rousePaths().state, { entry, outcome, files: [] }))
    .catch(() => {
      // A full disk: the refusal stands.
    });
}

/** Starts the daemon when a host misses it, unless the user stopped it; the agent runs without it. */
export async function startDaemon(): Promise<void> {
  if (process.env.ROUSE_DAEMON === "off") throw new Error("ROUSE_DAEMON is off");
  if (isMarkedStopped(rousePaths())) throw new Error("the user stopped the daemon");
  const { ensureDaemon } = await import("./ensure-daemon.js");
  await ensureDaemon();
}
