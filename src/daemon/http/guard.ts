/**
 * Checks requests to the daemon's port. Every program and every browser page on this machine can reach it, so a request must
 * have the right Host header (against DNS rebinding), no foreign origin, a key or a token, and JSON of a bounded size.
 */
import type { Client } from "./tokens.js";

/** A batch of metrics has about 600 kB (Codex). */
export const BODY_MAX: number = 4 * 1024 * 1024;

export interface RequestHead {
  method: string;
  header: (name: string) => string | undefined;
}

export interface HttpRefusal {
  status: 400 | 401 | 403 | 405 | 413 | 415 | 421 | 429;
  /** A short code, for counting. */
  why: "host" | "origin" | "key" | "right" | "method" | "type" | "encoding" | "size" | "target" | "busy";
  says: string;
}

export interface Guard {
  /** Accepted Host headers; the first one is shown to users: `127.0.0.1:17687`. */
  hosts: readonly string[];
  /** The client of a key or token. */
  who: (bearer: string) => Client | null;
}

/** The request is meant for this daemon and comes from no page of another origin. */
export function checkAddress({ header }: RequestHead, { hosts }: Pick<Guard, "hosts">): HttpRefusal | null {
  if (!hosts.includes(header("host") ?? ""))
    return { status: 421, why: "host", says: `wrong host: this is ${hosts[0]}` };
  const origin = header("origin");
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`))
    return { status: 403, why: "origin", says: "requests from pages of other origins are refused" };
  return null;
}

export function admitRequest(head: RequestHead, { hosts, who }: Guard): HttpRefusal | { client: Client } {
  const refusal = checkAddress(head, { hosts });
  if (refusal) return refusal;
  const { method, header } = head;
  const client = who(bearerOf(header("authorization")));
  if (!client)
    return {
      status: 401,
      why: "key",
      says: "the header Authorization: Bearer TOKEN is missing or wrong; create a token with `rouse token create`",
    };
  if (method === "GET") return { client };
  if (method !== "POST") return { status: 405, why: "method", says: "only GET and POST are supported" };
  return bodyRefusal(header) ?? { client };
}

export function bodyRefusal(header: RequestHead["header"]): HttpRefusal | null {
  const type = (header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/x-protobuf")
    return {
      status: 415,
      why: "type",
      says:
        "protobuf is not supported, JSON is: set OTEL_EXPORTER_OTLP_PROTOCOL=http/json (Claude Code), or " +
        'protocol = "json" in [otel] (Codex)',
    };
  if (type !== "application/json")
    return { status: 415, why: "type", says: "the body must be JSON: content-type: application/json" };
  if ((header("content-encoding") ?? "identity") !== "identity")
    return { status: 415, why: "encoding", says: "compressed bodies are not supported: send it uncompressed" };
  return Number(header("content-length") ?? 0) > BODY_MAX ? TOO_LARGE : null;
}

export const TOO_LARGE: HttpRefusal = {
  status: 413,
  why: "size",
  says: `the body is larger than ${BODY_MAX / 1024 / 1024} MB`,
};

/** A request for a proxy names two hosts, and programs disagree on which of them counts. */
export const WRONG_TARGET: HttpRefusal = {
  status: 400,
  why: "target",
  says: "the request must name a path such as /v1/agents, not a whole address",
};

/** The key or token is valid, but lacks the right. */
export const missingRight = (right: string): HttpRefusal => ({
  status: 403,
  why: "right",
  says: `this needs a token with the right ${right}; create one with \`rouse token create NAME --right ${right}\``,
});

export function bearerOf(value: string | undefined): string {
  return /^bearer ([\w-]{1,200})$/i.exec(value ?? "")?.[1] ?? "";
}
