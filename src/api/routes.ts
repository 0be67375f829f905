/** Every route of the port with the right that it needs: one per operation, and a few that answer something else. */
import type { Right } from "../daemon/http/tokens.js";
import { OPERATIONS } from "./operations.js";

export interface Route {
  method: "get" | "post";
  /** With `{agent}` where a name stands. */
  path: string;
  right: Right;
}

/** Routes that are no operation: what they answer is no JSON record. */
export const OTHERS: readonly (Route & { says: string })[] = [
  {
    method: "get",
    path: "/v1/events",
    right: "read",
    says: "Assessments, incidents, messages and touches as they happen (server-sent events).",
  },
  { method: "get", path: "/metrics", right: "read", says: "Figures for Prometheus." },
  { method: "get", path: "/v1/openapi.json", right: "read", says: "This document." },
  {
    method: "post",
    path: "/mcp",
    right: "read",
    says: "The Model Context Protocol, streamable HTTP. Tools ask for their own rights.",
  },
];

/** Every route with the right that it needs: what the tests of the guard go through. */
export const ROUTES: readonly Route[] = [
  ...Object.values(OPERATIONS).map(({ http, right }) => ({ ...http, right })),
  ...OTHERS.map(({ method, path, right }) => ({ method, path, right })),
];
