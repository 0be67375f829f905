/** The command line as a client of the daemon's API: over the socket, by the name of an operation, with all rights of the user. */
import type { OperationAnswer, OperationInput, OperationName } from "../api/operations/index.js";
import { callOperation } from "../api/remote.js";
import { rousePaths } from "../config/paths.js";
import { callerHeaders } from "./commands/hook.js";

export type { OperationAnswer, OperationInput, OperationName };

/** Throws `ApiError` when it is refused, and `DaemonUnreachable` if no daemon answers. */
export const call = <Name extends OperationName>(
  operation: Name,
  input: OperationInput<Name>,
  timeoutMs?: number,
): Promise<OperationAnswer<Name>> =>
  callOperation(rousePaths().daemonSocket, operation, input, {
    headers: callerHeaders(),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
