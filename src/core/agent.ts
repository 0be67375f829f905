/** Who is watched: one identity and one run of it. Plain data, as it travels between host, daemon and store. */

/** The kind of any program that has no profile: two of them need not be the same one. */
export const NO_PROFILE = "generic";

export interface AgentSession {
  /** Unique for this run. */
  id: string;
  /** What people call the agent; unique among those alive on a node. */
  name: string;
  /** Id of the program's profile, `NO_PROFILE` for any other program. */
  kind: string;
  tags: string[];
  /** Where rouse sees it. */
  origin: "run" | "spawn" | "tmux" | "transcript";
  command: string[];
  workspace: string | null;
  task: string | null;
  policy: string | null;
  pid: number | null;
  /** Start time of that pid as the system tells it: a recycled pid is another process. */
  pidStart: string | null;
  startedAt: number;
  /** Socket of the host process that holds its terminal, for attach, type and stop. */
  hostSocket: string | null;
  /** tmux: socket path and pane id. */
  pane: { socket: string; id: string } | null;
  /** Set when it ended. */
  endedAt: number | null;
}
