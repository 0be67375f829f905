/** Client of the event stream over the socket. It reconnects and resumes after the last event. */
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiEvent, EventKind } from "./events.js";

export interface EventsOptions<Kind extends EventKind = EventKind> {
  kinds?: readonly Kind[];
  agent?: string;
  /** Id of the last event seen. Stored later events come first. */
  after?: string;
  /** Called if events were lost: read the current state again. */
  missed?: () => void;
}

const AGAIN_MS = 500;

export async function* eventsOf<Kind extends EventKind>(
  socket: string,
  options: EventsOptions<Kind>,
  signal: AbortSignal,
): AsyncGenerator<ApiEvent<Kind>> {
  let last = options.after ?? null;
  while (!signal.aborted) {
    try {
      for await (const { event, data } of framesOf(socket, pathOf(options), last, signal)) {
        if (event === "missed") options.missed?.();
        if (event === "missed" || event === "hello") continue;
        const reported = JSON.parse(data) as ApiEvent<Kind>;
        last = reported.id;
        yield reported;
      }
    } catch {
      // The daemon is down. After its restart the stream resumes or reports what is missing.
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

function pathOf({ kinds, agent }: EventsOptions): string {
  const query = new URLSearchParams();
  if (kinds) query.set("kinds", kinds.join(","));
  if (agent !== undefined) query.set("agent", agent);
  return `/v1/events?${query.toString()}`;
}

interface Frame {
  event: string;
  data: string;
}

async function* framesOf(
  socketPath: string,
  path: string,
  lastId: string | null,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const headers = lastId === null ? {} : { "last-event-id": lastId };
  const asked = request({ socketPath, path, headers, signal });
  try {
    const answer = await new Promise<AsyncIterable<string>>((resolve, reject) => {
      asked.once("response", (response) => resolve(response.setEncoding("utf8") as AsyncIterable<string>));
      asked.once("error", reject);
      asked.end();
    });
    let text = "";
    for await (const piece of answer) {
      text += piece;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) yield frameOf(frame);
    }
  } finally {
    asked.on("error", () => {}).destroy();
  }
}

function frameOf(text: string): Frame {
  const fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, `${fields.get(name) ?? ""}${value}`);
  }
  // A comment only keeps the connection alive.
  return { event: fields.get("event") ?? "hello", data: fields.get("data") ?? "{}" };
}
