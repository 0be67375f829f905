/** The actions that are suggested to the receiver of a message, and the lists that several problems share. */

/** What an action requires: a readable terminal, a writable one, a session that rouse started, a possible recovery. */
export type Requirement = "nothing" | "terminal" | "keyboard" | "own" | "recovery";

export interface SuggestedAction {
  what: string;
  needs: Requirement;
  /** Null when no tool does it. */
  tool: string | null;
  /** Besides the id of the session. */
  arguments?: Readonly<Record<string, string>>;
  /** "NAME" stands for the agent. */
  command: readonly string[];
}

export const READ: SuggestedAction = {
  what: "read its screen",
  needs: "terminal",
  tool: "read_pane",
  command: ["rouse", "logs", "NAME"],
};
export const WHY: SuggestedAction = {
  what: "show why rouse reports this",
  needs: "nothing",
  tool: "why",
  command: ["rouse", "why", "NAME"],
};
export const END: SuggestedAction = {
  what: "stop it",
  needs: "own",
  tool: "close_pane",
  command: ["rouse", "stop", "NAME"],
};
const RECOVER: SuggestedAction = {
  what: "run rouse's recovery now",
  needs: "recovery",
  tool: "recover_agent",
  command: ["rouse", "recover", "NAME"],
};
const sendText = (what: string, text: string): SuggestedAction => ({
  what,
  needs: "keyboard",
  tool: "send_input",
  arguments: { text },
  command: ["rouse", "type", "NAME", text],
});
const NUDGE: SuggestedAction = sendText("nudge it", "continue");
export const ANSWER: SuggestedAction = sendText("answer it", "your answer");
const INSTRUCT: SuggestedAction = sendText("give it a different instruction", "your instruction");
const ASK: SuggestedAction = sendText(
  "ask for a status report",
  "What is your status? Report the last step that you finished.",
);

/** A user fixes an account, frees disk space, or waits for a limit to reset. */
export const INSPECT: readonly SuggestedAction[] = [READ, WHY];
/** A dropped stream or a turn that ended too soon: the only problems that "continue" fixes. */
export const CONTINUE: readonly SuggestedAction[] = [READ, WHY, NUDGE, RECOVER, END];
/** Continuing would only cost more. */
export const REDIRECT: readonly SuggestedAction[] = [READ, WHY, INSTRUCT, END];
export const ASK_FOR_STATUS: readonly SuggestedAction[] = [READ, WHY, ASK, END];
/** No text to the agent helps. */
export const GIVE_UP: readonly SuggestedAction[] = [READ, WHY, END];
export const START_AGAIN: readonly SuggestedAction[] = [READ, WHY, RECOVER];
