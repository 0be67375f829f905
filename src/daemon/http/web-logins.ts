/**
 * Login to the dashboard. `rouse web` asks for a one-time code, which the page exchanges for a session: a token with an end,
 * kept in the file of tokens, so that it survives a restart of the daemon and can be listed and revoked like any other.
 */
import { createHash, randomBytes } from "node:crypto";
import { createToken, listTokens, type Right, revokeToken } from "./tokens.js";

/** The page posts its code here. */
export const LOGIN_PATH = "/v1/web/session";
/** The page posts here to end its session. */
export const SIGN_OUT_PATH = "/v1/web/sign-out";
export const LOGIN_MS = 60_000;
const SESSION_MS = 7 * 24 * 3600_000;
const CODES_MAX = 20;
const SESSIONS_MAX = 50;
const SESSION_NAME = /^web-[0-9a-f]{8}$/;

export interface WebSession {
  token: string;
  name: string;
  rights: readonly Right[];
  expires_at: string;
}

interface Code {
  rights: readonly Right[];
  expiresAt: number;
}

export class WebLogins {
  readonly #tokens: string;
  readonly #changed: (text: string) => void;
  readonly #now: () => number;
  /** By digest: a code is not kept in memory. */
  readonly #codes = new Map<string, Code>();

  /** `tokens`: the file of tokens; `changed`: a session has begun or ended. */
  constructor(tokens: string, changed: (text: string) => void = () => {}, now: () => number = Date.now) {
    this.#tokens = tokens;
    this.#changed = changed;
    this.#now = now;
  }

  /** A code that can be exchanged once, within a minute. */
  create(rights: readonly Right[]): { code: string; expiresAt: number } {
    const code = randomBytes(32).toString("base64url");
    const expiresAt = this.#now() + LOGIN_MS;
    this.#codes.set(digestOf(code), { rights, expiresAt });
    for (const digest of this.#codes.keys()) if (this.#codes.size > CODES_MAX) this.#codes.delete(digest);
    return { code, expiresAt };
  }

  /** Null if the code is unknown, has expired or was used. */
  redeem(code: string): WebSession | null {
    const digest = digestOf(code);
    const found = this.#codes.get(digest);
    this.#codes.delete(digest);
    const now = this.#now();
    if (!found || found.expiresAt <= now) return null;
    const old = listTokens(this.#tokens).filter(({ name }) => SESSION_NAME.test(name));
    for (const { name } of old.slice(0, Math.max(0, old.length + 1 - SESSIONS_MAX))) revokeToken(this.#tokens, name);
    const name = `web-${randomBytes(4).toString("hex")}`;
    const expiresAt = now + SESSION_MS;
    const token = createToken(this.#tokens, name, found.rights, now, undefined, expiresAt);
    this.#changed(`signed in: ${name} (${found.rights.join(", ")})`);
    return { token, name, rights: found.rights, expires_at: new Date(expiresAt).toISOString() };
  }

  /** Ends a session. False for a token that is none: only its owner revokes it. */
  end(name: string): boolean {
    if (!SESSION_NAME.test(name) || !revokeToken(this.#tokens, name)) return false;
    this.#changed(`signed out: ${name}`);
    return true;
  }
}

const digestOf = (code: string): string => createHash("sha256").update(code).digest("hex");
