/**
 * The table of operations. The HTTP API and its document, the tools of MCP, the library, the socket, the CLI and docs/api.md are
 * made from it, so a new row is guarded, checked and documented like all others.
 */
import type * as z from "zod";
import type { Client, Right } from "../../daemon/http/tokens.js";
import { ApiError } from "../error.js";
import { unverified } from "../identity.js";
import { redactOutput } from "../leaving.js";
import type { Services } from "../service/services.js";
import { ACTIVITY } from "./activity.js";
import { AGENTS } from "./agents.js";
import { ALERTS } from "./alerts.js";
import { AUDIT } from "./audit.js";
import { DAEMON } from "./daemon.js";
import { DIAGNOSIS } from "./diagnosis.js";
import { explainInvalidInput } from "./explain.js";
import { FLEET } from "./fleet.js";
import { HISTORY } from "./history.js";
import { INCIDENTS } from "./incidents.js";
import { LOCAL_COMMANDS } from "./local-commands.js";
import { MESSAGES } from "./messages.js";
import type { Operation } from "./operation.js";
import { PERMISSIONS } from "./permissions.js";
import { PROMPTS } from "./prompts.js";
import { REPORTS } from "./reports.js";
import { SILENCES } from "./silences.js";
import { TASKS } from "./tasks.js";
import { WATCHDOGS } from "./watchdogs.js";
import { WEB } from "./web.js";

export const OPERATIONS = {
  ...AGENTS,
  ...ACTIVITY,
  ...HISTORY,
  ...INCIDENTS,
  ...MESSAGES,
  ...PROMPTS,
  ...REPORTS,
  ...ALERTS,
  ...PERMISSIONS,
  ...SILENCES,
  ...TASKS,
  ...FLEET,
  ...DIAGNOSIS,
  ...AUDIT,
  ...WATCHDOGS,
  ...DAEMON,
  ...WEB,
  ...LOCAL_COMMANDS,
} as const;

type Table = typeof OPERATIONS;
export type OperationName = keyof Table;
export type OperationInput<Name extends OperationName> = z.input<Table[Name]["input"]>;
export type OperationAnswer<Name extends OperationName> = Awaited<ReturnType<Table[Name]["run"]>>;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** Runs one operation. Throws `ApiError` when it is refused; the answer is safe to print. */
export async function performOperation(
  services: Services,
  name: OperationName,
  input: unknown,
  client: Client,
): Promise<unknown> {
  const row: Operation = OPERATIONS[name];
  const { right, fromInside, audit } = row;
  const identity = right === "read" ? unverified(client) : await services.access.identify(client);
  const parsed = row.input.safeParse(input);
  // First: an attempt without the right, or with a wrong input, is an attempt too.
  services.access.checkInside({ operation: name, fromInside, input: parsed.data ?? {} }, identity);
  if (!identity.rights.has(right)) throw lacksRight(name, right, identity.name);
  if (!parsed.success) throw new ApiError("bad", explainInvalidInput(parsed.error, row.input, input));
  const { data } = parsed;
  if (audit === "none" || audit === "handler") return redactOutput(await row.run(services, data, identity));
  const answer = await services.audit.around(name, data, identity, audit === "required", () =>
    row.run(services, data, identity),
  );
  return redactOutput(answer);
}

const lacksRight = (operation: OperationName, right: Right, client: string): ApiError =>
  new ApiError("right", `${operation} needs the right ${right}, which ${client} does not have`);
