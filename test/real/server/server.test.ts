/** The scripted model server itself, over real HTTP: its replies match what the vendors' clients accept. */
import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/hosts.js";
import type { Script } from "./script.js";
import { ModelServer } from "./server.js";

let server: ModelServer;

afterEach(() => server.close());

const PATHS = {
  anthropic: "/v1/messages",
  openai: "/v1/responses",
  google: "/v1beta/models/m:streamGenerateContent?alt=sse",
} as const;
type Vendor = keyof typeof PATHS;
const VENDORS = Object.keys(PATHS) as Vendor[];

const ask = (vendor: Vendor, body: object = {}): Promise<Response> =>
  fetch(`${server.url}${PATHS[vendor]}`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, tools: [{ name: "t" }], input: [], messages: [], ...body }),
  });

interface Event {
  type: string;
  delta?: unknown;
  candidates?: { content: { parts: { text?: string }[] }; finishReason?: string }[];
}

const eventsOf = (text: string): Event[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json as string) as Event);

/** The text of a reply, wherever the vendor puts it. */
const deltasOf = (text: string): string =>
  eventsOf(text)
    .map(({ delta, candidates: [first] = [] }) => {
      if (first) return first.content.parts.map(({ text }) => text ?? "").join("");
      return typeof delta === "string" ? delta : ((delta as { text?: string } | undefined)?.text ?? "");
    })
    .join("");

describe.each(VENDORS)("a scripted reply of %s", (vendor) => {
  it("arrives in pieces, with its tool call, and ends", async () => {
    const script: Script = [
      [
        { do: "text", text: "I look at the code.", ms: 120 },
        { do: "call", tool: "shell", command: "node test.mjs" },
      ],
    ];
    server = await ModelServer.start(script);
    const text = await (await ask(vendor)).text();
    expect(deltasOf(text)).toContain("I look at the code.");
    expect(text).toContain("node test.mjs");
    const last = eventsOf(text).at(-1);
    expect(last?.candidates?.[0]?.finishReason ?? last?.type).toMatch(/^(message_stop|response\.completed|STOP)$/);
    expect(server.actions.map(({ did }) => did).slice(0, 4)).toEqual(["request", "text", "call", "end"]);
  });

  it("is the next one of the script for each request, and then always the last one", async () => {
    server = await ModelServer.start([[{ do: "text", text: "one" }], [{ do: "text", text: "two" }]]);
    const said: string[] = [];
    for (let i = 0; i < 3; i++) said.push(deltasOf(await (await ask(vendor)).text()));
    expect(said).toEqual(["one", "two", "two"]);
  });

  it("does not come from the script if the request is not part of the conversation", async () => {
    server = await ModelServer.start([[{ do: "fail", kind: "overloaded" }]]);
    expect((await ask(vendor, { tools: [] })).status).toBe(200);
    expect((await ask(vendor)).status).toBeGreaterThan(500);
  });

  it("waits for a signal, with only pings before it", async () => {
    const script: Script = [
      [
        { do: "ping", times: 2, everyMs: 5 },
        { do: "await", word: "go" },
        { do: "text", text: "gone on" },
      ],
    ];
    server = await ModelServer.start(script);
    const reply = ask(vendor).then((response) => response.text());
    await until("it to wait", () => server.lastOf("await") !== null);
    expect(server.lastOf("end")).toBeNull();
    server.report("go");
    const text = await reply;
    expect(deltasOf(text)).toBe("gone on");
    const named = eventsOf(text).filter(({ type }) => /^(ping|keepalive)$/.test(type)).length;
    // Gemini CLI accepts only white space.
    const blank = /^\n*/.exec(text)?.[0].length ?? 0;
    expect(named + blank).toBeGreaterThanOrEqual(2);
  });

  it("can stall without headers, be cut, or break inside the stream", async () => {
    const half: Script[number][number] = { do: "text", text: "half" };
    const broken = { do: "break", type: "overloaded_error", message: "Overloaded" } as const;
    server = await ModelServer.start([
      [{ do: "stall", ms: 30 }, half],
      [half, broken],
      [half, { do: "drop" }],
    ]);
    expect(deltasOf(await (await ask(vendor)).text())).toBe("half");
    expect(await (await ask(vendor)).text()).toContain("Overloaded");
    await expect(ask(vendor).then((response) => response.text())).rejects.toThrow("terminated");
  });

  it.each(["overloaded", "server_error", "auth", "rate_limit", "usage_limit"] as const)(
    "can fail: %s",
    async (kind) => {
      server = await ModelServer.start([
        [{ do: "fail", kind, resetsInS: 3600 }],
        [{ do: "fail", status: 418, body: {} }],
      ]);
      const { status } = await ask(vendor);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(server.actions.find(({ did }) => did === "fail")?.what).toBe(kind);
      expect((await ask(vendor)).status).toBe(418);
    },
  );
});

