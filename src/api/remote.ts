/** Calls an operation from another process of this user, over the daemon's socket. Loads no schema: the CLI starts quickly. */
import { askDaemon } from "../daemon/client.js";
import type { OperationAnswer, OperationInput, OperationName } from "./operations/index.js";
import { ApiProblem, type ProblemKind } from "./problem.js";

/** The answer to a call: blanks while it is under way, then this. */
export type Called = { answer: unknown } | { problem: { kind: ProblemKind; message: string } };

export interface CallOptions {
  /** Who calls: `x-rouse-client`, and what is known of the agent that the caller runs in. */
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

/** Throws `ApiProblem` when it is refused, and `Unreachable` if no daemon answers. */
export async function callOperation<Name extends OperationName>(
  socket: string,
  operation: Name,
  input: OperationInput<Name>,
  { headers = {}, timeoutMs }: CallOptions = {},
): Promise<OperationAnswer<Name>> {
  const called = (await askDaemon(socket, "POST", `/v1/call/${operation}`, input, headers, timeoutMs)) as Called;
  if ("problem" in called) throw new ApiProblem(called.problem.kind, called.problem.message);
  return called.answer as OperationAnswer<Name>;
}
