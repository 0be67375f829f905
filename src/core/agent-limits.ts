/** Limits of an agent's stored fields. Checked before the agent starts, since the daemon would refuse to watch it. */
import type { AgentSession } from "./agent.js";
import { isReservedName } from "./reserved.js";

export const AGENT_LIMITS = {
  /** Characters of a name, a kind, a policy, a tag. */
  word: 400,
  tags: 100,
  task: 4000,
  workspace: 4000,
  /** Words of a command, characters of each, and of all together as they are stored. */
  arguments: 10_000,
  argument: 100_000,
  command: 250_000,
} as const;

type LimitedText = Pick<AgentSession, "name" | "tags" | "task" | "workspace" | "command"> & { kind: string | null };

/** Which field is not accepted, and why; null if all are. */
export function checkAgentLimits({ name, kind, tags, task, workspace, command }: Partial<LimitedText>): string | null {
  const { word } = AGENT_LIMITS;
  const isWord = (text: string): boolean => text.length > 0 && text.length <= word;
  if (name !== undefined && isReservedName(name))
    return `the name ${name} is reserved for rouse itself; choose another`;
  if (![name ?? "-", kind ?? "-", ...(tags ?? [])].every(isWord))
    return `a name, a kind and a tag must have 1 to ${word} characters`;
  if ((tags ?? []).length > AGENT_LIMITS.tags) return `an agent has at most ${AGENT_LIMITS.tags} tags`;
  if ((task ?? "").length > AGENT_LIMITS.task) return `a task has at most ${AGENT_LIMITS.task} characters`;
  if ((workspace ?? "").length > AGENT_LIMITS.workspace)
    return `the path of its working directory has at most ${AGENT_LIMITS.workspace} characters`;
  return commandTooMuch(command ?? []);
}

function commandTooMuch(command: readonly string[]): string | null {
  if (command.length > AGENT_LIMITS.arguments) return `a command has at most ${AGENT_LIMITS.arguments} arguments`;
  if (command.some((one) => one.length > AGENT_LIMITS.argument))
    return `an argument of a command has at most ${AGENT_LIMITS.argument} characters`;
  if (JSON.stringify(command).length > AGENT_LIMITS.command)
    return `a command has at most ${AGENT_LIMITS.command} characters`;
  return null;
}
