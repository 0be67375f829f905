/** The effects that a step requests from its caller. Plain data, in the order in which they must be carried out. */

import type { Action } from "./action.js";
import type { AgentSession } from "./agent.js";
import type { IncidentChange } from "./incidents/course.js";
import type { IncidentInput } from "./incidents/fold.js";
import type { Notice, PlannedAlert } from "./notices/alert.js";
import type { DueMessage } from "./notices/contents.js";
import type { SessionJudge } from "./session-judge.js";
import type { Signal } from "./signal.js";

export type Effect =
  /** rouse's own record about its observation, for the journal. */
  | { kind: "append"; session: string; signal: Signal }
  | { kind: "put_session"; session: AgentSession }
  /** The incidents changed: save them, with the messages and alerts of this step, in one transaction. */
  | { kind: "save" }
  | { kind: "message"; message: DueMessage }
  | { kind: "alert"; planned: PlannedAlert; notice: Notice }
  /** To be started once its intent, which is in the incidents, is saved. */
  | { kind: "run"; action: Action; session: AgentSession; reason: string }
  /** For subscribers: a state or cause changed, incidents changed, or an agent was renamed. */
  | { kind: "assessed"; judge: SessionJudge }
  | { kind: "incidents"; event: IncidentInput; changes: readonly IncidentChange[] }
  | { kind: "renamed"; from: string; to: string };
