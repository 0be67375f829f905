/** The sources that the daemon's sensors read for one session. */
import type { AgentSession } from "../../core/agent.js";
import type { ProcessSignal } from "../../core/signal.js";
import type { FoundAgent } from "../../sensors/process/find-agents.js";
import type { SessionFileSensor } from "../../sensors/transcript/session-file.js";
import type { WorkspaceSensor } from "../../sensors/workspace/workspace-sensor.js";

/** Sources of one session besides its terminal. */
export interface SessionSources {
  account: string | null;
  transcript: string | null;
  sessionFile: SessionFileSensor | null;
  workspace: WorkspaceSensor | null;
  sampledAt: number;
  sample: ProcessSignal | null;
  /** When its process was first missing. */
  deadAt: number | null;
  /** Its terminal if rouse does not hold it, and the time of the last input there. */
  tty: string | null;
  typedAt: number | null;
}

export function createSources(): SessionSources {
  return {
    account: null,
    transcript: null,
    sessionFile: null,
    workspace: null,
    sampledAt: 0,
    sample: null,
    deadAt: null,
    tty: null,
    typedAt: null,
  };
}

/** A session for a program that was found running. */
export function sessionOf(agent: FoundAgent): AgentSession {
  const folder = agent.cwd?.split("/").at(-1);
  return {
    id: `${agent.kind}-${agent.pid}-${agent.startedAt}`,
    name: folder ? `${folder}-${agent.pid}` : `${agent.kind}-${agent.pid}`,
    kind: agent.kind,
    tags: [],
    origin: "transcript",
    command: agent.command,
    workspace: agent.cwd,
    task: null,
    policy: null,
    pid: agent.pid,
    pidStart: agent.start,
    startedAt: agent.startedAt,
    hostSocket: null,
    pane: null,
    endedAt: null,
  };
}

/** Unchanged counters are not stored: a sample every ten seconds would fill the journal. */
export function hasChanged(before: ProcessSignal | null, now: ProcessSignal): boolean {
  if (!before) return true;
  return (
    before.alive !== now.alive ||
    before.children !== now.children ||
    before.newestChildAt !== now.newestChildAt ||
    before.terminalReaderAt !== now.terminalReaderAt ||
    before.receivedBytes !== now.receivedBytes ||
    before.stopped !== now.stopped ||
    now.cpuMs - before.cpuMs > 200
  );
}
