/**
 * The event stream, read once for all tabs of the page: a browser opens only six connections to a host. The tab that holds the
 * lock reads, and passes every event on; when it closes, the next tab takes over. Tabs ask for the terminals that they show.
 */
import { signal } from "@preact/signals";
import { endSession, session } from "./session.js";

export type StreamState = "connecting" | "live" | "down";
export type StreamEvent = { kind: string; data: unknown };
type Handler = (event: StreamEvent) => void;

type Note =
  | { do: "event"; event: StreamEvent }
  | { do: "state"; state: StreamState }
  | { do: "want"; tab: string; terminals: string[] }
  | { do: "who" }
  | { do: "bye"; tab: string };

const LOCK = "rouse-stream";
const AGAIN_MS = [250, 500, 1000, 2000, 4000];
const CHANGE_MS = 50;
const WHO_EVERY_MS = 20_000;
const WHO_WITHIN_MS = 3000;
/** The daemon sends a sign of life every 15 s. */
const SILENT_MS = 40_000;

export const streamState = signal<StreamState>("connecting");

const tab = `${Date.now().toString(36)}-${Math.floor(Math.random() * 1e9).toString(36)}`;
const channel = new BroadcastChannel("rouse-stream");
const handlers = new Set<Handler>();
const wanted = new Map<string, readonly string[]>();
const own = new Map<string, number>();
let isLeader = false;
let open: AbortController | null = null;
let openTerminals = "";
let lastId = "";
let change: ReturnType<typeof setTimeout> | undefined;

export function onEvent(handler: Handler): () => void {
  handlers.add(handler);
  return () => handlers.delete(handler);
}

/** Asks for the terminal of an agent, until the returned function is called. */
export function wantTerminal(agent: string): () => void {
  own.set(agent, (own.get(agent) ?? 0) + 1);
  sayWanted(true);
  return () => {
    const left = (own.get(agent) ?? 1) - 1;
    if (left > 0) own.set(agent, left);
    else own.delete(agent);
    sayWanted(false);
  };
}

export function startStream(): void {
  channel.onmessage = ({ data }: MessageEvent<Note>) => hear(data);
  addEventListener("pagehide", () => channel.postMessage({ do: "bye", tab } satisfies Note));
  // A hidden tab shows no terminal.
  document.addEventListener("visibilitychange", () => sayWanted(!document.hidden));
  channel.postMessage({ do: "want", tab, terminals: [] } satisfies Note);
  if (!("locks" in navigator)) lead();
  else void navigator.locks.request(LOCK, () => new Promise<never>(() => lead()));
}

function hear(note: Note): void {
  if (note.do === "event") deliver(note.event);
  if (note.do === "state" && !isLeader) streamState.value = note.state;
  if (note.do === "who") sayWanted(false);
  if (!isLeader) return;
  if (note.do === "bye") {
    wanted.delete(note.tab);
    reopenSoon(false);
  }
  if (note.do !== "want") return;
  const isNew = !wanted.has(note.tab);
  const before = wanted.get(note.tab) ?? [];
  wanted.set(note.tab, note.terminals);
  if (isNew) channel.postMessage({ do: "state", state: streamState.value } satisfies Note);
  // A tab that asks for a terminal needs its whole screen, also if another tab shows it already.
  reopenSoon(note.terminals.some((agent) => !before.includes(agent)));
}

function sayWanted(isMore: boolean): void {
  const terminals = document.hidden ? [] : [...own.keys()];
  if (isLeader) {
    wanted.set(tab, terminals);
    reopenSoon(isMore && terminals.length > 0);
  } else channel.postMessage({ do: "want", tab, terminals } satisfies Note);
}

function lead(): void {
  isLeader = true;
  wanted.set(tab, document.hidden ? [] : [...own.keys()]);
  channel.postMessage({ do: "who" } satisfies Note);
  setInterval(askWho, WHO_EVERY_MS);
  void readForEver();
}

/** A tab that crashed says no goodbye. */
function askWho(): void {
  const silent = new Set(wanted.keys());
  silent.delete(tab);
  const note = ({ data }: MessageEvent<Note>): void => void (data.do === "want" && silent.delete(data.tab));
  channel.addEventListener("message", note);
  channel.postMessage({ do: "who" } satisfies Note);
  setTimeout(() => {
    channel.removeEventListener("message", note);
    for (const gone of silent) wanted.delete(gone);
    if (silent.size > 0) reopenSoon(false);
  }, WHO_WITHIN_MS);
}

const terminals = (): string => [...new Set([...wanted.values()].flat())].sort().slice(0, 8).join(",");

function reopenSoon(isForced: boolean): void {
  if (!isForced && terminals() === openTerminals) return;
  clearTimeout(change);
  change = setTimeout(() => open?.abort(), CHANGE_MS);
}

function deliver(event: StreamEvent): void {
  for (const handler of handlers) handler(event);
}

function setState(state: StreamState): void {
  streamState.value = state;
  channel.postMessage({ do: "state", state } satisfies Note);
}

async function readForEver(): Promise<never> {
  let failures = 0;
  for (;;) {
    if (!session.value) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      continue;
    }
    open = new AbortController();
    openTerminals = terminals();
    const isReopened = await readOnce(open, () => {
      failures = 0;
    });
    if (isReopened) continue;
    setState("down");
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS[Math.min(failures++, AGAIN_MS.length - 1)]));
  }
}

/** True if it was ended here, to ask for other terminals. */
async function readOnce(control: AbortController, connected: () => void): Promise<boolean> {
  let isLate = false;
  let alarm: ReturnType<typeof setTimeout> | undefined;
  const alive = (): void => {
    clearTimeout(alarm);
    alarm = setTimeout(() => {
      isLate = true;
      control.abort();
    }, SILENT_MS);
  };
  try {
    alive();
    const query = openTerminals === "" ? "" : `?terminals=${encodeURIComponent(openTerminals)}`;
    const answer = await fetch(`/v1/events${query}`, {
      headers: {
        authorization: `Bearer ${session.value?.token ?? ""}`,
        ...(lastId === "" ? {} : { "last-event-id": lastId }),
      },
      signal: control.signal,
      cache: "no-store",
    });
    if (answer.status === 401) endSession("Your session has ended. Run `rouse web` again.");
    if (!answer.ok || !answer.body) return false;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      alive();
      text += value;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        take(text.slice(0, end), connected);
        text = text.slice(end + 2);
      }
    }
  } catch {
    return control.signal.aborted && !isLate;
  } finally {
    clearTimeout(alarm);
  }
}

function take(block: string, connected: () => void): void {
  let kind = "";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) kind = line.slice(7);
    else if (line.startsWith("id: ")) lastId = line.slice(4);
    else if (line.startsWith("data: ")) data = line.slice(6);
  }
  if (kind === "") return;
  if (kind === "hello" || kind === "missed") {
    connected();
    if (kind === "missed") lastId = "";
    setState("live");
  }
  const event: StreamEvent = { kind, data: JSON.parse(data) as unknown };
  deliver(event);
  channel.postMessage({ do: "event", event } satisfies Note);
}
