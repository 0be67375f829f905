/** Server-sent events: one stream per client, taken up again by the header Last-Event-ID. */
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { plainJson } from "../core/plain.js";
import { type ApiEvent, EVENT_KINDS, type EventKind, type Events } from "./events.js";
import { ApiProblem } from "./problem.js";

/** So many events may wait for a client that reads slowly; it comes back and takes the rest up. */
const WAITING_MAX = 500;
const BEAT_MS = 15_000;

export interface StreamFilter {
  kinds: ReadonlySet<EventKind>;
  agent: string | null;
}

export function filterOf(query: { kinds?: string | undefined; agent?: string | undefined }): StreamFilter {
  const wanted = query.kinds === undefined ? [...EVENT_KINDS] : query.kinds.split(",").filter(Boolean);
  const unknown = wanted.find((kind) => !(EVENT_KINDS as readonly string[]).includes(kind));
  if (unknown !== undefined) throw new ApiProblem("bad", `kinds must be some of ${EVENT_KINDS.join(", ")}`);
  return { kinds: new Set(wanted as EventKind[]), agent: query.agent ?? null };
}

export function eventStream(c: Context, events: Events, filter: StreamFilter): Response {
  const waiting: ApiEvent[] = [];
  let wake: () => void = () => {};
  let isOver = false;
  const end = (): void => {
    isOver = true;
    wake();
  };
  const started = events.listen(
    {
      take: (event) => {
        if (!filter.kinds.has(event.kind) || (filter.agent !== null && event.agent !== filter.agent)) return true;
        if (waiting.push(event) > WAITING_MAX) return false;
        wake();
        return true;
      },
      dropped: end,
    },
    c.req.header("last-event-id") ?? null,
  );
  if (!started) throw new ApiProblem("full", "too many clients listen already; close one and try again");
  return streamSSE(c, async (stream) => {
    stream.onAbort(end);
    try {
      // Headers and this leave at once, so that a client knows that it is heard.
      await stream.writeSSE({
        event: started.isWhole ? "hello" : "missed",
        data: JSON.stringify(hello(started.isWhole)),
      });
      while (!isOver) {
        const next = waiting.shift();
        if (next) {
          await stream.writeSSE({ id: next.id, event: next.kind, data: plainJson(next) });
          continue;
        }
        await new Promise<void>((resolve) => {
          const beat = setTimeout(resolve, BEAT_MS);
          wake = () => {
            clearTimeout(beat);
            resolve();
          };
        });
        if (!isOver && waiting.length === 0) await stream.write(": \n\n");
      }
    } finally {
      started.stop();
    }
  });
}

const hello = (isWhole: boolean): { says: string } => ({
  says: isWhole
    ? "events follow"
    : "some events between are not kept any more: ask for the agents as they are now; events follow",
});
