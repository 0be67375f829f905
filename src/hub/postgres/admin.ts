/**
 * Sets up a hub on PostgreSQL, and adds nodes to it. Both connect as an administrator of the database and work in one
 * transaction. The tables belong to the role `rouse_owner`, which cannot log in.
 */
import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import { HubError, refusalError } from "../hub-error.js";
import { isRefused } from "../store.js";
import { TASK_TRANSITIONS, type TaskTransition } from "../task-states.js";
import { asHubError, checkUrl, shownUrl } from "./errors.js";
import { FUNCTIONS, NODE_FUNCTIONS } from "./functions.js";
import { POSTGRES_SCHEMA, STEPS } from "./schema.js";
import { checkSchema } from "./store.js";

/** "rouse" as a number; one hub per database. */
const LOCK = 72_717_875;
const OLDEST_SERVER = 13;
const CONNECT_TIMEOUT_MS = 15_000;
/** A lock or a wait that lasts longer belongs to a client that hangs; a longer idle transaction stops vacuum. */
const NODE_SETTINGS = ["statement_timeout = '30s'", "idle_in_transaction_session_timeout = '30s'"] as const;

const GROUPS = {
  rouse_owner: "owns the tables and functions; it cannot log in",
  rouse_node: "machines that run rouse; may execute the hub's functions and nothing else",
  rouse_agent: "agents that report by SQL; may update rouse.agent_progress and nothing else",
} as const;

export interface HubSetup {
  /** One line per change; a repetition has none. */
  done: string[];
  schema: number;
}

/** Creates or updates roles, tables, functions and grants. Several may run at once: one works, the others wait. */
export async function initHub(url: string): Promise<HubSetup> {
  return administer(url, async (client) => {
    const done: string[] = [];
    await createGroups(client, done);
    if (!(await exists(client, "select 1 from pg_namespace where nspname = 'rouse'"))) {
      await client.query("create schema rouse authorization rouse_owner");
      done.push("created the schema rouse");
    }
    await client.query("set local role rouse_owner; set local search_path = rouse, pg_temp");
    await client.query(`create table if not exists schema_version (one boolean primary key default true check (one), version int not null);
      insert into schema_version (version) values (0) on conflict do nothing`);
    const { rows } = await client.query<{ version: number }>("select version from schema_version");
    const before = rows[0]?.version ?? 0;
    if (before > POSTGRES_SCHEMA) checkSchema(before, url);
    for (const step of STEPS.slice(before)) await client.query(step);
    await client.query("update schema_version set version = $1", [POSTGRES_SCHEMA]);
    if (before < POSTGRES_SCHEMA)
      done.push(before === 0 ? "created the tables" : `migrated the tables from schema ${before}`);
    await client.query(FUNCTIONS);
    await fillTransitions(client);
    await client.query(GRANTS);
    return { done, schema: POSTGRES_SCHEMA };
  });
}

async function createGroups(client: Client, done: string[]): Promise<void> {
  for (const [role, purpose] of Object.entries(GROUPS)) {
    if (await exists(client, "select 1 from pg_roles where rolname = $1", role)) continue;
    await client.query(`create role ${role} nologin`);
    done.push(`created the role ${role} (${purpose})`);
  }
  // An administrator who is no superuser has to be a member to create objects for the owner.
  if (!(await exists(client, "select 1 where pg_has_role(current_user, 'rouse_owner', 'member')")))
    await client.query("grant rouse_owner to current_user");
}

/** Functions are open to everyone when they are created; only those of the list stay so, for nodes. */
const GRANTS = `
create or replace function schema_number() returns int language sql stable security definer set search_path = rouse, pg_temp
  as $$ select version from schema_version $$;
revoke all on all functions in schema rouse from public, rouse_node, rouse_agent;
revoke all on all tables in schema rouse from public, rouse_node, rouse_agent;
grant usage on schema rouse to rouse_node, rouse_agent;
grant execute on function schema_number() to rouse_node;
${NODE_FUNCTIONS.map((name) => `grant execute on function ${name}(jsonb) to rouse_node;`).join("\n")}
grant select, update (last_checkpoint, last_step, completed_steps, status) on agent_progress to rouse_agent;`;

async function fillTransitions(client: Client): Promise<void> {
  const rows = TASK_TRANSITIONS.flatMap(({ operation, from, to, by }: TaskTransition) =>
    from.flatMap((status) => by.map((actor) => ({ operation, from_status: status, to_status: to, actor }))),
  );
  await client.query("delete from transitions");
  await client.query("insert into transitions select * from jsonb_populate_recordset(null::transitions, $1)", [
    JSON.stringify(rows),
  ]);
}

export interface NodeLogin {
  node: string;
  role: string;
  /** The hub's address for this node, with its password. */
  url: string;
}

