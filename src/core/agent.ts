/** A watched agent: one identity and one run of it. Plain data, exchanged between host, daemon and store. */

/** The kind of all programs without a profile: two agents of this kind may be different programs. */
export const NO_PROFILE = "generic";

/** How rouse observes an agent; `report`: it cannot, and the agent's own reports and checkpoints are all there is. */
export const ORIGINS = ["run", "spawn", "tmux", "transcript", "report"] as const;

/** rouse did not start it: it only watches. */
export const isAdopted = ({ origin }: Pick<AgentSession, "origin">): boolean => origin !== "run" && origin !== "spawn";

export interface AgentSession {
  /** Unique for this run. */
  id: string;
  /** Name of the agent; unique among the running agents of a node. */
  name: string;
  /** Id of the program's profile, `NO_PROFILE` for any other program. */
  kind: string;
  tags: string[];
  /** How rouse observes it. */
  origin: (typeof ORIGINS)[number];
  command: string[];
  workspace: string | null;
  task: string | null;
  policy: string | null;
  pid: number | null;
  /** Start time of that pid as the system reports it: identifies a recycled pid. */
  pidStart: string | null;
  startedAt: number;
  /** Socket of the host process that holds its terminal, for attach, type and stop. */
  hostSocket: string | null;
  /** tmux: socket path and pane id. */
  pane: { socket: string; id: string } | null;
  /** Set when it ended. */
  endedAt: number | null;
}

type SessionStart = Pick<AgentSession, "id" | "name" | "kind" | "origin" | "startedAt">;

/** A session that has begun, with what is known of it. */
export const createSession = (known: SessionStart & Partial<AgentSession>): AgentSession => ({
  tags: [],
  command: [],
  workspace: null,
  task: null,
  policy: null,
  pid: null,
  pidStart: null,
  hostSocket: null,
  pane: null,
  endedAt: null,
  ...known,
});
