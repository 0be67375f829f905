/**
 * The agent that a process belongs to: the nearest one on the way up its parents. A process that lost its parent keeps the
 * session of the agent's terminal; one that left both keeps the variable that rouse set, unless it removed that too.
 */
import type { AgentSession } from "../../core/agent.js";
import { readEnviron, readProcRow } from "./proc.js";
import { readPsRow } from "./ps.js";

/** Every process that a rouse agent starts inherits it. */
const SESSION_VARIABLE = "ROUSE_SESSION";

/** The facts needed about a process; null if it does not exist or is not readable. */
export interface ProcessPlace {
  ppid: number;
  /** Session of its terminal. */
  sid: number;
  start: string;
}

export interface PlacedProcess extends ProcessPlace {
  pid: number;
}

export interface ReadPlace {
  place: (pid: number) => ProcessPlace | null;
  /** The rouse session in its environment; null if there is none, or if it cannot be read. */
  mark: (pid: number) => string | null;
}

const STEPS_MAX = 64;

const SYSTEM: ReadPlace = {
  place: process.platform === "linux" ? readProcRow : readPsRow,
  mark: (pid) => readEnviron(pid)?.get(SESSION_VARIABLE) ?? null,
};

type Known = Pick<AgentSession, "id" | "pid" | "pidStart">;

/** `outside`: processes whose descendants belong to no agent by this path, such as the daemon. Null if it belongs to none. */
export function enclosingSession<S extends Known>(
  pid: number,
  sessions: readonly S[],
  outside: ReadonlySet<number> = new Set(),
  facts: ReadPlace = SYSTEM,
): S | null {
  const [nearest] = placesAround(pid, sessions, outside, facts);
  return nearest ?? null;
}

/** All of them, the nearest first: an agent may have started another one, whose host keeps the variable of the first. */
export const enclosingSessions = <S extends Known>(
  pid: number,
  sessions: readonly S[],
  outside: ReadonlySet<number> = new Set(),
  facts: ReadPlace = SYSTEM,
): S[] => [...new Set(placesAround(pid, sessions, outside, facts))];

function* placesAround<S extends Known>(
  pid: number,
  sessions: readonly S[],
  outside: ReadonlySet<number>,
  { place, mark }: ReadPlace,
): Generator<S> {
  const line = lineOf(pid, outside, place);
  for (const { pid: at, sid, start } of line) {
    const found = sessions.find(
      (one) =>
        one.pid !== null && one.pidStart !== null && ((one.pid === at && one.pidStart === start) || one.pid === sid),
    );
    if (found) yield found;
  }
  for (const { pid: at } of line) {
    const session = mark(at);
    const found = session === null ? undefined : sessions.find(({ id }) => id === session);
    if (found) yield found;
  }
}

/** The process and its parents, nearest first. */
export function lineOf(
  pid: number,
  outside: ReadonlySet<number> = new Set(),
  place: ReadPlace["place"] = SYSTEM.place,
): PlacedProcess[] {
  const line: PlacedProcess[] = [];
  for (let at = pid; at > 1 && line.length < STEPS_MAX && !outside.has(at); ) {
    const found = place(at);
    if (!found) break;
    line.push({ ...found, pid: at });
    at = found.ppid;
  }
  return line;
}
