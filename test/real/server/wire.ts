/** What a vendor's API must be able to say: one reply on one connection. */
import type { ServerResponse } from "node:http";
import type { FailureKind, HttpFailure, ToolCall } from "./script.js";

export interface Wire {
  /** Sends the headers and what opens a reply. */
  open(): void;
  begin(block: "text" | "think"): void;
  delta(text: string): void;
  finish(): void;
  call(tool: ToolCall): void;
  ping(): void;
  breakOff(type: string, message: string): void;
  end(): void;
}

/** A request for a reply, as far as the script needs it. */
export interface Asked {
  /** Titles, warm-ups and the like, which the script is not about. */
  isSide: boolean;
  /** What the client must be told first, whatever the script says: its tool still runs. */
  goOn: (() => void) | null;
  wire: Wire;
}

export interface Dialect {
  readonly path: string;
  ask(body: Record<string, unknown>, response: ServerResponse): Asked;
  failure(kind: FailureKind, resetsAt: Date): HttpFailure;
}

/** Server-sent events onto one connection; a reader that has gone is nobody's error. */
export class EventStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  open(headers: Record<string, string> = {}): void {
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers });
    this.#response.flushHeaders();
  }

  send(event: { type: string } & Record<string, unknown>): void {
    if (!this.#response.destroyed) this.#response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** An event without a name. */
  data(data: unknown): void {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    if (!this.#response.destroyed) this.#response.write(`data: ${text}\n\n`);
  }

  /** A comment: a sign of life only. */
  note(text: string): void {
    if (!this.#response.destroyed) this.#response.write(`: ${text}\n\n`);
  }

  close(): void {
    this.#response.end();
  }
}

let last = 0;
export const newId = (kind: string): string => `${kind}_${String(++last).padStart(24, "0")}`;

/** Four characters a token, as everybody guesses. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);
