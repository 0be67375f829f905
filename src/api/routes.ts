/** Every route of the port with the right that it needs: one per operation, and a few others. */
import type { Right } from "../daemon/http/tokens.js";
import { OPERATIONS } from "./operations/index.js";
import type { Operation } from "./operations/operation.js";

export interface ApiRoute {
  method: "get" | "post";
  /** With placeholders such as `{agent}`. */
  path: string;
  right: Right;
}

/** Routes without an operation: they do not answer with a JSON record. */
export const OTHERS: readonly (ApiRoute & { summary: string })[] = [
  {
    method: "get",
    path: "/v1/events",
    right: "read",
    summary: "Stream assessments, incidents, messages and control requests as they happen (server-sent events).",
  },
  { method: "get", path: "/metrics", right: "read", summary: "Read figures for Prometheus." },
  { method: "get", path: "/v1/openapi.json", right: "read", summary: "Read this document." },
  {
    method: "post",
    path: "/mcp",
    right: "read",
    summary: "Speak the Model Context Protocol, streamable HTTP. Tools check their own rights.",
  },
];

const rows: readonly Operation[] = Object.values(OPERATIONS);

/** Every route of the port, for the tests of the guard. */
export const ROUTES: readonly ApiRoute[] = [...rows.filter(({ surfaces }) => surfaces.http), ...OTHERS].map(
  ({ method, path, right }) => ({ method, path, right }),
);
