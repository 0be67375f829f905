/** Server-sent events: one stream per client, resumed by the header Last-Event-ID. */
import { sanitizedJson } from "../core/text/sanitize.js";
import { ApiError } from "./error.js";
import { type ApiEvent, EVENT_KINDS, type EventKind, type Events } from "./events.js";
import type { TerminalFrame } from "./terminals/live-terminals.js";

/** Bytes that may wait for a slow client. Beyond that it is dropped, and resumes when it reconnects. */
const WAITING_BYTES_MAX = 1024 * 1024;
const HEARTBEAT_MS = 15_000;
/** A client this far behind gets no more changes of a screen, and the latest screen once it has caught up. */
const BEHIND_BYTES = 128 * 1024;
const REFRESH_MS = 500;
const TERMINALS_MAX = 8;

export interface StreamFilter {
  kinds: ReadonlySet<EventKind>;
  agent: string | null;
}

/** Terminals that the stream sends as well. */
export interface TerminalFeed {
  /** Calls back with every frame; returns how to stop and how to ask for the whole screen. */
  watch(agent: string, take: (frame: TerminalFrame) => void): { stop: () => void; refresh: () => void };
}

export interface WatchedTerminals {
  feed: TerminalFeed;
  agents: readonly string[];
}

/** Names of the query `terminals`, separated by commas. */
export function terminalsOf(text: string | undefined): string[] {
  const names = [...new Set((text ?? "").split(",").filter(Boolean))];
  if (names.length > TERMINALS_MAX) throw new ApiError("bad", `terminals: at most ${TERMINALS_MAX} per stream`);
  return names;
}

export function filterOf(query: { kinds?: string | undefined; agent?: string | undefined }): StreamFilter {
  const wanted = query.kinds === undefined ? [...EVENT_KINDS] : query.kinds.split(",").filter(Boolean);
  const unknown = wanted.find((kind) => !(EVENT_KINDS as readonly string[]).includes(kind));
  if (unknown !== undefined) throw new ApiError("bad", `kinds: expected one or more of ${EVENT_KINDS.join(", ")}`);
  return { kinds: new Set(wanted as EventKind[]), agent: query.agent ?? null };
}

/**
 * `mayListen` is checked before each event, so that a revoked token receives nothing more. `owner`: digest of the token; null
 * over the socket.
 */
export function eventStream(
  events: Events,
  filter: StreamFilter,
  lastId: string | null,
  mayListen: () => boolean = () => true,
  owner: string | null = null,
  terminals: WatchedTerminals | null = null,
): Response {
  let stop = (): void => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string): boolean => {
          if (!mayListen()) {
            stop();
            controller.error(new Error("the token was revoked"));
            return true;
          }
          controller.enqueue(ENCODER.encode(text));
          return (controller.desiredSize ?? 0) > -WAITING_BYTES_MAX;
        };
        const heartbeat = setInterval(() => write(": \n\n"), HEARTBEAT_MS);
        const waiting: ApiEvent[] = [];
        let isOpen = false;
        const started = events.listen(
          {
            take: (event) => {
              if (!filter.kinds.has(event.kind) || (filter.agent !== null && event.agent !== filter.agent)) return true;
              if (isOpen) return write(frameOf(event));
              waiting.push(event);
              return true;
            },
            dropped: () => {
              stop();
              // Destroys the connection: a client that does not read would not notice a regular end.
              controller.error(new Error("the client did not keep up, or the daemon is stopping"));
            },
          },
          lastId,
          owner,
        );
        if (!started) {
          clearInterval(heartbeat);
          throw new ApiError("full", "too many event streams are open; close one and try again");
        }
        const stopTerminals = terminals === null ? null : sendTerminals(terminals, controller, write);
        stop = () => {
          clearInterval(heartbeat);
          stopTerminals?.();
          started.stop();
        };
        // Sent at once with the headers, so that a client knows that it is connected and whether events were lost.
        write(`event: ${started.isWhole ? "hello" : "missed"}\ndata: ${JSON.stringify(hello(started.isWhole))}\n\n`);
        isOpen = true;
        for (const event of waiting) write(frameOf(event));
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } });
}

/** Frames have no id: a client that resumes gets the present screen. */
function sendTerminals(
  { feed, agents }: WatchedTerminals,
  controller: ReadableStreamDefaultController<Uint8Array>,
  write: (text: string) => boolean,
): () => void {
  const late = new Set<() => void>();
  const isBehind = (): boolean => (controller.desiredSize ?? 0) < -BEHIND_BYTES;
  const watched = agents.map((agent) => {
    // Changes make sense only after a whole screen.
    let isWhole = false;
    const refresh = (): void => terminal.refresh();
    const terminal = feed.watch(agent, (frame) => {
      const isChange = "full" in frame && !frame.full;
      if (isChange && !isWhole) return;
      if ("full" in frame && isBehind()) {
        isWhole = false;
        late.add(refresh);
        return;
      }
      isWhole = true;
      write(`event: terminal\ndata: ${sanitizedJson(frame)}\n\n`);
    });
    return terminal;
  });
  const catchUp = setInterval(() => {
    if (late.size === 0 || isBehind()) return;
    for (const refresh of late) refresh();
    late.clear();
  }, REFRESH_MS);
  return () => {
    clearInterval(catchUp);
    for (const { stop } of watched) stop();
  };
}

const ENCODER = new TextEncoder();

/** JSON without indentation has no line breaks, so it fits in one data line. */
const frameOf = (event: ApiEvent): string => `event: ${event.kind}\nid: ${event.id}\ndata: ${sanitizedJson(event)}\n\n`;

const hello = (isWhole: boolean): { says: string } => ({
  says: isWhole ? "events follow" : "some events are no longer stored: read the agents again; later events follow",
});
