import type { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../test/support/hosts.js";
import { agent, TestLoop } from "../../test/support/loops.js";
import { loadReaders } from "../programs/registry.js";
import { Hooks } from "./hooks.js";
import { makeRoutes } from "./routes.js";
import type { WatchRules } from "./watch-rules.js";

let test: TestLoop;
let app: Hono;
let asked: WatchRules[];
let shutDowns: number;

beforeEach(async () => {
  test = new TestLoop();
  asked = [];
  shutDowns = 0;
  const readersFor = await loadReaders();
  app = makeRoutes({
    loop: test.loop,
    hooks: new Hooks(test.loop, { zone: "UTC", marker: "" }, readersFor),
    version: "1.0",
    atRest: () => Promise.resolve(),
    shutDown: () => {
      shutDowns++;
    },
    watch: async (rules) => {
      asked.push(rules);
      return rules;
    },
  });
});
afterEach(() => test.close());

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await app.request(path, { method, headers, ...(body === undefined ? {} : { body: text }) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const put = () => test.loop.register(agent());

describe("the daemon's routes", () => {
  it.each([
    ["POST", "/v1/watch", { programs: "yes" }],
    ["POST", "/v1/report", { state: "fine" }],
    ["POST", "/v1/report", "no JSON"],
  ])("refuses %s %s with a body that is none, and says what it expected", async (method, path, body) => {
    const answer = await ask(method, path, body);
    expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(/^the body/) } });
  });
});

describe("the daemon's door for people", () => {
  it("says who it is and that its rounds are finished", async () => {
    test.run(3);
    expect((await ask("GET", "/v1/health")).body).toMatchObject({
      ok: true,
      version: "1.0",
      pid: process.pid,
      ticks: 3,
      judging: { after_ms: expect.any(Number), cpu_ms: expect.any(Number) },
    });
  });

  it("knows no agent that is not there, and repeats no control byte of its name", async () => {
    const answer = await ask("GET", `/v1/sessions/${encodeURIComponent("a\u001b[2Jb")}`);
    expect(answer.status).toBe(404);
    expect(answer.body.error).not.toContain("\u001b");
    expect((await ask("GET", "/v1/sessions/nobody/why")).status).toBe(404);
  });

  it("passes rules on, and ends when it has answered", async () => {
    const rules = { programs: true, tags: ["night"], names: [] };
    expect(await ask("POST", "/v1/watch", rules)).toMatchObject({ status: 200, body: rules });
    expect(asked).toMatchObject([rules]);
    expect(await ask("POST", "/v1/shutdown", {})).toEqual({ status: 200, body: { ok: true } });
    await until("the end", () => shutDowns === 1);
  });
});

describe("the daemon's door for agents", () => {
  it("takes a report of the one who says who it is, and of nobody else", async () => {
    put();
    expect((await ask("POST", "/v1/report", { state: "complete", text: "done" })).status).toBe(404);
    const answer = await ask("POST", "/v1/report", { state: "complete", text: "done" }, { "x-rouse-session": "s1" });
    expect(answer).toEqual({ status: 200, body: { ok: true, agent: "api" } });
    expect(test.says()).toBe("complete");
  });

  it("takes a hook of an agent that it watches, and any payload without a failure", async () => {
    put();
    const hook = (payload: unknown, session = "s1") =>
      ask("POST", "/v1/hooks/claude-code", payload, { "x-rouse-session": session });
    expect((await hook({ hook_event_name: "UserPromptSubmit", session_id: "t", prompt: "go" })).status).toBe(200);
    expect(test.says()).toBe("working");
    expect((await hook({}, "nobody")).status).toBe(404);
    for (const payload of ["", "[]", "null", "{", { hook_event_name: 7 }, { hook_event_name: "New" }])
      expect((await hook(payload)).status).toBe(200);
    expect(test.loop.find("api")?.judgingError).toBeNull();
  });
});

describe("an answer that takes long", () => {
  it("shows that it is under way before it is whole, and is as safe as any other", async () => {
    let end = (): void => {};
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(encoder.encode(" "));
        end = () => {
          controller.enqueue(encoder.encode(JSON.stringify({ name: "evil\u009b" })));
          controller.close();
        };
      },
    });
    app.get("/slow", () => new Response(stream, { headers: { "content-type": "application/json" } }));
    const reader = (await app.request("/slow")).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toEqual({ done: false, value: " " });
    end();
    expect(await reader?.read()).toEqual({ done: false, value: '{"name":"evil\\u009b"}' });
  });
});
