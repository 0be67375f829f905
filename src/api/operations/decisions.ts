/** What a user decides about a task; the other transitions belong to claims. Apart, so that the CLI loads no schema. */
export const DECISIONS = [
  "approve",
  "queue",
  "reject",
  "block",
  "unblock",
  "done",
  "fail",
  "reopen",
  "release",
] as const;
