/** Calls an operation of the daemon over its socket, with all rights of the user. */
import type { OperationAnswer, OperationInput, OperationName } from "../api/operations/index.js";
import { callOperation } from "../api/remote.js";
import { rousePaths } from "../config/paths.js";
import { callerHeaders } from "./commands/hook.js";

export type { OperationAnswer, OperationInput, OperationName };

/** Throws `ApiError` if the request is refused, `DaemonUnreachable` if no daemon answers. */
export const call = <Name extends OperationName>(
  operation: Name,
  input: OperationInput<Name>,
  timeoutMs?: number,
): Promise<OperationAnswer<Name>> =>
  callOperation(rousePaths().daemonSocket, operation, input, {
    headers: { ...callerHeaders(), "x-rouse-origin": "cli" },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
