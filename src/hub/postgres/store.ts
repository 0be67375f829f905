/**
 * The hub of a fleet: PostgreSQL through `pg`, which is loaded only here. Every call is one unnamed statement that runs one
 * function, so it works behind a pooler in transaction mode.
 */
import { HubError } from "../hub-error.js";
import type { Arguments, HubStore, StoreOperation } from "../store.js";
import { asHubError, checkUrl, shownUrl } from "./errors.js";
import { connectionTo } from "./relay.js";
import { POSTGRES_SCHEMA } from "./schema.js";

export interface PostgresHubOptions {
  url: string;
  /** Default: 10 s. A half-open connection is noticed after it. */
  timeoutMs?: number;
  /** Default: 4. */
  connections?: number;
}

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 4;

type Pool = import("pg").Pool;

class PostgresStore implements HubStore {
  readonly engine = "postgresql";
  readonly #url: string;
  readonly #open: () => Pool;
  #pool: Pool;
  #isClosed = false;

  constructor(open: () => Pool, pool: Pool, url: string) {
    this.#open = open;
    this.#pool = pool;
    this.#url = url;
  }

  async call(operation: StoreOperation, values: Arguments): Promise<unknown> {
    if (this.#isClosed) throw new HubError("closed", "the hub is closed");
    const pool = this.#pool;
    try {
      const { rows } = await pool.query<{ answer: unknown }>(`select rouse.${operation}($1::jsonb) as answer`, [
        JSON.stringify(values),
      ]);
      return rows[0]?.answer ?? null;
    } catch (error) {
      if (/timeout/i.test((error as Error).message)) this.#replace(pool);
      throw asHubError(error, this.#url);
    }
  }

  /** If one connection is half-open, all may be: each would cost the next call its whole time. */
  #replace(pool: Pool): void {
    if (this.#pool !== pool || this.#isClosed) return;
    this.#pool = this.#open();
    void pool.end().catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }
}

/** Refuses a database whose schema this rouse does not know. */
export async function openPostgresStore(options: PostgresHubOptions): Promise<HubStore> {
  const { url, timeoutMs = TIMEOUT_MS, connections = CONNECTIONS } = options;
  checkUrl(url);
  const { default: pg } = await import("pg");
  const open = (): Pool => {
    const opened = new pg.Pool({
      ...connectionTo(url),
      max: connections,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      application_name: "rouse",
    });
    // An idle connection that ends is replaced by the next call.
    return opened.on("error", () => {});
  };
  const pool = open();
  try {
    const { rows } = await pool.query<{ version: number }>("select rouse.schema_number() as version");
    checkSchema(Number(rows[0]?.version), url);
    return new PostgresStore(open, pool, url);
  } catch (error) {
    await pool.end();
    throw asHubError(error, url);
  }
}

export function checkSchema(version: number, url: string): void {
  const known = `schema ${version}, this one knows ${POSTGRES_SCHEMA}`;
  if (version > POSTGRES_SCHEMA)
    throw new HubError(
      "schema_newer",
      `the hub ${shownUrl(url)} was set up by a newer rouse (${known}): update rouse on this machine`,
    );
  if (version < POSTGRES_SCHEMA)
    throw new HubError(
      "schema_older",
      `the hub ${shownUrl(url)} was set up by an older rouse (${known}): run \`rouse fleet init\` with this rouse`,
    );
}
