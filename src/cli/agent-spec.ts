/**
 * What the process that holds an agent needs of the command that started it. Apart from `agent-options.ts`: the host of
 * a spawned agent loads nothing of the command line.
 */
import { rousePaths } from "../config/paths.js";
import { isMarkedStopped } from "../daemon/self/stay-down.js";
import { BadInput } from "../replay/bad-input.js";
import type { HostSpec } from "../terminal/host-options.js";
import { nameOfCommand, takeFreeName, takeName } from "../terminal/names.js";
import type { SpecWithoutName } from "../terminal/start-host.js";

export function nameFor({ wanted, ...spec }: SpecWithoutName): HostSpec {
  const base = wanted ?? nameOfCommand(spec.command);
  let name: string | null;
  try {
    name = wanted === null ? takeFreeName(rousePaths(), base) : takeName(rousePaths(), wanted) ? wanted : null;
  } catch {
    // Nothing can be stored here, so nobody else holds a name either; an agent is run in any case.
    name = base;
  }
  if (name !== null) return { ...spec, name };
  throw new BadInput(`an agent called ${base} is running; choose another name, or look at it: rouse attach ${base}`);
}

/** Starts the daemon when a host misses it, unless a person stopped it; a run goes on without one. */
export async function startDaemon(): Promise<void> {
  if (process.env.ROUSE_DAEMON === "off") throw new Error("ROUSE_DAEMON is off");
  if (isMarkedStopped(rousePaths())) throw new Error("a person stopped the daemon");
  const { ensureDaemon } = await import("./ensure-daemon.js");
  await ensureDaemon();
}
