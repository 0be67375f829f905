/**
 * What `rouse top` reads from the daemon: the agents, their last 24 hours, and the event stream. By `node:net`, as all
 * commands that must start fast: `node:http` takes 12 ms to load.
 */
import { connect } from "node:net";
import type { State } from "../../core/states.js";
import type { IncidentView } from "../../daemon/views/incident-view.js";
import type { SessionView } from "../../daemon/views/view.js";
import { type HttpAnswer, sendRequest } from "../send.js";

const ANSWER_MS = 20_000;
const ANSWER_MAX = 64 * 1024 * 1024;

/** What the list shows. */
interface TopFacts {
  agents: SessionView[];
  strips: Map<string, (State | null)[]>;
  /** Agents whose problem the user acknowledged or silenced: how. */
  handled: Map<string, string>;
}

export type ReadResult = ({ kind: "read" } & TopFacts) | { kind: "starting" } | { kind: "down" };

export async function readAgents(socketPath: string): Promise<ReadResult> {
  const get = (path: string) =>
    sendRequest({ socketPath, method: "GET", path, headers: {}, limitMs: ANSWER_MS, answerMax: ANSWER_MAX });
  const [agents, strips, incidents] = await Promise.all([
    get("/v1/agents?recent=true"),
    get("/v1/strips?slot_mins=30"),
    get("/v1/incidents"),
  ]);
  if (agents === null) return { kind: "down" };
  if (agents.status !== 200) return { kind: "starting" };
  // Without the rest, an agent is still worth showing.
  const read = <T>(answer: HttpAnswer | null, empty: T): T =>
    answer?.status === 200 ? (JSON.parse(answer.body) as T) : empty;
  const lines = read<{ agents: { agent: string; states: (State | null)[] }[] }>(strips, { agents: [] });
  const open = read<{ incidents: IncidentView[] }>(incidents, { incidents: [] });
  return {
    kind: "read",
    agents: read<{ agents: SessionView[] }>(agents, { agents: [] }).agents,
    strips: new Map(lines.agents.map(({ agent, states }) => [agent, states])),
    handled: handledAgents(open.incidents),
  };
}

function handledAgents(incidents: readonly IncidentView[]): Map<string, string> {
  const handled = new Map<string, string>();
  const open = new Set<string>();
  for (const { agent, acked_at, silenced_until } of incidents) {
    if (acked_at !== null) handled.set(agent, "Acknowledged");
    else if (silenced_until !== null) handled.set(agent, "Silenced");
    else open.add(agent);
  }
  // One problem that is not acknowledged is enough.
  for (const agent of open) handled.delete(agent);
  return handled;
}

/** What the stream reports. */
export interface FeedEvents {
  /** The stream is open: what happened before has to be read. */
  opened(): void;
  /** An agent has another state. */
  agent(view: SessionView): void;
  /** Something else changed, such as an incident: read the agents again. */
  changed(): void;
  /** The stream ended: the daemon has stopped or restarts. */
  closed(): void;
}

const AGAIN_MS = 1000;
/** The daemon writes at least every 15 s. */
const SILENT_MS = 40_000;
const FRAME_MAX = 8 * 1024 * 1024;

/** Follows the event stream until it is stopped; connects again when it ends. Returns the stop function. */
export function followEvents(socketPath: string, events: FeedEvents): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let stopSocket = (): void => {};
  const open = (): void => {
    if (isStopped) return;
    const socket = connect(socketPath);
    let text = "";
    let isOpen = false;
    stopSocket = () => socket.destroy();
    socket.setEncoding("utf8");
    socket.setTimeout(SILENT_MS, () => socket.destroy());
    socket.on("connect", () =>
      socket.write("GET /v1/events?kinds=assessment,incident HTTP/1.0\r\nhost: rouse\r\n\r\n"),
    );
    socket.on("data", (piece: string) => {
      text += piece;
      if (!isOpen) {
        const end = text.indexOf("\r\n\r\n");
        if (end < 0) return;
        if (!text.startsWith("HTTP/1.1 200")) {
          socket.destroy();
          return;
        }
        text = text.slice(end + 4);
        isOpen = true;
        events.opened();
      }
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      if (text.length > FRAME_MAX) socket.destroy();
      for (const frame of frames) takeFrame(frame, events);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      if (isStopped) return;
      events.closed();
      timer = setTimeout(open, AGAIN_MS);
    });
  };
  open();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    stopSocket();
  };
}

function takeFrame(frame: string, events: FeedEvents): void {
  const kind = /^event: (\w+)$/m.exec(frame)?.[1];
  const data = /^data: (.*)$/m.exec(frame)?.[1];
  const view = kind === "assessment" && data !== undefined ? viewIn(data) : null;
  if (view) events.agent(view);
  else if (kind === "assessment" || kind === "incident" || kind === "missed") events.changed();
}

function viewIn(data: string): SessionView | null {
  try {
    return (JSON.parse(data) as { data: SessionView }).data;
  } catch {
    return null;
  }
}
