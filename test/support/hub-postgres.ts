/** The hub on a real PostgreSQL: set up once, emptied for each test. Its clock is replaced by one that tests move. */
import type { Hub } from "../../src/hub/hub.js";
import { openHub } from "../../src/hub/open.js";
import { initHub, joinHub } from "../../src/hub/postgres/admin.js";
import type { HubRig } from "./hub-suite.js";
import { type Postgres, query, throughPort } from "./postgres.js";

export interface HubDatabase {
  name: string;
  /** Address of the administrator. */
  url: string;
  /** Address per node. */
  nodes: Record<string, string>;
  /** Address of an agent that may only report by SQL. */
  agent: string;
}

/** Roles belong to the whole server, so each database gets nodes of its own. */
export async function createHubDatabase(
  postgres: Postgres,
  name: string,
  nodes: readonly string[],
): Promise<HubDatabase> {
  await postgres.sql(`create database ${name}`);
  const url = postgres.url(name);
  await initHub(url);
  const agent = `agent_${name}`;
  await query(
    url,
    `create role ${agent} login password 'secret' in role rouse_agent; alter role ${agent} set search_path = rouse`,
  );
  const logins: Record<string, string> = {};
  for (const node of nodes) logins[node] = (await joinHub(url, node)).url;
  const own = new URL(url);
  own.username = agent;
  own.password = "secret";
  return { name, url, nodes: logins, agent: own.href };
}

/** `port`: that of a pooler. */
export async function postgresRig(database: HubDatabase, port?: number): Promise<HubRig> {
  const hubs: Hub[] = [];
  const at = (url: string): string => (port === undefined ? url : throughPort(url, port));
  const first = Object.keys(database.nodes)[0] ?? "";
  let now = Date.parse("2026-03-01T14:00:00Z");
  const setClock = (): Promise<unknown> =>
    query(
      database.url,
      `create or replace function rouse.clock() returns timestamptz language sql volatile as
         $$ select timestamptz '${new Date(now).toISOString()}' $$`,
    );
  await query(
    database.url,
    `truncate rouse.tasks, rouse.progress, rouse.claims, rouse.checkpoints, rouse.comments, rouse.locks, rouse.events,
       rouse.inboxes, rouse.messages restart identity; update rouse.nodes set instance = null`,
  );
  await setClock();
  return {
    async open(node = first) {
      const hub = await openHub({ url: at(database.nodes[node] ?? ""), state: "/nonexistent", node });
      hubs.push(hub);
      return hub;
    },
    async advance(ms) {
      now += ms;
      await setClock();
    },
    async agentSql(text) {
      await query(at(database.agent), text);
    },
    async ownerSql(text) {
      await query(database.url, `set search_path = rouse; ${text}`);
    },
    appendStep: (step) => `completed_steps || to_jsonb(${step})`,
    async close() {
      for (const hub of hubs) await hub.close();
    },
  };
}
