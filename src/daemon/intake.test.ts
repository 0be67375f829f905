import type { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, TestLoop } from "../../test/support/loops.js";
import { loadReaders } from "../programs/registry.js";
import { Hooks } from "./intake/hooks.js";
import { makeIntake } from "./intake.js";

let test: TestLoop;
let app: Hono;

beforeEach(async () => {
  test = new TestLoop();
  app = makeIntake(new Hooks(test.loop, { zone: "UTC", marker: "" }, await loadReaders()));
});
afterEach(() => test.close());

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await app.request(path, { method, headers, ...(body === undefined ? {} : { body: text }) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe("the intake of hooks", () => {
  it("accepts a hook of an agent that it watches, and any payload without failing", async () => {
    test.loop.register(agent());
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
