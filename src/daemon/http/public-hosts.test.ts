import { expect, it } from "vitest";
import { checkPublicRequest, publicClient } from "./public-hosts.js";
import type { Client } from "./tokens.js";

const check = (method: string, path: string, origin?: string) =>
  checkPublicRequest({ method, header: (name: string) => (name === "origin" ? origin : undefined) } as never, path)
    ?.why ?? null;

it("a public host serves reports and checkpoints by POST only, and no page", () => {
  expect(check("POST", "/v1/report")).toBeNull();
  expect(check("POST", "/v1/checkpoints")).toBeNull();
  expect(check("GET", "/v1/report")).toBe("host");
  for (const path of ["/v1/permissions", "/v1/agents", "/v1/report/x", "/mcp"])
    expect(check("POST", path)).toBe("host");
  expect(check("POST", "/v1/report", "https://rouse.example")).toBe("origin");
});

it("a token has no right there but report, and the process behind the proxy says nothing about the agent", async () => {
  const rights = new Set(["read", "report", "control", "admin", "hook"]);
  const client = publicClient({ rights, origin: "socket", process: async () => ({ pid: 1 }) } as unknown as Client);
  expect([[...client.rights], client.origin, await client.process?.()]).toEqual([["report"], "http", null]);
});
