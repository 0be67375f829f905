/** What PostgreSQL, its client and pgbouncer report, as one clear error each. No message quotes a password. */
import { sanitize } from "../../core/text/sanitize.js";
import { HubError, type HubErrorCode, refusalError } from "../hub-error.js";

/** Host, port and database, without the password. */
export function shownUrl(url: string): string {
  try {
    const { hostname, port, pathname, username } = new URL(url);
    return sanitize(`${decodeURIComponent(username)}@${hostname}:${port || "5432"}${pathname}`, 200);
  } catch {
    return "the given address";
  }
}

export function checkUrl(url: string): URL {
  const expected = "expected postgresql://USER@HOST:PORT/DATABASE";
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new HubError("bad_url", `the hub's address is not a URL; ${expected}`);
  }
  if (parsed.protocol !== "postgresql:" && parsed.protocol !== "postgres:")
    throw new HubError("bad_url", `the hub's address begins with ${sanitize(parsed.protocol, 40)}; ${expected}`);
  if (!parsed.hostname || parsed.pathname.length < 2)
    throw new HubError("bad_url", `the hub's address names no ${parsed.hostname ? "database" : "host"}; ${expected}`);
  return parsed;
}

const INIT = "run `rouse fleet init` with the address of the database's owner";

/** By SQLSTATE; a class is its first two characters. */
const BY_STATE: Readonly<Record<string, readonly [HubErrorCode, (where: string) => string]>> = {
  "28P01": ["wrong_password", (where) => `the hub refused the password for ${where}`],
  "28000": ["wrong_password", (where) => `the hub refused the login ${where}: check user, TLS mode and pg_hba.conf`],
  "3D000": ["no_database", (where) => `the hub has no database of that name: ${where}`],
  "3F000": ["not_initialized", (where) => `the database ${where} is no rouse hub: ${INIT}`],
  "42883": ["not_initialized", (where) => `the database ${where} is no rouse hub, or of an older version: ${INIT}`],
  "42501": ["forbidden", (where) => `the login ${where} may not use the hub: join it first (\`rouse fleet join\`)`],
  "25006": ["read_only", (where) => `the hub ${where} is read-only now (a replica, or during a failover)`],
  "53300": ["unreachable", (where) => `the hub ${where} accepts no more connections`],
  "57014": ["unreachable", (where) => `the hub ${where} took too long`],
  "40P01": ["busy", (where) => `the hub ${where} resolved a deadlock: try again`],
  "40001": ["busy", (where) => `the hub ${where} could not serialize: try again`],
};
/** Connection lost, shutting down, out of resources. */
const UNREACHABLE_CLASSES = new Set(["08", "53", "57", "58"]);

const BY_TEXT: readonly (readonly [RegExp, HubErrorCode, (where: string) => string])[] = [
  [
    /no such user|password authentication failed|SASL|auth(?:entication)? failed|client password must be a string/i,
    "wrong_password",
    (where) => `the hub refused the password for ${where}`,
  ],
  [/no such database/i, "no_database", (where) => `the hub has no database of that name: ${where}`],
  [
    /SSL|TLS|certificate|self[- ]signed/i,
    "tls",
    (where) => `no TLS connection to the hub ${where}: check sslmode in its address, and the server's certificate`,
  ],
];

export function asHubError(error: unknown, url: string): HubError {
  if (error instanceof HubError) return error;
  const where = shownUrl(url);
  const { code = "", message = "" } = (error ?? {}) as { code?: string; message?: string };
  if (code === "RH001") return refusalError({ code: "no_node", role: sanitize(message, 80) });
  const known = BY_STATE[code];
  if (known) return new HubError(known[0], known[1](where), { cause: error });
  for (const [pattern, kind, text] of BY_TEXT)
    if (pattern.test(message)) return new HubError(kind, text(where), { cause: error });
  const reason = sanitize(code === "ECONNREFUSED" ? "connection refused" : message || code, 200);
  if (isConnectionError(code, message))
    return new HubError("unreachable", `the hub ${where} is not reachable: ${reason}`, { cause: error });
  return new HubError("storage", `the hub ${where} failed: ${reason}${code ? ` (${code})` : ""}`, { cause: error });
}

/** Errors of the client and the system have names instead of an SQLSTATE. */
const isConnectionError = (code: string, message: string): boolean =>
  UNREACHABLE_CLASSES.has(code.slice(0, 2)) ||
  /^E[A-Z]{3,}/.test(code) ||
  /timeout|terminat|connection|closed/i.test(message);
