/** What a receiver can do about it: the tool and its arguments, and the same as a command, ready to be called. */
import type { AgentSession } from "../agent.js";
import type { MessageType } from "./message.js";

export interface Suggestion {
  what: string;
  /** Null where no tool does it: a dialog is answered by a person, or by whoever they let type. */
  tool: string | null;
  arguments: Readonly<Record<string, string>>;
  /** The same for a shell, as an argument array. */
  command: readonly string[];
}

interface Step {
  what: string;
  tool: string | null;
  /** Besides the id of the session. */
  arguments?: Readonly<Record<string, string>>;
  /** "NAME" stands for the agent. */
  command: readonly string[];
}

const READ: Step = { what: "see what it shows", tool: "read_pane", command: ["rouse", "logs", "NAME"] };
const WHY: Step = { what: "ask rouse why", tool: "why", command: ["rouse", "why", "NAME"] };
const END: Step = { what: "end it", tool: "close_pane", command: ["rouse", "stop", "NAME"] };
const say = (what: string, text: string): Step => ({
  what,
  tool: "send_input",
  arguments: { text },
  command: ["rouse", "type", "NAME", text],
});
const NUDGE: Step = say("nudge it", "continue");
const press = (what: string, text: string): Step => ({ what, tool: null, command: ["rouse", "type", "NAME", text] });

const STEPS: Readonly<Record<MessageType, readonly Step[]>> = {
  "worker.stuck": [READ, WHY, NUDGE, END],
  "worker.error": [READ, WHY, NUDGE, END],
  "worker.complete": [READ, END],
  "worker.needs_input": [READ, say("answer it", "your answer")],
  "worker.recovered": [],
  "worker.escalated": [READ, WHY, END],
  "watchdog.blind": [WHY],
};
/** Of a dialog with options; what the keys mean stands on the screen. */
const DIALOG: readonly Step[] = [
  READ,
  press("confirm, where y is an answer; a menu takes the number of its option", "y"),
  press("decline, where n is an answer", "n"),
];

/** What rouse only watches has no terminal that can be read or typed into by name. */
const NEEDS_HOST: ReadonlySet<string | null> = new Set(["read_pane", "send_input", "close_pane", null]);

export function suggestionsFor(
  type: MessageType,
  {
    session,
    name,
    hostSocket,
    pane,
    endedAt,
  }: Pick<AgentSession, "session" | "name" | "hostSocket" | "pane" | "endedAt">,
  hasDialog = false,
): Suggestion[] {
  const isReachable = hostSocket !== null && endedAt === null;
  return (hasDialog ? DIALOG : STEPS[type]).flatMap(({ what, tool, arguments: rest, command }) =>
    !NEEDS_HOST.has(tool) || isReachable || (tool === "read_pane" && pane !== null)
      ? [
          {
            what,
            tool,
            arguments: tool === null ? {} : { pane_id: session, ...rest },
            command: command.map((word) => (word === "NAME" ? name : word)),
          },
        ]
      : [],
  );
}
