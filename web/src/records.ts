/** Records of the daemon, as the API returns them. */
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import type { SessionView } from "../../src/daemon/views/view.js";

export type Agent = SessionView & { node?: string };
export type Incident = IncidentView;

export interface Evidence {
  name: string;
  value: string;
  age_secs: number;
  source: string;
}

export interface Why extends Agent {
  evidence: Evidence[];
  changes: string[];
  timeline: { t: number; state: string; cause: string | null; reasons: string[] }[];
  preview: string[];
  incidents: Incident[];
}

export interface ScreenAt {
  at: string | null;
  source: "output" | "stored" | "none";
  lines: string[];
}

export interface Strips {
  slot_secs: number;
  until: string;
  agents: { agent: string; states: (string | null)[] }[];
}

export interface History {
  since: string;
  until: string;
  states: { from: string; to: string | null; state: string; cause: string | null; reason: string }[];
  incidents: Incident[];
}

export interface Claim {
  fence: number;
  node: string;
  agent: string;
  lease_until: string;
  claimed_at: string;
  ended: string | null;
  ended_at: string | null;
}

export interface Task {
  id: number;
  title: string;
  status: string;
  project: string;
  priority: number;
  steps: string[];
  completed_steps: number[];
  worker: string | null;
  attempts: number;
  continuations: number;
  max_continuations: number;
  last_error: string | null;
  source: string | null;
  claim: Claim | null;
  last_checkpoint: string | null;
  last_step: string | null;
  updated_at: string;
}

export interface TaskDetail extends Task {
  description: string;
  claims: Claim[];
  checkpoints: { id: number; step: number | null; text: string; source: string; inferred: boolean; at: string }[];
  comments: { id: number; author: string; text: string; at: string }[];
}

export interface Summary {
  since: string;
  until: string;
  agents: {
    name: string;
    session: string;
    kind: string;
    state: string;
    cause: string | null;
    move: string;
    states: Record<string, number>;
    unobserved_secs: number;
    problems: {
      state: string;
      cause: string | null;
      from: string;
      to: string | null;
      duration_secs: number;
      reason: string;
    }[];
    commits: number;
    files: number;
    tests: { passed: number; failed: number };
    tokens: { input: number; output: number; cost_usd: number };
  }[];
  incidents: Incident[];
}
