/** Where an agent runs, and how a user gets there. */
import { localZone } from "../../config/local-zone.js";
import { rousePaths } from "../../config/paths.js";
import { sanitize } from "../../core/text/sanitize.js";
import { endedText } from "../../core/text/when.js";
import { BadInput } from "../../replay/bad-input.js";
import { readProcesses } from "../../sensors/process/process-sensor.js";
import { listSessions } from "../../terminal/registry.js";
import { isUnknown, requestOperation } from "../ask.js";
import { call, type OperationAnswer } from "../client.js";
import { type PanePlace, panesOf, paneWithTerminal } from "./panes.js";

export type RunningAgent = OperationAnswer<"sessions">["agents"][number];

/** How to reach an agent. */
export type Place =
  | { kind: "pane"; pane: PanePlace }
  /** rouse holds its terminal. */
  | { kind: "attach" }
  /** Another terminal, which rouse cannot bring to the front. */
  | { kind: "terminal"; tty: string | null; pid: number | null };

/** By session id, name or pane id. */
export async function runningAgent(name: string): Promise<RunningAgent> {
  const { agents } = await requestOperation("sessions", {}, (young, answer) => {
    const { agents: found = [] } = (answer ?? {}) as { agents?: RunningAgent[] };
    return (young.name === name || young.id === name) && !found.some(({ id }) => id === young.id);
  });
  const found = agents.filter((one) => one.id === name || one.name === name || one.pane?.id === name);
  const [first] = found;
  if (first && found.length === 1) return first;
  if (first)
    throw new BadInput(
      `${found.length} agents match ${JSON.stringify(sanitize(name, 80))}: ${found.map(choiceText).join(", ")}; use a session id`,
    );
  throw new BadInput(await absentText(name));
}

const choiceText = ({ name, id, pane }: RunningAgent): string =>
  `${sanitize(name, 80)} (session ${id}${pane ? `, pane ${pane.id} of ${sanitize(pane.socket, 200)}` : ""})`;

/** The daemon knows agents that have ended, and similar names. */
async function absentText(name: string): Promise<string> {
  try {
    const { name: known, ended_at } = await call("status", { agent: name });
    return ended_at === null
      ? `${known} runs, but rouse does not know its terminal`
      : `${endedText(known, Date.parse(ended_at), Date.now(), localZone())}, \`rouse logs ${known}\` or \`rouse history ${known}\``;
  } catch (error) {
    if (isUnknown(error)) return (error as Error).message;
    throw error;
  }
}

export async function placeOf(agent: RunningAgent): Promise<Place> {
  if (agent.pane !== null) {
    const isThere = (await panesOf(agent.pane.socket)).some(({ id }) => id === agent.pane?.id);
    if (isThere) return { kind: "pane", pane: agent.pane };
    throw new BadInput(
      `the tmux pane of ${sanitize(agent.name, 80)} is gone; see \`rouse why ${sanitize(agent.name, 80)}\``,
    );
  }
  if (agent.origin === "spawn") return { kind: "attach" };
  const record = listSessions(rousePaths()).find(({ id }) => id === agent.id);
  // `rouse run` shows the agent in the terminal that it was started in.
  const pid = record?.hostPid ?? agent.pid;
  const tty = pid === null ? null : ((await readProcesses())?.rows.get(pid)?.tty ?? null);
  const pane = tty === null ? null : await paneWithTerminal(tty);
  return pane ? { kind: "pane", pane } : { kind: "terminal", tty, pid };
}
