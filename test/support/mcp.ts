/** Real MCP clients of two major versions, over both transports, with one interface for the tests. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { BIN, type Home } from "./hosts.js";

export interface McpTool {
  name: string;
  annotations?: { readOnlyHint?: boolean | undefined; destructiveHint?: boolean | undefined } | undefined;
}

export interface McpClient {
  tools(): Promise<McpTool[]>;
  /** The result of the tool, and whether it failed. */
  call(name: string, args?: Record<string, unknown>): Promise<{ isError: boolean; text: string }>;
  close(): Promise<void>;
}

export interface Place {
  home: Home;
  port: number;
  token: string;
}

type Face = {
  listTools(): Promise<{ tools: McpTool[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
};

const INFO = { name: "test", version: "1" };

const stdio = ({ home }: Place) => ({
  command: process.execPath,
  args: [BIN, "mcp"],
  env: home.env as Record<string, string>,
  cwd: home.path,
});
const endpoint = ({ port }: Place): URL => new URL(`http://127.0.0.1:${port}/mcp`);
const bearer = ({ token }: Place) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

/** By the name in the test's title. */
export const CLIENTS: Readonly<Record<string, (place: Place) => Promise<McpClient>>> = {
  "the current client on stdio": async (place) => {
    const client = new Client(INFO);
    await client.connect(new StdioClientTransport(stdio(place)));
    return faceOf(client as unknown as Face);
  },
  "the current client on stdio, newest revision": async (place) => {
    const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StdioClientTransport(stdio(place)));
    return faceOf(client as unknown as Face);
  },
  "the current client over HTTP": async (place) => {
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(endpoint(place), bearer(place)));
    return faceOf(client as unknown as Face);
  },
  "the current client over HTTP, newest revision": async (place) => {
    const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(endpoint(place), bearer(place)));
    return faceOf(client as unknown as Face);
  },
  "a client of the major version before on stdio": async (place) => {
    const client = new OldClient(INFO);
    await client.connect(new OldStdio(stdio(place)));
    return faceOf(client as unknown as Face);
  },
  "a client of the major version before over HTTP": async (place) => {
    const client = new OldClient(INFO);
    await client.connect(new OldHttp(endpoint(place), bearer(place)) as Parameters<OldClient["connect"]>[0]);
    return faceOf(client as unknown as Face);
  },
};

function faceOf(client: Face): McpClient {
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => {
      const answer = (await client.callTool({ name, arguments: args })) as {
        isError?: boolean;
        content: { type: string; text?: string }[];
      };
      return { isError: answer.isError === true, text: answer.content.map(({ text = "" }) => text).join("\n") };
    },
    close: () => client.close(),
  };
}
