/** The sources that the daemon's sensors read for one session. */
import { type AgentSession, createSession, NO_PROFILE } from "../../core/agent.js";
import { CHILD_IO_BYTES } from "../../core/judgement/evidence/progress.js";
import type { ProcessSignal, Signal } from "../../core/signal.js";
import { programFor } from "../../programs/registry.js";
import type { FoundAgent } from "../../sensors/process/find-agents.js";
import type { SessionFileSensor } from "../../sensors/transcript/session-file.js";
import type { WorkspaceSensor } from "../../sensors/workspace/workspace-sensor.js";

/** Sources of one session besides its terminal. */
export interface SessionSources {
  account: string | null;
  transcript: string | null;
  /** When the program itself last named this transcript. */
  namedAt: number | null;
  sessionFile: SessionFileSensor | null;
  workspace: WorkspaceSensor | null;
  sampledAt: number;
  sample: ProcessSignal | null;
  /** When its process was first missing. */
  deadAt: number | null;
  /** The agent that a script runs at present; null if none. */
  child: Pick<FoundAgent, "pid" | "start"> | null;
  /** Kind of the last such agent. */
  childKind: string | null;
  /** Its terminal if rouse does not hold it, and the time of the last input there. */
  tty: string | null;
  typedAt: number | null;
}

export function createSources(): SessionSources {
  return {
    account: null,
    transcript: null,
    namedAt: null,
    sessionFile: null,
    workspace: null,
    sampledAt: 0,
    sample: null,
    deadAt: null,
    child: null,
    childKind: null,
    tty: null,
    typedAt: null,
  };
}

/** A session for a program that was found running, named after its folder and this id. */
export function sessionOf(agent: FoundAgent, id: string | number = agent.pid): AgentSession {
  const folder = agent.cwd?.split("/").at(-1);
  return createSession({
    id: `${agent.kind}-${agent.pid}-${agent.startedAt}`,
    name: `${folder || agent.kind}-${id}`,
    kind: agent.kind,
    origin: "transcript",
    command: agent.command,
    workspace: agent.cwd,
    pid: agent.pid,
    pidStart: agent.start,
    startedAt: agent.startedAt,
  });
}

/**
 * A session without a profile runs this agent without a terminal of its own: a loop script with `claude -p` or
 * `codex exec`, for example. An agent with a terminal, behind a wrapper, is the session itself.
 */
export function isChildOf({ kind, pid }: AgentSession, agent: FoundAgent): boolean {
  if (kind !== NO_PROFILE || pid === null || [agent.pid, ...agent.innerPids].includes(pid)) return false;
  const { headlessBy } = programFor(agent.kind).profile.resume;
  return agent.command.some((word) => headlessBy.includes(word));
}

/** The signals when a script starts an agent, or when the agent has ended. */
export const childStarted = (kind: string, at: number): Signal[] => [
  { kind: "session", at, source: "process", child: kind },
];
export const childEnded = (at: number): Signal[] => [
  { kind: "turn", at, source: "transcript", phase: "end" },
  { kind: "session", at, source: "process", child: null },
];

/** Unchanged counters are not stored: a sample every ten seconds would fill the journal. */
export function hasChanged(before: ProcessSignal | null, now: ProcessSignal): boolean {
  if (!before) return true;
  return (
    before.alive !== now.alive ||
    before.children !== now.children ||
    before.newestChildAt !== now.newestChildAt ||
    before.terminalReaderAt !== now.terminalReaderAt ||
    before.receivedBytes !== now.receivedBytes ||
    before.connection !== now.connection ||
    before.stopped !== now.stopped ||
    now.cpuMs - before.cpuMs > 200 ||
    (now.childIoBytes ?? 0) - (before.childIoBytes ?? 0) > CHILD_IO_BYTES
  );
}
