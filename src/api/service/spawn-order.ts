/** What a client orders to be started, and what was. */
import type { ControlResult } from "../control-result.js";

export interface SpawnOrder {
  /** Program and arguments; no shell is used. With a preset only further arguments. */
  command?: string[] | undefined;
  preset?: string | undefined;
  /** A configured agent, or the name of `command`, for the task of `task`. */
  as?: string | undefined;
  approach?: "same" | "different" | undefined;
  directive?: string | undefined;
  worktree?: boolean | undefined;
  take_over?: boolean | undefined;
  /** Absolute path. */
  cwd: string;
  name?: string | undefined;
  tags: string[];
  task?: string | undefined;
  kind?: string | undefined;
  policy?: string | undefined;
  /** Added to the daemon's environment. */
  env: Record<string, string>;
  cols: number;
  rows: number;
  /** Given to the agent as soon as it is ready for input. */
  prompt?: string | undefined;
  timeout_secs: number;
  request_id?: string | undefined;
}

export interface SpawnedAgent {
  agent: string;
  session: string;
  pid: number;
  /** Whether the prompt was given; null without a prompt. */
  prompt: ControlResult | null;
}
