/** What a vendor's API must be able to express: one reply on one connection. */
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
  /** Titles, warm-ups and similar requests outside the script. */
  isSide: boolean;
  /** The reply that takes precedence over the script: the client's tool is still running. */
  goOn: (() => void) | null;
  wire: Wire;
}

export interface Dialect {
  readonly path: RegExp;
  ask(body: Record<string, unknown>, response: ServerResponse, path: string): Asked;
  failure(kind: FailureKind, resetsAt: Date): HttpFailure;
}

/** Server-sent events on one connection; a client that has left is not an error. */
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

  /** A comment: only a sign of life. */
  note(text: string): void {
    if (!this.#response.destroyed) this.#response.write(`: ${text}\n\n`);
  }

  close(): void {
    this.#response.end();
  }
}

let last = 0;
export const newId = (kind: string): string => `${kind}_${String(++last).padStart(24, "0")}`;

/** The usual estimate of four characters per token. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);
