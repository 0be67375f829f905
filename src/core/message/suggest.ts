/**
 * What a receiver can do about it: the tool and its arguments, and the same as a command, ready to be called. What fits is
 * said per cause, and what cannot be done with this agent at this moment is left out.
 */
import type { ActionName } from "../action.js";
import type { AgentSession } from "../agent.js";
import type { Trouble } from "../trouble.js";
import type { MessageType } from "./message.js";

export interface Suggestion {
  what: string;
  /** Null where no tool does it: it is for a person, or for whoever they let type. */
  tool: string | null;
  arguments: Readonly<Record<string, string>>;
  /** The same for a shell, as an argument array. */
  command: readonly string[];
}

/** What a step asks for: a terminal that can be read, one that can be written to, a session of rouse's own. */
type Need = "nothing" | "terminal" | "keyboard" | "own" | "recovery";

interface Step {
  what: string;
  needs: Need;
  tool: string | null;
  /** Besides the id of the session. */
  arguments?: Readonly<Record<string, string>>;
  /** "NAME" stands for the agent. */
  command: readonly string[];
}

const READ: Step = {
  what: "see what it shows",
  needs: "terminal",
  tool: "read_pane",
  command: ["rouse", "logs", "NAME"],
};
const WHY: Step = { what: "ask rouse why", needs: "nothing", tool: "why", command: ["rouse", "why", "NAME"] };
const END: Step = { what: "end it", needs: "own", tool: "close_pane", command: ["rouse", "stop", "NAME"] };
const RECOVER: Step = {
  what: "let rouse get it going again, as a person's order",
  needs: "recovery",
  tool: null,
  command: ["rouse", "recover", "NAME"],
};
const say = (what: string, text: string): Step => ({
  what,
  needs: "keyboard",
  tool: "send_input",
  arguments: { text },
  command: ["rouse", "type", "NAME", text],
});
const NUDGE: Step = say("nudge it", "continue");
const ANSWER: Step = say("answer it", "your answer");
const INSTRUCT: Step = say("say what it shall do instead", "your instruction");
const ASK: Step = say("ask where it stands", "Where do you stand? Report the last step that is finished.");
const press = (what: string, text: string): Step => ({
  what,
  needs: "keyboard",
  tool: null,
  command: ["rouse", "type", "NAME", text],
});

const LOOK: readonly Step[] = [READ, WHY];
/** A stream that broke off, or a turn that ended too soon: the one thing that "continue" mends. */
const BROKEN_OFF: readonly Step[] = [READ, WHY, NUDGE, RECOVER, END];
/** To go on would only make it dearer. */
const CIRCLE: readonly Step[] = [READ, WHY, INSTRUCT, END];
const UNHEARD: readonly Step[] = [READ, WHY, ASK, END];
/** No word to it helps. */
const HOPELESS: readonly Step[] = [READ, WHY, END];
const DEAD: readonly Step[] = [READ, WHY, RECOVER];

const BY_TROUBLE: Readonly<Record<Trouble, readonly Step[]>> = {
  silent_stream: BROKEN_OFF,
  frozen_screen: BROKEN_OFF,
  compaction: BROKEN_OFF,
  stopped_early: BROKEN_OFF,
  lost_result: BROKEN_OFF,
  api: BROKEN_OFF,
  unreachable: BROKEN_OFF,
  loop: CIRCLE,
  repeated_error: CIRCLE,
  no_progress: CIRCLE,
  no_checkpoint: UNHEARD,
  stale_claim: UNHEARD,
  tool_hang: HOPELESS,
  waiting_on_stdin: HOPELESS,
  retry_storm: HOPELESS,
  no_completion_signal: HOPELESS,
  never_started: HOPELESS,
  never_exited: HOPELESS,
  context_full: HOPELESS,
  poisoned_context: HOPELESS,
  policy_refusal: HOPELESS,
  error: HOPELESS,
  // A person mends an account, room on the disk is made elsewhere, and a limit ends by itself.
  auth: LOOK,
  billing: LOOK,
  disk_full: LOOK,
  rate_limited: LOOK,
  crash: DEAD,
  exit_code: DEAD,
  gone: DEAD,
  needs_input: [READ, ANSWER],
  unknown: [WHY],
  over_budget: HOPELESS,
};

/** What is not told because of a trouble, or tells that its ladder is at its end. */
const BY_TYPE: Readonly<Partial<Record<MessageType, readonly Step[]>>> = {
  "worker.complete": [READ, END],
  "worker.recovered": [],
  "worker.escalated": HOPELESS,
};

/** Of a dialog with options; what the keys mean stands on the screen. */
const DIALOG: readonly Step[] = [
  READ,
  press("confirm, where y is an answer; a menu takes the number of its option", "y"),
  press("decline, where n is an answer", "n"),
];

/** What is known of the agent at this moment. */
export interface Standing {
  session: Pick<AgentSession, "session" | "name" | "origin" | "hostSocket" | "pane" | "endedAt">;
  trouble: Trouble | null;
  /** What rouse could do with it at all. */
  can: readonly ActionName[];
  hasDialog: boolean;
  /** Neither a turn nor a dialog stands against typing. */
  isFree: boolean;
}

export function suggestionsFor(type: MessageType, standing: Standing): Suggestion[] {
  const { hasDialog, trouble } = standing;
  const byType = BY_TYPE[type] ?? (trouble === null ? [] : BY_TROUBLE[trouble]);
  const steps = hasDialog && type === "worker.needs_input" ? DIALOG : byType;
  return steps.flatMap((step) => suggestion(step, standing) ?? []);
}

function suggestion(step: Step, standing: Standing): Suggestion | null {
  const { session } = standing;
  if (!isPossible(step, standing)) return null;
  const tool = isByTool(step, standing) ? step.tool : null;
  return {
    what: step.what,
    tool,
    arguments: tool === null ? {} : { pane_id: session.session, ...step.arguments },
    command: commandOf(step, session),
  };
}

function isPossible(step: Step, { session, can, isFree, trouble }: Standing): boolean {
  const { hostSocket, pane, endedAt, origin } = session;
  const isAlive = endedAt === null;
  switch (step.needs) {
    case "nothing":
      return true;
    case "terminal":
      // The end of what a spawned agent wrote is kept.
      return isAlive ? hostSocket !== null || pane !== null : origin === "spawn";
    case "keyboard":
      // A person may type into any program; what is for a tool as well has to be possible for it.
      return isAlive && hostSocket !== null && (trouble === "needs_input" || (isFree && can.includes("nudge")));
    case "own":
      return isAlive && hostSocket !== null && origin === "spawn";
    case "recovery":
      return (["interrupt", "resume", "restart"] as const).some((name) => can.includes(name));
  }
}

/** rouse presses no key of a program that it does not know, and none in a turn or a dialog; a person may. */
const isByTool = ({ needs }: Step, { can, isFree }: Standing): boolean =>
  needs !== "keyboard" || (isFree && can.includes("nudge"));

function commandOf({ needs, command }: Step, { name, hostSocket, pane }: Standing["session"]): readonly string[] {
  if (needs === "terminal" && hostSocket === null && pane !== null)
    return ["tmux", "-S", pane.socket, "capture-pane", "-p", "-t", pane.id];
  return command.map((word) => (word === "NAME" ? name : word));
}
