/** What was wrong with a request, in words that say what to do. Every face says it in its own way. */
export class ApiProblem extends Error {
  readonly kind: ProblemKind;

  constructor(kind: ProblemKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export type ProblemKind =
  | "bad" // the request makes no sense
  | "right" // the client may not
  | "unknown" // there is no such agent, incident or watchdog
  | "refused" // it could be done at another time: an agent is busy, a dialog is open
  | "full"; // too many of them

export const STATUS: Readonly<Record<ProblemKind, 400 | 403 | 404 | 409 | 429>> = {
  bad: 400,
  right: 403,
  unknown: 404,
  refused: 409,
  full: 429,
};
