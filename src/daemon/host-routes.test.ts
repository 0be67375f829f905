import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agent, TestLoop, WORKING } from "../../test/support/loops.js";
import { START } from "../../test/support/steps.js";
import { BODY_MAX, makeHostRoutes } from "./host-routes.js";

let test: TestLoop;
let server: Server;

beforeEach(async () => {
  test = new TestLoop();
  const answer = makeHostRoutes(test.loop);
  server = createServer((asked, response) => {
    if (!answer(asked, response)) response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  test.close();
});

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function ask(method: string, path: string, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(`${address()}${path}`, { method, body: text });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const put = () => ask("PUT", "/v1/sessions/s1", agent());
const send = (from: number, signals: readonly unknown[]) => ask("POST", "/v1/sessions/s1/signals", { from, signals });
const timed = WORKING.map((signal) => ({ ...signal, at: START }));

describe("the two private routes of hosts", () => {
  it("accept a session, then its signals, and acknowledge up to the highest stored number", async () => {
    expect(await put()).toEqual({ status: 200, body: { acked: 0 } });
    expect(await send(1, timed)).toEqual({ status: 200, body: { acked: timed.length } });
    expect(await put()).toEqual({ status: 200, body: { acked: timed.length } });
    expect(test.view()).toMatchObject({ state: "working", unobserved: null });
  });

  it("treat a heartbeat as proof that the host is running", async () => {
    await put();
    test.run(61, "silent");
    expect(test.view()).toMatchObject({ unobserved: { reason: expect.any(String) } });
    await put();
    expect(test.view()).toMatchObject({ unobserved: null });
  });

  it("ask the host of a session with damaged history for everything again, until it begins to send it", async () => {
    await put();
    test.loop.incomplete.add("s1");
    const again = { status: 200, body: { acked: 0, resend: true } };
    expect([await put(), await put()]).toEqual([again, again]);
    const at = test.hand.wall;
    await send(1, [...timed, null]);
    expect(await put()).toMatchObject({ body: { resend: true } });
    await send(timed.length + 2, [{ kind: "gap", at, source: "observer", from: START, to: at + 1 }]);
    expect(await put()).toEqual({ status: 200, body: { acked: timed.length + 2 } });
  });

  it("keep the number of a signal that they cannot read, so that later numbers stay correct", async () => {
    await put();
    const odd = [null, 7, { kind: "of a newer rouse", at: 1 }, { kind: "exit", at: "soon" }, ...timed];
    expect(await send(1, odd)).toEqual({ status: 200, body: { acked: odd.length } });
    expect(test.says()).toBe("working");
  });

  it("refuse signals of a session that is not registered", async () => {
    expect(await send(1, timed)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("PUT it first") },
    });
  });

  it.each([
    ["PUT", "/v1/sessions/s1", "{"],
    ["PUT", "/v1/sessions/s1", ""],
    ["PUT", "/v1/sessions/s1", { id: "s1" }],
    ["PUT", "/v1/sessions/other", agent()],
    ["PUT", "/v1/sessions/%zz", agent()],
    ["POST", "/v1/sessions/s1/signals", "[]"],
    ["POST", "/v1/sessions/s1/signals", { from: 0, signals: [] }],
    ["POST", "/v1/sessions/s1/signals", { from: 1.5, signals: [] }],
    ["POST", "/v1/sessions/s1/signals", { from: "1", signals: [] }],
    ["POST", "/v1/sessions/s1/signals", { from: 1, signals: "none" }],
    ["POST", "/v1/sessions/s1/signals", { from: 1, signals: Array.from({ length: 5001 }, () => null) }],
  ])("refuse %s %s with an invalid body, and say what they expected", async (method, path, body) => {
    const answer = await ask(method, path, body);
    expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(/^the body/) } });
  });

  it.each([true, false])("refuse a body over the limit (announced: %s) and end the connection", async (isAnnounced) => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = isAnnounced ? { "content-length": BODY_MAX + 1 } : {};
      const asked = request(`${address()}/v1/sessions/s1`, { method: "PUT", headers }, (answer) => {
        expect(answer.headers.connection).toBe("close");
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on("error", reject);
      if (isAnnounced) asked.flushHeaders();
      else asked.write(Buffer.alloc(BODY_MAX + 1, " "));
    });
    expect(status).toBe(413);
  });

  it("answer 507 without a secret or a stack when the journal cannot store, with the number that was judged", async () => {
    await put();
    test.journal.close();
    vi.spyOn(console, "error").mockImplementation(() => {});
    const body = { error: expect.stringContaining("journal"), judged: timed.length };
    expect(await send(1, timed)).toEqual({ status: 507, body });
  });

  it.each([
    ["GET", "/v1/sessions/s1"],
    ["POST", "/v1/sessions/s1"],
    ["PUT", "/v1/sessions/s1/signals"],
    ["POST", "/v1/sessions/s1/signals/more"],
    ["POST", "/v1/sessions//signals"],
  ])("leave %s %s to the router", async (method, path) => {
    const answer = await fetch(`${address()}${path}`, { method });
    expect(answer.status).toBe(404);
  });
});
