/** Real clients with rouse's MCP server, added as documented: the model calls it and reads its answers. */
import { beforeAll, describe, expect, it } from "vitest";
import { Care } from "./care.js";
import { CLAUDE_CODE } from "./clients/claude-code.js";
import { CODEX } from "./clients/codex.js";
import { type Installed, install } from "./clients/install.js";
import type { Scenario } from "./scenarios.js";

const CLIENTS = [CLAUDE_CODE, CODEX];
const installed = new Map<string, Installed>();

beforeAll(async () => {
  for (const client of CLIENTS) installed.set(client.name, await install(client));
});

/** It asks in the middle of a turn: working, or waiting for the tool that asks. */
const BUSY: unknown = expect.stringMatching(/^(?:working|waiting)$/);

const scenarioOf = (agent: string): Scenario => ({
  name: "mcp",
  script: [
    // Servers start in parallel to the first turn, which does not wait for them.
    [{ do: "call", tool: "shell", command: "node slow-test.mjs 12" }],
    [{ do: "call", tool: "mcp", server: "rouse", name: "get_worker_status", input: {} }],
    [{ do: "call", tool: "mcp", server: "rouse", name: "get_status", input: { pane_id: agent } }],
    [{ do: "text", text: "All is well.", ms: 300 }],
  ],
  mcp: true,
  expects: [],
});

describe.each(CLIENTS.map(({ name }) => name))("%s with rouse's MCP server", (client) => {
  it("asks for all agents and for itself, and its model reads that it is working", () => {
    const one = { installed: installed.get(client) as Installed, scenario: scenarioOf(`${client}-mcp-spawn`) };
    return Care.with({ ...one, way: "spawn" }, async (care) => {
      await care.finishes(120_000);
      const [, , all = "", own = ""] = care.server.conversation;
      expect(answersIn(all)).toContainEqual({
        workers: [expect.objectContaining({ name: care.name, state: BUSY })],
      });
      expect(answersIn(own)).toContainEqual(
        expect.objectContaining({
          name: care.name,
          state: BUSY,
          is_awaiting_input: false,
          is_awaiting_confirmation: false,
        }),
      );
    });
  });
});

/** The results of tools, wherever the vendor puts them: every text of the request that is JSON. */
function answersIn(request: string): unknown[] {
  const found: unknown[] = [];
  JSON.parse(request, (_, value: unknown) => {
    if (typeof value !== "string") return value;
    // Codex puts the duration before the answer.
    const text = value.slice(Math.max(0, value.indexOf("{")));
    try {
      found.push(JSON.parse(text));
    } catch {
      // Not JSON.
    }
    return value;
  });
  return found;
}
