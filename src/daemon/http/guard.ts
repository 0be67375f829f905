/**
 * Who may speak to the daemon's port. It is open to every program of this machine and to every page in a browser on it,
 * so a request must name the port as we do (a page whose name was rebound to 127.0.0.1 names its own), come from no
 * foreign page, show the key, and carry JSON of a bounded size.
 */
import { isSameKey } from "./key.js";

/** A batch of Codex's metrics has some 600 kB. */
export const BODY_MAX: number = 4 * 1024 * 1024;

export interface Asked {
  method: string;
  header: (name: string) => string | undefined;
}

export interface Refusal {
  status: 401 | 403 | 405 | 413 | 415 | 421;
  /** One word, for counting. */
  why: "host" | "origin" | "key" | "method" | "type" | "encoding" | "size";
  says: string;
}

export function refusalOf({ method, header }: Asked, { port, key }: { port: number; key: string }): Refusal | null {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(header("host") ?? ""))
    return { status: 421, why: "host", says: `this is ${hosts[0]}, and the request is for another host` };
  const origin = header("origin");
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`))
    return { status: 403, why: "origin", says: "pages of other origins may not speak to rouse" };
  if (!isSameKey(bearerOf(header("authorization")), key))
    return { status: 401, why: "key", says: "the header Authorization: Bearer KEY is missing or wrong" };
  if (method !== "POST") return { status: 405, why: "method", says: "only POST is answered here" };
  return bodyRefusal(header);
}

function bodyRefusal(header: Asked["header"]): Refusal | null {
  const type = (header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/x-protobuf")
    return {
      status: 415,
      why: "type",
      says:
        "protobuf is not read here, JSON is: set OTEL_EXPORTER_OTLP_PROTOCOL=http/json (Claude Code), or " +
        'protocol = "json" in [otel] (Codex)',
    };
  if (type !== "application/json")
    return { status: 415, why: "type", says: "the body must be JSON: content-type: application/json" };
  if ((header("content-encoding") ?? "identity") !== "identity")
    return { status: 415, why: "encoding", says: "a compressed body is not read: send it uncompressed" };
  return Number(header("content-length") ?? 0) > BODY_MAX ? TOO_LARGE : null;
}

export const TOO_LARGE: Refusal = {
  status: 413,
  why: "size",
  says: `the body is larger than ${BODY_MAX / 1024 / 1024} MB`,
};

function bearerOf(value: string | undefined): string {
  return /^bearer ([\w-]{1,200})$/i.exec(value ?? "")?.[1] ?? "";
}
