/** The service from another process of this user: over the daemon's socket, whose file mode is the guard. */
import { askDaemon } from "../daemon/client.js";
import type { OperationName } from "./operations.js";
import { ApiProblem, type ProblemKind } from "./problem.js";

/** What a call over the socket is answered with: blanks while it takes its time, then this. */
export type Called = { answer: unknown } | { problem: { kind: ProblemKind; message: string } };

export interface Asking {
  name: string;
  /** The watched session that it runs in, where it does: then it speaks in that agent's name. */
  session?: string | undefined;
}

/** Throws `ApiProblem` for what the service says no to, and `Unreachable` where no daemon answers. */
export async function askService(
  socket: string,
  operation: OperationName,
  input: Record<string, unknown>,
  client: Asking,
): Promise<unknown> {
  const called = (await askDaemon(socket, "POST", `/v1/call/${operation}`, { input, client })) as Called;
  if ("problem" in called) throw new ApiProblem(called.problem.kind, called.problem.message);
  return called.answer;
}
