/**
 * What a receiver can do about it: the tool and its arguments, and the same as a command, ready to be called. What fits is
 * said per cause, and what cannot be done with this agent at this moment is left out.
 */

import type { ActionName } from "../action.js";
import type { AgentSession } from "../agent.js";
import type { Problem } from "../incidents/problem.js";
import { traitsOf } from "../policy/problems.js";
import { END, GIVE_UP, READ, type SuggestedAction } from "../policy/suggested-actions.js";
import type { MessageType, Suggestion } from "./message.js";

const press = (what: string, text: string): SuggestedAction => ({
  what,
  needs: "keyboard",
  tool: null,
  command: ["rouse", "type", "NAME", text],
});

/** What is not told because of a problem, or tells that its recovery plan is at its end. */
const BY_TYPE: Readonly<Partial<Record<MessageType, readonly SuggestedAction[]>>> = {
  "worker.complete": [READ, END],
  "worker.recovered": [],
  "worker.escalated": GIVE_UP,
};

/** Of a dialog with options; what the keys mean stands on the screen. */
const DIALOG: readonly SuggestedAction[] = [
  READ,
  press("confirm, where y is an answer; a menu takes the number of its option", "y"),
  press("decline, where n is an answer", "n"),
];

/** What is known of the agent at this moment. */
export interface SuggestionContext {
  session: Pick<AgentSession, "id" | "name" | "origin" | "hostSocket" | "pane" | "endedAt">;
  problem: Problem | null;
  /** What rouse could do with it at all. */
  can: readonly ActionName[];
  hasDialog: boolean;
  /** Neither a turn nor a dialog stands against typing. */
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
      // The end of what a spawned agent wrote is kept.
      return isAlive ? hostSocket !== null || pane !== null : origin === "spawn";
    case "keyboard":
      // A person may type into any program; what is for a tool as well has to be possible for it.
      return isAlive && hostSocket !== null && (problem === "needs_input" || (isFree && can.includes("nudge")));
    case "own":
      return isAlive && hostSocket !== null && origin === "spawn";
    case "recovery":
      return (["interrupt", "resume", "restart"] as const).some((name) => can.includes(name));
  }
}

/** rouse presses no key of a program that it does not know, and none in a turn or a dialog; a person may. */
const isByTool = ({ needs }: SuggestedAction, { can, isFree }: SuggestionContext): boolean =>
  needs !== "keyboard" || (isFree && can.includes("nudge"));

function commandOf(
  { needs, command }: SuggestedAction,
  { name, hostSocket, pane }: SuggestionContext["session"],
): readonly string[] {
  if (needs === "terminal" && hostSocket === null && pane !== null)
    return ["tmux", "-S", pane.socket, "capture-pane", "-p", "-t", pane.id];
  return command.map((word) => (word === "NAME" ? name : word));
}
