/**
 * Queries of users. The daemon starts with the first agent, and does not know a new agent at once: a query right after the
 * start of an agent waits for both.
 */
import { ApiError } from "../api/error.js";
import { rousePaths } from "../config/paths.js";
import { DaemonRefusal, DaemonUnreachable } from "../daemon/client.js";
import { type FoundSession, youngSessions } from "../terminal/registry.js";
import { call, type OperationAnswer, type OperationInput, type OperationName } from "./client.js";

const WAIT_MS = 5000;
const STEP_MS = 100;

/** `lacks` decides whether an agent that has just started is missing in the answer (null: there is none). */
export async function requestOperation<Name extends OperationName>(
  operation: Name,
  input: OperationInput<Name>,
  lacks: (young: FoundSession, answer: unknown) => boolean = () => false,
): Promise<OperationAnswer<Name>> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const outcome = await once(operation, input);
    const isAnswer = !(outcome instanceof Error);
    const isEarly =
      isStarting(outcome) ||
      young().some((one) => outcome instanceof DaemonUnreachable || lacks(one, isAnswer ? outcome : null));
    if (!isEarly || Date.now() > deadline) {
      if (isAnswer) return outcome;
      throw outcome;
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

function once<Name extends OperationName>(
  operation: Name,
  input: OperationInput<Name>,
): Promise<OperationAnswer<Name> | Error> {
  return call(operation, input).catch((error: unknown) => {
    if (error instanceof DaemonUnreachable || isStarting(error) || isUnknown(error)) return error as Error;
    throw error;
  });
}

/** The agent or incident does not exist. */
export const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.kind === "unknown";

/** The daemon reads its journal; that usually takes less time than the wait. */
const isStarting = (outcome: unknown): boolean => outcome instanceof DaemonRefusal && outcome.status === 503;

function young(): FoundSession[] {
  if (process.env.ROUSE_DAEMON === "off") return [];
  return youngSessions(rousePaths());
}

/** For queries about one agent. */
export const isCalled =
  (name: string) =>
  (young: FoundSession, answer: unknown): boolean =>
    answer === null && (young.name === name || young.id === name);

/** For lists of agents. */
export const isUnlisted = (young: FoundSession, answer: unknown): boolean => {
  const { agents = [] } = (answer ?? {}) as { agents?: { session: string }[] };
  return !agents.some(({ session }) => session === young.id);
};
