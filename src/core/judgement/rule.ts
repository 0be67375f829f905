import type { Settings } from "../defaults.js";
import type { Source } from "../signal.js";
import type { Cause, State } from "../states.js";
import type { EvidenceKind } from "./evidence/evidence-kind.js";
import type { Evidence } from "./evidence/state.js";
import type { TurnStatus } from "./evidence/turn.js";

export interface RuleVerdict {
  state: State;
  cause: Cause | null;
  confidence: number;
  until?: number | null;
  reasons: string[];
  /** For `stuck`: enough kinds of evidence agree, for long enough, that a policy may act on it. */
  act?: boolean;
  /** The kinds of evidence that agree. Default: those that agree on the turn. */
  kinds?: EvidenceKind[];
  /** For a reported `stuck`: why no further evidence will permit an action, and what the user can change. */
  onlyReported?: string;
  /** For `rate_limited`: a dialog is open that stays until a user answers it. */
  asksUser?: true;
  /** Of an ended process: the program's own supervisor restarts it. */
  supervisor?: OtherSupervisor;
}

export interface OtherSupervisor {
  name: string;
  /** When it acts, as far as known. */
  actsAt: number;
  /** rouse does nothing before. */
  until: number;
}

/** Shared input of the rules: evidence, time, and facts that are computed once. */

export interface RuleInput {
  evidence: Evidence;
  now: number;
  /** A turn is running (true), none is (false), or it is unknown (null). */
  active: boolean | null;
  reported: { status: TurnStatus; at: number; source: Source } | null;
  /** Awake milliseconds since a moment. */
  since: (at: number) => number;
  /** The verdict may change at this moment. */
  due: (at: number) => void;
  /** The verdict may change after this much awake time; sleep in between defers it. */
  dueAfter: (at: number, ms: number) => void;
  /** Thresholds set by the user. Unset ones have their defaults. */
  settings: Settings;
}

export type JudgementRule = (question: RuleInput) => RuleVerdict | null;
