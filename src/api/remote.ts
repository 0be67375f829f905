/** Calls an operation from another process of this user, over the daemon's socket. Loads no schema: the CLI starts quickly. */
import { askDaemon } from "../daemon/client.js";
import { ApiError, type ApiErrorKind } from "./error.js";
import type { OperationAnswer, OperationInput, OperationName } from "./operations/index.js";

/** The answer to a call: spaces while it is under way, then this. */
export type RemoteResult = { answer: unknown } | { error: { kind: ApiErrorKind; message: string } };

export interface CallOptions {
  /** Identifies the caller: `x-rouse-client`, and the agent that the caller runs in. */
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

/** Throws `ApiError` if it is refused, and `DaemonUnreachable` if no daemon answers. */
export async function callOperation<Name extends OperationName>(
  socket: string,
  operation: Name,
  input: OperationInput<Name>,
  { headers = {}, timeoutMs }: CallOptions = {},
): Promise<OperationAnswer<Name>> {
  const called = (await askDaemon(socket, "POST", `/v1/call/${operation}`, input, headers, timeoutMs)) as RemoteResult;
  if ("error" in called) throw new ApiError(called.error.kind, called.error.message);
  return called.answer as OperationAnswer<Name>;
}
