import type { Settings } from "../defaults.js";
import type { Source } from "../signal.js";
import type { Cause, State } from "../states.js";
import type { EvidenceKind } from "./evidence/evidence-kind.js";
import type { Evidence } from "./evidence/state.js";
import type { TurnWord } from "./evidence/turn.js";

export interface RuleVerdict {
  state: State;
  cause: Cause | null;
  confidence: number;
  until?: number | null;
  reasons: string[];
  /** Of `stuck`: enough kinds of evidence agree, for long enough, that a policy may act on it. */
  act?: boolean;
  /** Which kinds of evidence agree on it; where a rule does not say, those that agree on the turn. */
  kinds?: EvidenceKind[];
  /** Of `stuck` that is told: why no evidence that comes by itself makes more of it, and what would. */
  onlyReported?: string;
}
/** What the rules share: the evidence, the moment, and what was settled once for all of them. */

export interface RuleInput {
  evidence: Evidence;
  now: number;
  /** A turn runs (true), none does (false), nobody can tell (null). */
  active: boolean | null;
  word: { word: TurnWord; at: number; source: Source } | null;
  /** Awake milliseconds since a moment. */
  since: (at: number) => number;
  /** The verdict may change at this moment. */
  due: (at: number) => void;
  /** It may change when so much awake time has passed since a moment; sleep in between puts it off. */
  dueAfter: (at: number, ms: number) => void;
  /** Thresholds that a user set; the defaults where nothing is said. */
  settings: Settings;
}

export type JudgementRule = (question: RuleInput) => RuleVerdict | null;
