import type { Cause, ErrorCause, PromptKind } from "../core/states.js";

type FragmentFact =
  | { says: "limit" }
  /** Classified by the table of vendor texts; `cause` where the words alone decide. */
  | { says: "failure"; cause?: ErrorCause }
  | { says: "prompt"; prompt: PromptKind }
  | { says: "stuck"; cause: Extract<Cause, "loop" | "repeated_error" | "never_started" | "compaction"> }
  /** A throttled client that tries again by itself: a limit by another name, where the words are about the rate. */
  | { says: "throttle" }
  | { says: "retry" | "compacting" | "busy" | "ended" | "interrupted" | "notice" | "panel" };

export type FragmentRule = FragmentFact & {
  when: string;
  /** The words are common ones: they count on the lowest rows only, not above a stack. */
  common?: true;
  /** The head of a report, which may go on below over several blocks. */
  heads?: true;
  /** What a command prints when it waits for somebody at the terminal: a tool's output may say it. */
  within?: true;
};
