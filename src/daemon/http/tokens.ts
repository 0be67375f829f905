/**
 * Tokens for the daemon's port, and their rights. A token is shown once, when it is created; only its digest is stored, in a
 * private file. The file is checked on every request, so that a revoked token is refused at once.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import * as z from "zod";
import { writeWhole } from "../../config/whole-file.js";
import { isReservedName } from "../../core/reserved.js";
import type { PeerProcesses } from "../../sensors/process/peer.js";
import type { AuditOrigin } from "../../store/audit-entry.js";
import type { Caller } from "../intake/callers.js";
import { readPrivate } from "./key.js";
import { NAME_PATTERN } from "./name-pattern.js";

/**
 * `read` reads, `report` reports the state of the client's own agents and sends and acknowledges messages, `report_any`
 * reports the state of any agent, `control` starts agents, types into them, recovers and ends them, `admin` changes
 * permissions, silences, alerts and watch rules. `hook` is the only right of the key in the settings of agents.
 */
export const RIGHTS = ["read", "report", "report_any", "control", "admin"] as const;
export type Right = (typeof RIGHTS)[number];

/** What a token stands for. */
export interface TokenScope {
  /** Names of the agents that it may report about. */
  agents: readonly string[];
  /** Inboxes that it owns. */
  inboxes: readonly string[];
  /** Names of the agents that its reports create: agents that rouse cannot see. */
  pattern?: string | undefined;
}

/** A client as it presents itself; `api/identity.ts` verifies it. */
export interface Client {
  name: string;
  rights: ReadonlySet<Right | "hook">;
  /** Digest of its token; null over the socket, which only the user can open. */
  token?: string;
  scope?: TokenScope;
  /** The interface of its requests; default: the socket. */
  origin?: AuditOrigin;
  /** What a client of the socket says about itself. */
  caller?: Caller;
  /** The processes at the other end of the connection; null if this system does not tell. */
  process?: () => Promise<PeerProcesses | null>;
}

const MAX = 200;
const SCOPE_MAX = 50;
const scopeName = z.string().min(1).max(200);
const recordSchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9._-]{1,60}$/),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  rights: z.array(z.enum(RIGHTS)).min(1),
  agents: z.array(scopeName).max(SCOPE_MAX).default([]),
  inboxes: z.array(scopeName).max(SCOPE_MAX).default([]),
  pattern: z.string().regex(NAME_PATTERN).optional(),
  created_at: z.iso.datetime(),
  /** Of a session of the dashboard. */
  expires_at: z.iso.datetime().optional(),
});
const fileSchema = z.object({ tokens: z.array(recordSchema).max(MAX) });

export type TokenRecord = z.infer<typeof recordSchema>;

const NO_SCOPE: TokenScope = { agents: [], inboxes: [] };

/** The message is for the user. */
export class TokenError extends Error {}

const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** All tokens; none if the file is missing. */
export function listTokens(path: string): TokenRecord[] {
  const text = readPrivate(path);
  if (text === null) return [];
  const parsed = fileSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw new TokenError(`${path} is damaged; remove it and create the tokens again`);
  return parsed.data.tokens;
}

/** Creates a token; returns its text, which cannot be shown again. */
export function createToken(
  path: string,
  name: string,
  rights: readonly Right[],
  now: number,
  { agents, inboxes, pattern }: TokenScope = NO_SCOPE,
  expiresAt: number | null = null,
): string {
  if (isReservedName(name)) throw new TokenError(`the name ${name} is reserved for rouse itself; choose another`);
  const known = listTokens(path).filter((token) => !hasExpired(token, now));
  if (known.some((token) => token.name === name))
    throw new TokenError(`a token named ${name} already exists; revoke it or choose another name`);
  if (known.length >= MAX) throw new TokenError(`the limit of ${MAX} tokens is reached; revoke unused tokens`);
  const token = `rouse_${randomBytes(32).toString("base64url")}`;
  const record = {
    name,
    digest: digestOf(token),
    rights: [...rights],
    agents: [...agents],
    inboxes: [...inboxes],
    ...(pattern === undefined ? {} : { pattern }),
    created_at: new Date(now).toISOString(),
    ...(expiresAt === null ? {} : { expires_at: new Date(expiresAt).toISOString() }),
  };
  const checked = recordSchema.safeParse(record);
  if (!checked.success)
    throw new TokenError("invalid token name; expected at most 60 letters, digits, dots, dashes and underscores");
  write(path, [...known, checked.data]);
  return token;
}

/** False if there is no token of this name. */
export function revokeToken(path: string, name: string): boolean {
  const known = listTokens(path);
  const left = known.filter((token) => token.name !== name);
  if (left.length === known.length) return false;
  write(path, left);
  return true;
}

const hasExpired = ({ expires_at }: TokenRecord, now: number): boolean =>
  expires_at !== undefined && Date.parse(expires_at) <= now;

const write = (path: string, tokens: readonly TokenRecord[]): void =>
  writeWhole(path, `${JSON.stringify({ tokens }, null, 2)}\n`);

export class Tokens {
  readonly #path: string;
  #seen = "";
  #tokens: readonly TokenRecord[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** Takes the same time for every token. With a damaged file no token is valid. */
  find(token: string, now: number = Date.now()): Client | null {
    this.#refresh();
    const given = Buffer.from(digestOf(token), "hex");
    let found: TokenRecord | null = null;
    for (const record of this.#tokens) if (timingSafeEqual(given, Buffer.from(record.digest, "hex"))) found = record;
    if (found === null || hasExpired(found, now)) return null;
    const { name, rights, digest, agents, inboxes, pattern } = found;
    return { name, rights: new Set(rights), token: digest, scope: { agents, inboxes, pattern } };
  }

  /** Whether a token accepted earlier still has this right. */
  holds(digest: string, right: Right, now: number = Date.now()): boolean {
    return this.record(digest, now)?.rights.includes(right) === true;
  }

  /** The valid token with this digest. */
  record(digest: string, now: number = Date.now()): TokenRecord | null {
    this.#refresh();
    return this.#tokens.find((token) => token.digest === digest && !hasExpired(token, now)) ?? null;
  }

  #refresh(): void {
    const seen = versionOf(this.#path);
    if (seen === this.#seen) return;
    this.#seen = seen;
    try {
      this.#tokens = listTokens(this.#path);
    } catch {
      this.#tokens = [];
    }
  }
}

function versionOf(path: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  } catch {
    return "none";
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
