/**
 * Carries out an action once and returns its outcome. Everything that the decision was based on is checked again here; an
 * action on something that cannot be seen is refused. Never throws.
 */

import type { Action, ActionName, ActionOutcome } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { openPrompt } from "../core/judgement/evidence/prompts.js";
import type { Evidence } from "../core/judgement/evidence/state.js";
import { turnStatus } from "../core/judgement/evidence/turn.js";
import { generic } from "../programs/generic/screens.js";
import { profileFor } from "../programs/registry.js";
import type { AgentProfile, ProfileOverride } from "../programs/shared/profile.js";
import type { TypedBy } from "../terminal/frames.js";
import { typedText } from "../terminal/typed-text.js";
import type { EffectContext } from "./context.js";
import { giveText, giveUnseen } from "./keys/give-text.js";
import { interruptTurn } from "./keys/interrupt.js";
import { Keyboard } from "./keys/keyboard.js";
import { typeNudge } from "./keys/nudge.js";
import { openTerminal, quietFor, typingOf } from "./keys/open-terminal.js";
import { type EffectResult, refusedResult, type TerminalSession, unknownResult } from "./keys/terminal-session.js";
import { textFor } from "./keys/texts.js";
import { endChild } from "./process/end-child.js";
import { runCommand } from "./process/run-command.js";
import { stopAgent } from "./process/stop.js";
import { restartAgent } from "./start/restart.js";
import { resumeAgent } from "./start/resume.js";

export { Environments } from "./start/environments.js";
export type { EffectContext };

type Effect = (action: Action, agent: AgentSession, context: EffectContext) => Promise<EffectResult>;

const EFFECTS: Partial<Record<ActionName, Effect>> = {
  nudge: (action, agent, context) =>
    action.say === undefined
      ? Promise.resolve(refusedResult("the action has no text"))
      : atTerminal(action, agent, context, (terminalSession) =>
          typeNudge(terminalSession, context.nudgeText?.(action) ?? textFor(action.say ?? "continue", action.task)),
        ),
  interrupt: (action, agent, context) =>
    atTerminal(action, agent, context, (terminalSession, profile) =>
      interruptTurn(terminalSession, profile.keys.interrupt.length),
    ),
  end_child: (_action, agent, context) => endChild(agent, context),
  stop: stopAgent,
  resume: resumeAgent,
  restart: restartAgent,
  run: (action, agent) => runCommand(action, agent),
};

/** The actions that are technically possible with this agent; permission is decided elsewhere. */
export function canDo(agent: AgentSession, profileOf: EffectContext["profileOf"]): ActionName[] {
  const { hostSocket, pane, pid, pidStart } = agent;
  const profile = profileOf(agent.kind);
  return abilities(agent, profile, hostSocket !== null || pane !== null, pid !== null && pidStart !== null);
}

/** The same by program and origin alone. The process of an unknown program in a pane cannot be identified. */
export const canDoWith = (
  agent: Pick<AgentSession, "kind" | "origin">,
  own: readonly ProfileOverride[] = [],
): ActionName[] =>
  abilities(
    agent,
    profileFor(agent.kind, own),
    agent.origin !== "transcript" && agent.origin !== "report",
    agent.origin !== "report" && (agent.origin !== "tmux" || agent.kind !== generic.id),
  );

function abilities(
  agent: Pick<AgentSession, "origin">,
  profile: AgentProfile,
  hasTerminal: boolean,
  hasProcess: boolean,
): ActionName[] {
  const names: ActionName[] = [];
  if (knowsKeys(profile) && hasTerminal) names.push("nudge", "interrupt");
  if (hasProcess) {
    names.push("end_child");
    if (agent.origin === "spawn" || agent.origin === "tmux") {
      names.push("stop");
      if (profile.resume.byId !== null) names.push("resume");
    }
    if (agent.origin === "spawn") names.push("restart");
  }
  names.push("run");
  return names;
}

/** The generic profile's keys are a guess. A user profile that extends it without keys of its own is no better. */
const knowsKeys = ({ id, keys }: AgentProfile): boolean => id !== generic.id && keys !== generic.keys;

