/**
 * Commands of other nodes. They run as operations of this daemon, with its permissions, preconditions and audit trail, and only
 * if this machine's own configuration accepts commands from the node that sent them.
 */
import type { CommandAnswer } from "../daemon/fleet.js";
import type { Client } from "../daemon/http/tokens.js";
import type { CommandVerb, FleetCommand } from "../hub/fleet.js";
import { ApiError } from "./error.js";
import { type OperationName, performOperation } from "./operations/index.js";
import type { Services } from "./service/services.js";

type Inputs = Record<
  CommandVerb,
  { operation: OperationName; input: (command: FleetCommand) => Record<string, unknown> }
>;

const INPUTS: Inputs = {
  stop: { operation: "stop", input: ({ id, agent }) => ({ agent, request_id: id }) },
  recover: {
    operation: "recover",
    input: ({ agent, args }) => ({ agent, dry_run: args.dry_run === true, restart: args.restart === true }),
  },
};

export interface FleetPermission {
  /** This node. */
  node: string;
  acceptedFrom: readonly string[];
}

export async function carryOutCommand(
  services: Services,
  command: FleetCommand,
  { node, acceptedFrom }: FleetPermission,
): Promise<CommandAnswer> {
  const { sender, author, verb } = command;
  const refused = (reason: string): CommandAnswer => ({ result: "refused", reason, answer: null });
  if (!acceptedFrom.includes(sender))
    return refused(
      `${node} accepts no commands from ${sender}: its configuration has to name it in [fleet] accept_commands_from`,
    );
  const known = Object.hasOwn(INPUTS, verb) ? INPUTS[verb] : null;
  if (known === null) return refused(`${node} does not know the command ${JSON.stringify(verb)}`);
  const client: Client = { name: `${author}@${sender}`, rights: new Set(["read", "control"]), origin: "fleet" };
  try {
    const answer = await performOperation(services, known.operation, known.input(command), client);
    return { ...resultOf(verb, answer), answer };
  } catch (error) {
    const { message } = error as Error;
    return error instanceof ApiError ? refused(message) : { result: "failed", reason: message, answer: null };
  }
}

/** A recovery is as good as its last step. */
function resultOf(verb: CommandVerb, answer: unknown): Pick<CommandAnswer, "result" | "reason"> {
  const { result, reason, steps } = answer as { result?: CommandAnswer["result"]; reason: string; steps?: unknown };
  if (verb === "stop") return { result: result ?? "unknown", reason };
  const last = (Array.isArray(steps) ? steps : []).at(-1) as Pick<CommandAnswer, "result" | "reason"> | undefined;
  return { result: last?.result ?? "done", reason: last?.reason ?? reason };
}
