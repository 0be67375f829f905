export type JournalErrorKind =
  | "held" // another process writes it
  | "network_file_system"
  | "unwritable" // cannot be created or opened
  | "foreign" // a database of another program
  | "newer" // written by a newer rouse
  | "unknown_session"
  | "commit" // the disk is full or fails; nothing of this commit was stored
  | "closed";

/** The message is for users: the problem, and what to do. */
export class JournalError extends Error {
  readonly problem: JournalErrorKind;
  constructor(problem: JournalErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}
