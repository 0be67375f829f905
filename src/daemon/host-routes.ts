/**
 * The two private routes of hosts: register a session, send its signals. Hosts call them several hundred times a second,
 * so they are answered on Node's own request, without the router: that costs a third of the time.
 *
 *   PUT  /v1/sessions/{id}           the session, also as a heartbeat  -> {acked, resend}
 *   POST /v1/sessions/{id}/signals   {from, signals}                   -> {acked}, or 507 {judged}: not stored, but judged
 *                                    {from, signals, isStored: false}  -> 507 {judged}
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isReservedName, ROUSE } from "../core/reserved.js";
import type { Signal } from "../core/signal.js";
import { redact } from "../core/text/redact.js";
import { asRecord } from "../readers/records/json.js";
import { parseSignal } from "../readers/signal-schema.js";
import { parseSession } from "../store/session-schema.js";
import { failureText } from "./failure.js";
import type { Loop } from "./loop.js";
import { NotStoredError } from "./signal-store.js";

/** A batch of 5000 signals has 2 MB. A larger body is an attack on the daemon's memory. */
export const BODY_MAX = 16 * 1024 * 1024;
const SIGNALS_MAX = 5000;

const PATH = /^\/v1\/sessions\/([^/?#]{1,4000})(\/signals)?$/;

type HostLoop = Pick<Loop, "register" | "recordLiveness" | "ingest" | "now" | "incomplete">;

interface Answer {
  status: number;
  body: { acked: number; resend?: true } | { error: string; judged?: number };
}

const refusal = (status: number, error: string): Answer => ({ status, body: { error } });
/** The host keeps what was not stored, and shows what follows: see `DaemonLink`. */
function failed(error: unknown): Answer {
  const text = redact(failureText(error));
  if (error instanceof NotStoredError) return { status: 507, body: { error: text, judged: error.judged } };
  return refusal(500, text);
}

const TOO_LARGE = refusal(413, "the body is too large");

/** Answers a request for one of the two routes; false for any other, which it leaves untouched. */
export function makeHostRoutes(loop: HostLoop): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const [, id, signals] = PATH.exec(request.url ?? "") ?? [];
    if (id === undefined || request.method !== (signals === undefined ? "PUT" : "POST")) return false;
    const work = signals === undefined ? register : ingest;
    void readBody(request)
      .then((text) => (text === null ? TOO_LARGE : work(loop, decoded(id), parsed(text))))
      .catch((error: unknown) => failed(error))
      .then((answer) => send(response, answer));
    return true;
  };
}

function register(loop: HostLoop, id: string, value: unknown): Answer {
  const session = parseSession(value);
  if (!session) return refusal(400, "the body is not a session");
  if (session.id !== id) return refusal(400, "the body and the path name different sessions");
  if (isReservedName(session.name)) return refusal(400, `the name ${ROUSE} is reserved for rouse itself`);
  const acked = loop.register(session);
  loop.recordLiveness(id, "host");
  return { status: 200, body: { acked, ...(loop.incomplete.has(id) ? { resend: true } : {}) } };
}

async function ingest(loop: HostLoop, id: string, value: unknown): Promise<Answer> {
  const { from, signals, isStored } = asRecord(value) ?? {};
  const isBatch = typeof from === "number" && Number.isSafeInteger(from) && from >= 1 && Array.isArray(signals);
  if (!isBatch || signals.length > SIGNALS_MAX) return refusal(400, "the body must be {from, signals}");
  // A placeholder for an unreadable signal, so that later sequence numbers stay right.
  const now = loop.now();
  const batch = signals.map((signal) => parseSignal(signal) ?? unreadable(now));
  const acked = await loop.ingest(id, from, batch, isStored !== false);
  // The host has begun to send everything again.
  if (acked !== null && batch.some((signal) => signal.kind === "gap" && signal.to > signal.from))
    loop.incomplete.delete(id);
  return acked === null
    ? refusal(409, "this session is not registered; PUT it first")
    : { status: 200, body: { acked } };
}

/** An empty span. */
const unreadable = (at: number): Signal => ({ kind: "gap", at, source: "observer", from: at, to: at });

/** Null if it is too large. A client that disconnects gets no answer. */
function readBody(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_MAX) return Promise.resolve(null);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_MAX) chunks.push(chunk);
      else resolve(null);
    });
    request.on("end", () => resolve((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString() ?? ""));
    request.on("error", () => {
      // The connection is closed: there is nothing to answer.
    });
  });
}

function send(response: ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    // The rest of a body that is not read must not arrive over this connection.
    ...(status === 413 ? { connection: "close" } : {}),
  });
  response.end(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