/** `replace`: the node gets a new password and may be a new installation; its claims stay. */
export async function joinHub(url: string, node: string, { replace = false } = {}): Promise<NodeLogin> {
  const role = `rouse_${checkNodeName(node)}`;
  const password = randomBytes(24).toString("base64url");
  await administer(url, async (client) => {
    await requireSetup(client, url);
    const isNode = await exists(client, "select 1 from rouse.nodes where id = $1", node);
    const isMember = await exists(client, "select 1 from rouse.nodes where id = $1 and left_at is null", node);
    const isRole = await exists(client, "select 1 from pg_roles where rolname = $1", role);
    if (isMember && !replace) throw refusalError({ code: "node_taken", node });
    if (isRole && !isNode)
      throw new HubError(
        "node_taken",
        `the role ${role} exists on this server, but is no node of this hub: choose another name, or remove that role`,
      );
    const name = client.escapeIdentifier(role);
    const login = `login password ${client.escapeLiteral(password)} nosuperuser nocreatedb nocreaterole`;
    await client.query(`${isRole ? "alter" : "create"} role ${name} ${login}`);
    for (const setting of NODE_SETTINGS) await client.query(`alter role ${name} set ${setting}`);
    await client.query(`grant rouse_node to ${name}`);
    await client.query("set local role rouse_owner");
    await client.query(
      "insert into rouse.nodes (id, role) values ($1, $2) on conflict (id) do update set instance = null, version = null, left_at = null",
      [node, role],
    );
  });
  const own = new URL(url);
  own.username = role;
  own.password = password;
  return { node, role, url: own.href };
}

/** Removes a node, also one that is lost for good, with its login. Returns the tasks that were offered again. */
export async function leaveHub(url: string, node: string, { release = false } = {}): Promise<number[]> {
  const role = `rouse_${checkNodeName(node)}`;
  return administer(url, async (client) => {
    await requireSetup(client, url);
    if (!(await exists(client, "select 1 from rouse.nodes where id = $1 and left_at is null", node)))
      throw refusalError({ code: "unknown_node", node });
    await client.query("set local role rouse_owner; set local search_path = rouse, pg_temp");
    const { rows } = await client.query<{ answer: unknown }>("select leave_node($1, $2) as answer", [node, release]);
    const answer = rows[0]?.answer;
    if (isRefused(answer)) throw refusalError(answer.refused);
    await client.query("reset role");
    // Its connections end with the next call: the node is no member any more.
    if (await exists(client, "select 1 from pg_roles where rolname = $1", role))
      await client.query(`drop role ${client.escapeIdentifier(role)}`);
    return (answer as { released: number[] }).released;
  });
}

async function requireSetup(client: Client, url: string): Promise<void> {
  if (!(await exists(client, "select 1 from pg_namespace where nspname = 'rouse'")))
    throw new HubError(
      "not_initialized",
      `the database ${shownUrl(url)} is no rouse hub: run \`rouse fleet init\` first`,
    );
  if (!(await exists(client, "select 1 where pg_has_role(current_user, 'rouse_owner', 'member')")))
    throw new HubError(
      "forbidden",
      `the login ${shownUrl(url)} may not add nodes: use the login that ran \`rouse fleet init\``,
    );
  const { rows } = await client.query<{ version: number }>("select rouse.schema_number() as version");
  checkSchema(Number(rows[0]?.version), url);
}

/** PostgreSQL cuts names of more than 63 bytes. */
function checkNodeName(node: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/.test(node)) return node;
  throw new HubError(
    "invalid",
    `a node name has 1 to 40 of the characters a-z, 0-9, - and _, and begins with a letter or a digit; found ${JSON.stringify(node.slice(0, 60))}`,
  );
}

async function exists(client: Client, sql: string, ...values: string[]): Promise<boolean> {
  return ((await client.query(sql, values)).rowCount ?? 0) > 0;
}

async function administer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  checkUrl(url);
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "rouse fleet",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ number: number }>(
      "select current_setting('server_version_num')::int / 10000 as number",
    );
    const version = rows[0]?.number ?? 0;
    if (version < OLDEST_SERVER)
      throw new HubError(
        "server_too_old",
        `the hub ${shownUrl(url)} runs PostgreSQL ${version}; rouse needs ${OLDEST_SERVER} or newer`,
      );
    await client.query("begin");
    await client.query(`select pg_advisory_xact_lock(${LOCK})`);
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    if ((error as { code?: string }).code === "42501")
      throw new HubError(
        "forbidden",
        `the login ${shownUrl(url)} may not do this: it needs the rights to create roles (CREATEROLE) and schemas in this database`,
        { cause: error },
      );
    throw asHubError(error, url);
  } finally {
    await client.end().catch(() => {});
  }
}
