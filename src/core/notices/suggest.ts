/**
 * Suggested actions for the receiver: the tool with its arguments, and the same as a command. They depend on the problem;
 * actions that are not possible with this agent at the moment are left out.
 */

import type { ActionName } from "../action.js";
import type { AgentSession } from "../agent.js";
import type { Problem } from "../incidents/problem.js";
import { traitsOf } from "../policy/problems.js";
import { END, GIVE_UP, READ, type SuggestedAction } from "../policy/suggested-actions.js";
import type { MessageType, Suggestion } from "./message.js";

/** Messages whose suggestions do not depend on the problem. */
const BY_TYPE: Readonly<Partial<Record<MessageType, readonly SuggestedAction[]>>> = {
  "worker.complete": [READ, END],
  "worker.recovered": [],
  "worker.escalated": GIVE_UP,
};

/** A user decides a dialog: no suggestion contains its answer. */
const DIALOG: readonly SuggestedAction[] = [
  {
    what: "answer it in its terminal (a user decides)",
    needs: "keyboard",
    tool: null,
    command: ["rouse", "go", "NAME"],
  },
  READ,
];

/** The current situation of the agent. */
export interface SuggestionContext {
  session: Pick<AgentSession, "id" | "name" | "origin" | "hostSocket" | "pane" | "endedAt">;
  problem: Problem | null;
  /** The possible actions. */
  can: readonly ActionName[];
  hasDialog: boolean;
  /** No turn and no dialog prevents typing. */
  isFree: boolean;
}

export function suggestionsFor(type: MessageType, standing: SuggestionContext): Suggestion[] {
  const { hasDialog, problem } = standing;
  const byType = BY_TYPE[type] ?? (problem === null ? [] : traitsOf(problem).suggestedActions);
  const steps = hasDialog && type === "worker.needs_input" ? DIALOG : byType;
  return steps.flatMap((one) => suggestion(one, standing) ?? []);
}

function suggestion(one: SuggestedAction, standing: SuggestionContext): Suggestion | null {
  const { session } = standing;
  if (!isPossible(one, standing)) return null;
  const tool = isByTool(one, standing) ? one.tool : null;
  return {
    what: one.what,
    tool,
    arguments: tool === null ? {} : { pane_id: session.id, ...one.arguments },
    command: commandOf(one, session),
  };
}

function isPossible(one: SuggestedAction, { session, can, isFree, problem }: SuggestionContext): boolean {
  const { hostSocket, pane, endedAt, origin } = session;
  const isAlive = endedAt === null;
  switch (one.needs) {
    case "nothing":
      return true;
    case "terminal":
      // The last output of a spawned agent is stored.
      return isAlive ? hostSocket !== null || pane !== null : origin === "spawn";
    case "keyboard":
      // A user may type into any program; a suggestion with a tool must be possible for the tool.
      return isAlive && hostSocket !== null && (problem === "needs_input" || (isFree && can.includes("nudge")));
    case "own":
      return isAlive && hostSocket !== null && origin === "spawn";
    case "recovery":
      // A running agent is not resumed, and an ended one gets no keys.
      return isAlive ? can.includes("nudge") || can.includes("interrupt") : can.includes("resume");
  }
}

/**
 * rouse types only into known programs, and never in a turn or a dialog; a user may. Tools control only agents that rouse
 * started; others must be allowed by name first.
 */
function isByTool({ needs }: SuggestedAction, { session, can, isFree }: SuggestionContext): boolean {
  if (needs === "keyboard") return isFree && can.includes("nudge");
  return needs !== "recovery" || session.origin === "run" || session.origin === "spawn";
}

function commandOf(
  { needs, command }: SuggestedAction,
  { name, hostSocket, pane }: SuggestionContext["session"],
): readonly string[] {
  if (needs === "terminal" && hostSocket === null && pane !== null)
    return ["tmux", "-S", pane.socket, "capture-pane", "-p", "-t", pane.id];
  return command.map((word) => (word === "NAME" ? name : word));
}
