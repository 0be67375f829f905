/**
 * Which account of its provider a running agent uses, so that those who share one share its limits. What leaves this
 * file is a digest under a key of this machine: neither a mail, an id nor a secret can be read or guessed out of it.
 *
 * A login counts before a key of the environment where the program does so. Where neither tells, nobody knows.
 */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { type JsonRecord, parseRecord, str } from "../../readers/json.js";
import { readHeadInside, realRoot } from "../transcript/safe-open.js";

export interface AccountPlace {
  kind: string;
  /** Of the process, as far as it can be read. */
  env: ReadonlyMap<string, string>;
  home: string;
}

type Pick = (record: JsonRecord) => string | undefined;
/** One word out of a file of the program's own; nothing else of it is kept. */
type Read = (folder: string, file: string, pick: Pick) => Promise<string | null>;
type Identify = (place: AccountPlace, read: Read) => Promise<string | null>;

/** Claude Code keeps the history of all projects in the file that names its account: hundreds of KB are usual. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** A login changes rarely, and the file is written all the time. */
const KEPT_MS = 60_000;
const FILES_MAX = 200;
const DIGEST_CHARS = 8;

const CLOUD = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"];
const CLOUD_ACCOUNT = ["AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_REGION", "ANTHROPIC_VERTEX_PROJECT_ID"];

const IDENTIFY: Readonly<Record<string, Identify>> = {
  "claude-code": async ({ env, home }, read) => {
    if (CLOUD.some((name) => env.get(name))) return said(env, [...CLOUD, ...CLOUD_ACCOUNT]);
    const key = first(env, ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"]);
    if (key !== null) return key;
    return read(env.get("CLAUDE_CONFIG_DIR") || home, ".claude.json", (record) => {
      // One login may belong to several organizations, each with limits of its own.
      const login = str(record, "oauthAccount", "accountUuid");
      return login && JSON.stringify([login, str(record, "oauthAccount", "organizationUuid") ?? null]);
    });
  },
  codex: async ({ env, home }, read) =>
    first(env, ["CODEX_API_KEY"]) ??
    (await read(
      env.get("CODEX_HOME") || join(home, ".codex"),
      "auth.json",
      (record) => str(record, "tokens", "account_id") ?? str(record, "OPENAI_API_KEY"),
    )) ??
    first(env, ["OPENAI_API_KEY"]),
  gemini: async ({ env, home }, read) => {
    const folder = join(home, ".gemini");
    const key = first(env, ["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
    const login = await read(folder, "google_accounts.json", (record) => str(record, "active"));
    const chosen = await read(
      folder,
      "settings.json",
      (record) => str(record, "security", "auth", "selectedType") ?? str(record, "selectedAuthType"),
    );
    return chosen?.startsWith("oauth") ? (login ?? key) : (key ?? login);
  },
};

function first(env: ReadonlyMap<string, string>, names: readonly string[]): string | null {
  const name = names.find((candidate) => env.get(candidate));
  return name === undefined ? null : (env.get(name) ?? null);
}

const said = (env: ReadonlyMap<string, string>, names: readonly string[]): string =>
  JSON.stringify(names.map((name) => env.get(name) ?? null));

export class Accounts {
  readonly #key: string;
  readonly #now: () => number;
  readonly #words = new Map<string, { readAt: number; word: string | null }>();

  constructor(key: string, now: () => number = () => performance.now()) {
    this.#key = key;
    this.#now = now;
  }

  /** Null where nothing tells. */
  async of(place: AccountPlace): Promise<string | null> {
    const identity = await IDENTIFY[place.kind]?.(place, (...asked) => this.#read(...asked));
    if (!identity) return null;
    const digest = createHmac("sha256", this.#key).update(`${place.kind}\0${identity}`).digest("hex");
    return `${place.kind} #${digest.slice(0, DIGEST_CHARS)}`;
  }

  async #read(folder: string, file: string, pick: Pick): Promise<string | null> {
    const path = join(folder, file);
    const known = this.#words.get(path);
    if (known && this.#now() - known.readAt < KEPT_MS) return known.word;
    const root = realRoot(folder);
    const text = root && (await readHeadInside(join(root, file), root, FILE_BYTES_MAX));
    const record = text ? parseRecord(text) : null;
    // A file that is being written at this moment says nothing: what it said before holds.
    const word = text && !record ? (known?.word ?? null) : ((record && pick(record)) ?? null);
    if (this.#words.size >= FILES_MAX) this.#words.clear();
    this.#words.set(path, { readAt: this.#now(), word: word || null });
    return word || null;
  }
}
