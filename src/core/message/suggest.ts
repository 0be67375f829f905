/** What a receiver can do about it: the tool and its arguments, and the same as a command, ready to be called. */
import type { AgentSession } from "../agent.js";
import type { MessageType } from "./message.js";

export interface Suggestion {
  what: string;
  tool: string;
  arguments: Readonly<Record<string, string | boolean>>;
  /** The same for a shell, as an argument array. */
  command: readonly string[];
}

interface Step {
  what: string;
  tool: string;
  /** Besides the id of the session. */
  arguments?: Readonly<Record<string, string | boolean>>;
  /** "NAME" stands for the agent. */
  command: readonly string[];
}

const READ: Step = { what: "see what it shows", tool: "read_pane", command: ["rouse", "logs", "NAME"] };
const WHY: Step = { what: "ask rouse why", tool: "why", command: ["rouse", "why", "NAME"] };
const END: Step = { what: "end it", tool: "kill_session", command: ["rouse", "stop", "NAME"] };
const NUDGE: Step = {
  what: "nudge it",
  tool: "send_input",
  arguments: { text: "continue", submit: true },
  command: ["rouse", "type", "NAME", "continue"],
};
const answer = (text: string, what: string): Step => ({
  what,
  tool: "send_input",
  arguments: { text, submit: true },
  command: ["rouse", "type", "NAME", text],
});

const STEPS: Readonly<Record<MessageType, readonly Step[]>> = {
  "worker.stuck": [READ, WHY, NUDGE, END],
  "worker.error": [READ, WHY, NUDGE, END],
  "worker.complete": [READ, END],
  "worker.needs_input": [
    READ,
    answer("y", "confirm, where that is an answer; a menu takes the number of its option"),
    answer("n", "decline"),
  ],
  "worker.recovered": [],
  "worker.escalated": [READ, WHY, END],
  "watchdog.blind": [WHY],
};

/** What rouse only watches has no terminal that can be read or typed into by name. */
const NEEDS_HOST: ReadonlySet<string> = new Set(["read_pane", "send_input", "kill_session"]);

export function suggestionsFor(
  type: MessageType,
  {
    session,
    name,
    hostSocket,
    pane,
    endedAt,
  }: Pick<AgentSession, "session" | "name" | "hostSocket" | "pane" | "endedAt">,
): Suggestion[] {
  const isReachable = hostSocket !== null && endedAt === null;
  return STEPS[type].flatMap(({ what, tool, arguments: rest, command }) =>
    !NEEDS_HOST.has(tool) || isReachable || (tool === "read_pane" && pane !== null)
      ? [
          {
            what,
            tool,
            arguments: { pane_id: session, ...rest },
            command: command.map((word) => (word === "NAME" ? name : word)),
          },
        ]
      : [],
  );
}
