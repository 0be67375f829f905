/** A runner asks one model one question, once. */
export interface RunnerRequest {
  system: string;
  user: string;
  schema: Readonly<Record<string, unknown>>;
}

export interface RunnerLimits {
  /** From the first connection of the program, or from its start. */
  timeoutMs: number;
  totalMs: number;
  signal: AbortSignal;
}

export type RunnerResult =
  | { answer: unknown; costUsd: number | null; tookMs: number }
  /** No answer; what it cost is still spent. */
  | { reason: string; costUsd: number | null; tookMs: number };

export interface Runner {
  name: string;
  /** The agent program whose sessions and limits it shares; null for none. */
  program: string | null;
  run(request: RunnerRequest, limits: RunnerLimits): Promise<RunnerResult>;
}