export async function carryOut(action: Action, agent: AgentSession, context: EffectContext): Promise<ActionOutcome> {
  const effect = EFFECTS[action.do];
  const result = await attempt(action, agent, context, effect);
  return { intent: action.id, at: context.now(), ...result };
}

export interface MessageOptions {
  /** How long the program may take to become ready for input. */
  waitMs?: number;
  /** Leave the text in the composer. */
  isDraft?: boolean;
}

/** Typing itself, with up to three attempts; long texts take longer. */
const TYPING_MS = 60_000;
const TYPING_MS_PER_CHAR = 5;

/** Gives a client's text to an agent, under the same conditions as rouse's own: one line, then one Enter. */
export async function typeMessage(
  text: string,
  agent: AgentSession,
  context: EffectContext,
  { waitMs = 0, isDraft = false }: MessageOptions = {},
): Promise<EffectResult> {
  const line = typedText(text).toString("utf8");
  if (line.trim() === "") return refusedResult("the text is empty");
  const deadlineMs = waitMs + TYPING_MS + TYPING_MS_PER_CHAR * line.length;
  try {
    return await openedTerminal({ deadlineMs }, agent, context, "client", async (terminalSession, profile) => {
      if (!knowsKeys(profile)) return giveUnseen(terminalSession, line, { isDraft });
      const given = await giveText(terminalSession, line, { readyBy: context.now() + waitMs, isDraft });
      return given.result === "done" && given.proven === null && !isCommand(line) ? unconfirmed(given) : given;
    });
  } catch (error) {
    return unknownResult(`failed midway: ${(error as Error).message}`.slice(0, 300));
  }
}

/** A command of the program itself, such as `/clear`, need not start a turn. */
const isCommand = (line: string): boolean => /^\s*\//.test(line);

const unconfirmed = ({ reason }: EffectResult): EffectResult =>
  unknownResult(`${reason}; read its screen (\`rouse logs\`) before you send the text again`);

async function attempt(
  action: Action,
  agent: AgentSession,
  context: EffectContext,
  effect: Effect | undefined,
): Promise<EffectResult> {
  if (!effect) return refusedResult(`${action.do} cannot be carried out on an agent`);
  if (action.session !== agent.id) return refusedResult("the action is for another run of the agent");
  try {
    return await effect(action, agent, context);
  } catch (error) {
    return unknownResult(`failed midway: ${(error as Error).message}`.slice(0, 300));
  }
}

type TerminalWork = (terminalSession: TerminalSession, profile: AgentProfile) => Promise<EffectResult>;

async function atTerminal(
  action: Pick<Action, "deadlineMs">,
  agent: AgentSession,
  context: EffectContext,
  work: TerminalWork,
): Promise<EffectResult> {
  if (!knowsKeys(context.profileOf(agent.kind))) return refusedResult("rouse does not know this program's keys");
  return openedTerminal(action, agent, context, "rouse", work);
}

async function openedTerminal(
  { deadlineMs }: Pick<Action, "deadlineMs">,
  agent: AgentSession,
  context: EffectContext,
  by: TypedBy,
  work: TerminalWork,
): Promise<EffectResult> {
  if (agent.endedAt !== null || context.evidence(agent.id)?.exit) return refusedResult("the session has ended");
  const profile = context.profileOf(agent.kind);
  const terminal = openTerminal(agent, profile, typingOf(agent, context, by));
  if (!terminal) return refusedResult("the agent has no terminal that rouse can reach");
  const keyboard = new Keyboard(terminal, () => context.now());
  try {
    return await work(
      {
        keyboard,
        now: () => context.now(),
        sleep: (ms) => context.sleep(ms),
        turn: () => modelTurn(context.evidence(agent.id)),
        turnStartedAt: () => context.evidence(agent.id)?.turn.startedAt ?? null,
        quietMs: quietFor(agent, context),
        deadline: context.now() + deadlineMs,
      },
      profile,
    );
  } finally {
    keyboard.close();
  }
}

function modelTurn(evidence: Evidence | null): ReturnType<TerminalSession["turn"]> {
  if (!evidence) return null;
  if (openPrompt(evidence.prompts)) return "asking";
  const status = turnStatus(evidence.turn)?.status;
  if (status === undefined) return null;
  return status === "active" ? "running" : status === "blocked" ? "asking" : "idle";
}
