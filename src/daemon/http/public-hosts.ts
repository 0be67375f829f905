/**
 * Host names under which the user's TLS proxy forwards requests of agents that rouse cannot see (`[api] public_hosts`). They
 * serve two routes, and a token has no right there but `report`.
 */
import type { HttpRefusal, RequestHead } from "./guard.js";
import type { Client } from "./tokens.js";

const PUBLIC_ROUTES: readonly string[] = ["/v1/checkpoints", "/v1/report"];

const HOST = /^(?=.{1,255}$)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?$/;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+)(?::\d+)?$/;

/** The accepted entries, and what is wrong with the others. */
export function readPublicHosts(entries: readonly string[]): { hosts: string[]; issues: string[] } {
  const hosts: string[] = [];
  const issues: string[] = [];
  for (const entry of entries) {
    const host = entry.trim().toLowerCase();
    if (HOST.test(host) && !LOOPBACK.test(host)) hosts.push(host);
    else
      issues.push(
        `api.public_hosts: ${JSON.stringify(entry.slice(0, 80))} is ignored; expected the public host name of your proxy, such as rouse.example`,
      );
  }
  return { hosts, issues };
}

export const isPublicHost = (header: RequestHead["header"], publicHosts: readonly string[]): boolean =>
  publicHosts.includes((header("host") ?? "").toLowerCase());

/** Agents send no Origin: a request with one comes from a page. */
export function checkPublicRequest({ method, header }: RequestHead, path: string): HttpRefusal | null {
  if (method !== "POST" || !PUBLIC_ROUTES.includes(path))
    return {
      status: 403,
      why: "host",
      says: `this host serves only ${PUBLIC_ROUTES.map((route) => `POST ${route}`).join(" and ")}`,
    };
  if (header("origin") !== undefined)
    return { status: 403, why: "origin", says: "requests from pages of other origins are refused" };
  return null;
}

/** The process at the other end is the proxy, wherever that runs: it says nothing about the agent. */
export const publicClient = (client: Client): Client => ({
  ...client,
  rights: new Set([...client.rights].filter((right) => right === "report")),
  origin: "http",
  process: async () => null,
});
