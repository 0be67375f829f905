/** A session as the API returns it: names and times like those of all other records. */
import type { AgentSession } from "../../core/agent.js";

export interface SessionRecord extends Omit<AgentSession, "pidStart" | "startedAt" | "hostSocket" | "endedAt"> {
  pid_start: string | null;
  /** ISO 8601, as all times of the API. */
  started_at: string;
  host_socket: string | null;
  ended_at: string | null;
}

export const recordOf = ({ pidStart, startedAt, hostSocket, endedAt, ...rest }: AgentSession): SessionRecord => ({
  ...rest,
  pid_start: pidStart,
  started_at: new Date(startedAt).toISOString(),
  host_socket: hostSocket,
  ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
});

/** For a client that reads the terminal and the processes of the agent itself. */
export const sessionOf = ({ pid_start, started_at, host_socket, ended_at, ...rest }: SessionRecord): AgentSession => ({
  ...rest,
  pidStart: pid_start,
  startedAt: Date.parse(started_at),
  hostSocket: host_socket,
  endedAt: ended_at === null ? null : Date.parse(ended_at),
});