describe("the scripted model server", () => {
  it("refuses all requests until a limit is over, and then continues with the script", async () => {
    const limit = { do: "fail", kind: "usage_limit", resetsInS: 1, holds: true } as const;
    server = await ModelServer.start([[limit], [{ do: "text", text: "recovered" }]]);
    const resetOf = async (response: Response): Promise<number> =>
      ((await response.json()) as { error: { resets_at: number } }).error.resets_at;
    const first = await ask("openai");
    expect(first.status).toBe(429);
    expect(await resetOf(await ask("openai"))).toBe(await resetOf(first));
    await until("the reset", async () => (await ask("openai")).status === 200);
    expect(server.conversation).toHaveLength(2);
  });

  it("records all requests", async () => {
    server = await ModelServer.start([[{ do: "text", text: "one" }]]);
    await (await ask("openai", { input: ["Fix the test."] })).text();
    expect(server.conversation[0]).toContain("Fix the test.");
  });

  it("sends a whole message if no stream is requested", async () => {
    server = await ModelServer.start([[{ do: "text", text: "whole" }]]);
    const message = (await (await ask("anthropic", { stream: false })).json()) as { content: unknown };
    expect(message.content).toEqual([{ type: "text", text: "whole" }]);
  });

  it("polls a command that outlasts its call, as the model would, and does not count it", async () => {
    server = await ModelServer.start([[{ do: "text", text: "done" }]]);
    const output = { type: "function_call_output", output: "Process running with session ID 7\n" };
    expect(await (await ask("openai", { input: [output] })).text()).toContain("write_stdin");
    expect(deltasOf(await (await ask("openai")).text())).toBe("done");
  });

  it("does not poll a command that was left behind on purpose", async () => {
    server = await ModelServer.start([[{ do: "text", text: "it runs on" }]]);
    const input = [
      { type: "function_call", call_id: "c", arguments: '{"cmd":"sleep 9","yield_time_ms":1000}' },
      { type: "function_call_output", call_id: "c", output: "Process running with session ID 7\n" },
    ];
    expect(deltasOf(await (await ask("openai", { input })).text())).toBe("it runs on");
  });

  it("answers through the proxy too, if the request is for itself", async () => {
    server = await ModelServer.start([[{ do: "text", text: "one" }]]);
    const { port } = new URL(server.url);
    const path = `${server.url}/v1beta/models/m:countTokens`;
    const status = await new Promise((resolve) => {
      const proxied = request({ host: "127.0.0.1", port, method: "POST", path });
      proxied.on("response", (response) => resolve(response.resume().statusCode));
      proxied.end("{}");
    });
    expect(status).toBe(200);
    expect(server.phoned).toEqual([]);
  });

  it("blocks outside connections, and records the attempts", async () => {
    server = await ModelServer.start([]);
    const { port } = new URL(server.url);
    const tunnel = request({ host: "127.0.0.1", port, method: "CONNECT", path: "telemetry.example:443" });
    const status = await new Promise((resolve) => {
      tunnel.on("connect", (response, socket) => {
        socket.destroy();
        resolve(response.statusCode);
      });
      tunnel.end();
    });
    expect(status).toBe(403);
    expect(server.actions).toMatchObject([{ did: "phoned", what: "telemetry.example:443" }]);
  });

  it("ends every open reply when it closes", async () => {
    server = await ModelServer.start([[{ do: "text", text: "half" }, { do: "stall" }]]);
    const reply = ask("openai").then((response) => response.text());
    await until("it to stall", () => server.lastOf("stall") !== null);
    await Promise.all([expect(reply).rejects.toThrow("terminated"), server.close()]);
  });
});
