/**
 * Ends an agent: where the work stands is written down first, then it is asked, then killed, and its end is proven. Only
 * what rouse started, or what a policy names in a tmux pane; never a session in a human's own terminal.
 */
import type { Action } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import type { State } from "../core/states.js";
import { ask } from "../host/ask.js";
import { type Stopped, stopTree } from "../host/stop-tree.js";
import { identityOf } from "../sensors/process/process-sensor.js";
import { keepCheckpoint } from "./checkpoint.js";
import { leftoversOf } from "./leftovers.js";
import { openTerminal, quietFor } from "./open-terminal.js";
import { done, failed, type Result, refused, unknown } from "./reach.js";
import type { EffectWorld } from "./world.js";

const GRACE_MS = 10_000;
/** Killing takes up to 5 s after the grace. */
const ANSWER_MS = 20_000;
/** Nobody is ended who does one of these. */
const WELL: ReadonlySet<State> = new Set<State>(["working", "waiting", "starting"]);

export async function stop(action: Action, agent: AgentSession, world: EffectWorld): Promise<Result> {
  if (agent.origin === "run" || agent.origin === "transcript")
    return refused("it runs in a terminal that is not rouse's to end");
  const { pid, pidStart } = agent;
  if (pid === null || pidStart === null) return refused("the agent's process could not be identified");
  if (identityOf(pid) !== pidStart) return done("it was gone already; nothing was signalled", true);
  const objection = await standsAgainst(agent, world);
  if (objection !== null) return refused(objection);

  world.starting?.environments.remember(agent);
  const transcript = world.transcript(agent.session);
  const checkpoint = await keepCheckpoint(agent, {
    at: world.now(),
    reason: `${action.do}: ${action.trouble}`,
    evidence: world.evidence(agent.session),
    transcript,
    paths: world.paths,
  }).catch((error: Error) => error);
  if (checkpoint instanceof Error)
    return refused(`no checkpoint could be written: ${checkpoint.message}`.slice(0, 300));

  // Git may have taken seconds: who came in the meantime is in time.
  const late = await standsAgainst(agent, world);
  if (late !== null) return refused(`${late}; checkpoint: ${checkpoint}`);
  const stopped = await end(agent, { pid, start: pidStart }, world.isOrder ? "client" : "rouse");
  if (typeof stopped === "string") return unknown(`${stopped}; checkpoint: ${checkpoint}`);
  if (!stopped.isGone) return failed(`${stopped.left.length} processes are left: ${stopped.left.join(" ")}`);
  const { working, idle } = await leftoversOf(agent.session, transcript, world.paths, world);
  if (working !== null) return failed(`its ${stopped.processes} processes are gone, but ${working}`);
  const how = stopped.isKilled ? "killed" : "ended";
  const also = idle === null ? "" : `; idle in the background: ${idle}`;
  return done(`${how}, ${stopped.processes} processes${also}; checkpoint: ${checkpoint}`, true);
}

const standsAgainst = async (agent: AgentSession, world: EffectWorld): Promise<string | null> =>
  wellNow(agent, world) ?? (await inUse(agent, world));

/** Confirms that it is still as bad as it was decided on. */
function wellNow(agent: AgentSession, world: EffectWorld): string | null {
  const now = world.assessment(agent.session);
  return now && WELL.has(now.state) ? `it is ${now.state} now: ${now.reasons[0] ?? ""}` : null;
}

/** Somebody has to do with it just now, or nobody can see whether; null when it may be ended. */
async function inUse(agent: AgentSession, world: EffectWorld): Promise<string | null> {
  const terminal = openTerminal(agent, world.profileOf(agent.kind));
  if (!terminal) return "its terminal cannot be reached";
  try {
    const look = await terminal.look();
    if (look.sight === null) return `its terminal cannot be seen: ${look.reason}`;
    const { glance, quietMs } = look.sight;
    if (glance.dialog !== null || glance.says === "blocked") return "it waits for an answer";
    if (quietMs < quietFor(agent, world)) return `somebody typed ${Math.floor(quietMs / 1000)} s ago`;
    return null;
  } finally {
    terminal.close();
  }
}

/** By its host, which holds the terminal; where that does not answer, from here. */
async function end(
  agent: AgentSession,
  target: { pid: number; start: string },
  by: "client" | "rouse",
): Promise<Stopped | string> {
  if (agent.hostSocket === null) return stopTree({ ...target, ownsGroup: false }, GRACE_MS);
  const asked = await ask(agent.hostSocket, { op: "stop", graceMs: GRACE_MS, by }, "stopped", ANSWER_MS);
  if (asked.kind === "answer") return asked.event as unknown as Stopped;
  if (asked.kind === "unreachable" || asked.kind === "ended") return stopTree({ ...target, ownsGroup: true }, GRACE_MS);
  return `its host did not say what became of it: ${asked.reason}`;
}
