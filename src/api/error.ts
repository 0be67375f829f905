/** Why a request was refused, and what to do. Each interface formats it in its own way. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind;

  constructor(kind: ApiErrorKind, message: string) {
    super(message);
    this.name = "ApiProblem";
    this.kind = kind;
  }

  /** The HTTP status of the answer. */
  get status(): ProblemStatus {
    return STATUS[this.kind];
  }
}

export type ApiErrorKind =
  | "bad" // the request is invalid: fix it
  | "right" // the client lacks the right
  | "identity" // not for this client: it is about another agent, or another inbox
  | "unknown" // no such agent, incident, channel or timer
  | "refused" // not now: the agent is busy, a dialog is open
  | "full" // too many of them
  | "unavailable"; // the hub cannot be reached now: the same request can succeed later

const STATUS = {
  bad: 400,
  right: 403,
  identity: 403,
  unknown: 404,
  refused: 409,
  full: 429,
  unavailable: 503,
} as const satisfies Record<ApiErrorKind, number>;

export type ProblemStatus = (typeof STATUS)[ApiErrorKind];
