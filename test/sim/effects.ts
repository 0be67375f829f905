/**
 * Effects on simulated agents. Like the real ones, they check again before an action, act at most once and report
 * the outcome; and like the real ones, they fail, hang, or lose the answer.
 */

import { ACTIONS, type Action, type ActionName, type ActionOutcome } from "../../src/core/action.js";
import type { AgentSession } from "../../src/core/agent.js";
import { MINUTE, SECOND } from "../../src/core/text/time.js";
import type { Effects } from "../../src/daemon/action-runner.js";
import type { SimAgent, SimOutcome } from "./agents.js";
import type { CallFaults } from "./faults.js";
import type { Random } from "./random.js";

export interface Reach {
  readonly faults: CallFaults;
  readonly random: Random;
  agentOf(session: AgentSession): SimAgent | null;
  /** Daemon time. */
  now(): number;
  trueNow(): number;
  /** True time passes first. An action of the daemon itself is not done if the daemon dies before. */
  later(ms: number, act: () => void): void;
  die(): void;
  /** Called when an action is requested, and when the agent is really acted on. */
  asked(action: Action): void;
  acted(action: Action, agent: SimAgent): void;
  answered(action: Action, outcome: ActionOutcome | null): void;
}

const CAN: Readonly<Record<AgentSession["origin"], readonly ActionName[]>> = {
  spawn: ["nudge", "interrupt", "end_child", "stop", "resume", "restart"],
  run: ["nudge", "interrupt", "end_child"],
  tmux: ["nudge", "interrupt", "end_child", "stop", "resume"],
  transcript: [],
  report: [],
};

/** A user with input this recent is still typing. */
const TYPING_MS = 5 * SECOND;

export class SimEffects implements Effects {
  readonly #reach: Reach;
  /** A planted bug: no check before the action. */
  readonly #isCareless: boolean;

  constructor(reach: Reach, isCareless = false) {
    this.#reach = reach;
    this.#isCareless = isCareless;
  }

  can(session: AgentSession): readonly ActionName[] {
    return CAN[session.origin];
  }

  carryOut(action: Action, session: AgentSession): Promise<ActionOutcome> {
    const reach = this.#reach;
    reach.asked(action);
    const fault = reach.faults.at("effect");
    return new Promise((resolve, reject) => {
      if (fault === "crash_before") {
        reach.die();
        return;
      }
      const says = (result: SimOutcome): void => {
        const outcome: ActionOutcome = { intent: action.id, at: reach.now(), ...result };
        reach.answered(action, outcome);
        resolve(outcome);
      };
      if (fault === "fail_before") {
        reach.later(SECOND, () => says({ result: "failed", reason: "the terminal did not answer", proven: null }));
        return;
      }
      if (fault === "hang_before") return;
      const ms = fault === "done_late" ? action.deadlineMs + MINUTE : reach.random.between(0, 15) * SECOND;
      reach.later(ms, () => {
        const result = this.#act(action, session);
        if (fault === "crash_after") reach.die();
        else if (fault === "fail_after") {
          reach.answered(action, null);
          reject(new Error("the connection broke"));
        } else if (fault !== "hang_after") reach.later(reach.random.between(0, 10) * SECOND, () => says(result));
      });
    });
  }

  #act(action: Action, session: AgentSession): SimOutcome {
    const agent = this.#reach.agentOf(session);
    if (!agent) return { result: "refused", reason: "there is no such agent", proven: null };
    const objection = this.#isCareless ? null : this.#objection(action, agent);
    if (objection !== null) return { result: "refused", reason: objection, proven: null };
    const effect = EFFECTS[action.do];
    if (!effect) return { result: "refused", reason: "not possible here", proven: null };
    this.#reach.acted(action, agent);
    return effect(agent);
  }

  /** The state right before the action. */
  #objection(action: Action, agent: SimAgent): string | null {
    const isStart = action.do === "resume";
    if (!isStart && agent.session.id !== action.session) return "it is another session by now";
    if (agent.humanAt !== null && this.#reach.trueNow() - agent.humanAt < TYPING_MS) return "a human is typing";
    if (agent.mode === "dialog" && !isStart) return "a dialog is open";
    if (action.do === "nudge" && agent.mode !== "idle") return "a turn is running";
    if (action.do === "interrupt" && agent.mode !== "turn") return "no turn is running";
    if (isStart && agent.mode !== "gone") return "the old session is still running";
    if (ACTIONS[action.do].destructive && agent.fault === null) return "it works again";
    return null;
  }
}

const EFFECTS: Readonly<Partial<Record<ActionName, (agent: SimAgent) => SimOutcome>>> = {
  nudge: (agent) => agent.nudge(),
  interrupt: (agent) => agent.interrupt(),
  stop: (agent) => agent.stop(),
  resume: (agent) => agent.resume(),
  end_child: (agent) => agent.endChild(),
  restart: (agent) => {
    agent.stop();
    return agent.resume();
  },
};
