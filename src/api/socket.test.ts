/** Clients of the socket: their identity, their rights, and redacted answers. `test/e2e/identity.test.ts` has real processes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agent, TestLoop } from "../../test/support/loops.js";
import { createIncidentState } from "../core/incidents/incident.js";
import { AuditedFiles } from "../daemon/audited-files.js";
import { OPERATIONS } from "./operations/index.js";
import type { Operation } from "./operations/operation.js";
import { OrderLog } from "./order-log.js";
import type { ServiceContext } from "./service/context.js";
import { openServices } from "./service/services.js";
import { addSocketRoutes } from "./socket.js";

let test: TestLoop;
let app: Hono;
let home: string;

/** The user's own file. */
const configure = (text: string): void => {
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(join(home, "config", "config.toml"), `version = 1\n${text}\n`);
};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-socket-"));
  vi.stubEnv("ROUSE_HOME", home);
  test = new TestLoop();
  test.loop.register(agent());
  const paths = { config: join(home, "config"), state: home, tokens: join(home, "tokens.json") };
  const now = (): number => test.loop.now();
  const auditedFiles = new AuditedFiles({ paths, audit: test.journal.audit, now, announce: () => {} });
  const context = {
    loop: test.loop,
    journal: test.journal,
    engine: { incidentState: createIncidentState() },
    config: { watchdog: { orchestrator_tag: "orchestrator" } },
    version: "1.0",
    orders: new OrderLog(test.journal.audit, auditedFiles, () => test.loop.now()),
    securityAlerts: { dialogAttempt: () => {} },
  } as unknown as ServiceContext;
  app = new Hono();
  addSocketRoutes(app, new Hono(), openServices(context), "/nowhere");
});
afterEach(() => {
  test.close();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

interface Answered {
  answer?: Record<string, unknown>;
  error?: { kind: string; message: string };
}

async function call(operation: string, input: object, headers: Record<string, string> = {}): Promise<Answered> {
  const body = JSON.stringify(input);
  return (await (await app.request(`/v1/call/${operation}`, { method: "POST", headers, body })).json()) as Answered;
}

const audited = () => test.journal.audit.list({ since: 0, agent: null, limit: 5000 });

const inbox = async () =>
  ((await call("messages", { tag: "ops" })).answer as { messages: { from: string; source: string }[] }).messages;
const note = { target: { tag: "ops" }, payload: { text: "x" } };

describe("a call over the socket", () => {
  it("comes from the user, from a program that gives its name, or from the watched agent that it runs in", async () => {
    await call("send_message", note);
    await call("send_message", note, { "x-rouse-client": encodeURIComponent("my 監視") });
    await call("send_message", note, { "x-rouse-session": "s1", "x-rouse-client": "liar" });
    expect((await inbox()).map(({ from }) => from)).toEqual(["user", "my 監視", "api"]);
  });

  it("cannot send a message in rouse's own name", async () => {
    // A session of an older version may have the name.
    test.loop.register(agent({ name: "rouse", id: "s2", pid: 9 }));
    await call("send_message", note, { "x-rouse-client": "rouse" });
    await call("send_message", note, { "x-rouse-client": "Rouse" });
    await call("send_message", note, { "x-rouse-session": "s2" });
    expect(await inbox()).toMatchObject([
      { from: "client rouse", source: "client" },
      { from: "client Rouse", source: "client" },
      { from: "client rouse", source: "client" },
    ]);
  });

  it.each([
    ["worker.stuck", {}, "msg_type: worker.stuck is reserved for rouse"],
    ["worker.complete", { "x-rouse-session": "s1" }, "msg_type: worker.complete is reserved for rouse"],
    ["worker.recovered", { "x-rouse-client": "bot" }, "msg_type: worker.recovered is reserved for rouse"],
    ["worker.anything", { "x-rouse-session": "s1" }, "msg_type: worker.anything is reserved for rouse"],
    ["watchdog.blind", { "x-rouse-client": "bot" }, "msg_type: watchdog.blind is reserved for rouse"],
  ])("cannot send the reserved message type %s", async (msg_type, headers, message) => {
    const sent = await call("send_message", { ...note, msg_type }, headers as Record<string, string>);
    expect(sent.error).toMatchObject({ kind: "bad", message: expect.stringContaining(message) });
    expect(await inbox()).toEqual([]);
  });

  it("has only the rights that the client did not give up", async () => {
    const headers = { "x-rouse-rights": "read,report" };
    expect(await call("agents", {}, headers)).toMatchObject({ answer: { agents: [{ name: "api" }] } });
    expect(await call("stop", { agent: "api" }, headers)).toMatchObject({ error: { kind: "right" } });
    expect(await call("allow", { agents: "all" }, { "x-rouse-rights": "" })).toMatchObject({
      error: { kind: "right" },
    });
  });

  it("from inside of an agent has the rights of the user's own file, whatever it asks for", async () => {
    const inside = { "x-rouse-session": "s1", "x-rouse-rights": "read,report,report_any,control" };
    const report = { agent: "web", state: "complete" };
    test.loop.register(agent({ name: "web", id: "s2", pid: 9 }));
    expect(await call("spawn", { command: ["x"], cwd: "/" }, inside)).toMatchObject({ error: { kind: "identity" } });
    expect(await call("report", report, inside)).toMatchObject({ error: { kind: "identity" } });
    vi.stubEnv("ROUSE_MCP_RIGHTS", "read,report,report_any,control");
    expect(await call("report", report, inside)).toMatchObject({ error: { kind: "identity" } });
    configure('[mcp]\nrights = ["read", "report", "report_any"]');
    expect(await call("report", report, inside)).toEqual({ answer: { agent: "web" } });
    expect(await call("report", report, { ...inside, "x-rouse-rights": "read,report" })).toMatchObject({
      error: { kind: "identity" },
    });
  });

  it("from inside of an agent may do only what the table of operations says, and each attempt is recorded", async () => {
    configure('[mcp]\nrights = ["read", "report", "control", "admin"]');
    test.loop.register(agent({ tags: ["worker"] }));
    test.loop.register(agent({ name: "web", id: "s2", pid: 9 }));
    const changes = Object.entries<Operation>(OPERATIONS).filter(([, { fromInside }]) => fromInside !== "allowed");
    expect(changes.length).toBeGreaterThan(15);
    for (const [name, { fromInside, example }] of changes) {
      if (fromInside === "itself") continue;
      const about = "agent" in example || fromInside !== "refused" ? { agent: "web" } : {};
      const { error } = await call(name, { ...example, ...about }, { "x-rouse-session": "s1" });
      expect([name, error]).toMatchObject([
        name,
        {
          kind: "identity",
          message: expect.stringMatching(/^refused inside of .*api.*; run the command in another terminal$/),
        },
      ]);
      expect(audited()[0]).toMatchObject({
        author: "agent api",
        origin: "socket",
        action: name.replace(/^local_/, ""),
        agent: expect.stringMatching(/^(?:api|web)$/),
        outcome: { result: "refused", reason: expect.stringContaining("refused inside of") },
      });
    }
    expect(audited()).toHaveLength(changes.filter(([, { fromInside }]) => fromInside !== "itself").length);
  });

  it("that changes something is recorded with its author, interface, arguments and outcome", async () => {
    const silence = { what: "api", for_secs: 600 };
    await call("silence", silence, { "x-rouse-origin": "cli" });
    await call("silence", { what: "nothing", for_secs: 60 }, { "x-rouse-client": "my%20tool" });
    await call("silence", silence, { "x-rouse-rights": "read" });
    await call("report", { agent: "api", state: "working" });
    await call("silences", {});
    expect(audited().reverse()).toMatchObject([
      {
        author: "user",
        origin: "cli",
        action: "silence",
        agent: "api",
        text: "what=api problem=none for_secs=600",
        outcome: { result: "done" },
      },
      { author: "user (my tool)", origin: "socket", action: "silence", agent: null, outcome: { result: "refused" } },
    ]);
  });

  it("that changes something is refused if it cannot be recorded", async () => {
    vi.spyOn(test.journal.audit, "intend").mockImplementation(() => {
      throw new Error("database or disk is full");
    });
    expect(await call("silence", { what: "api", for_secs: 600 })).toMatchObject({
      error: { kind: "refused", message: "nothing was done, because it cannot be recorded: database or disk is full" },
    });
    expect(test.loop.incidents.silences).toEqual([]);
  });

  it("about a command of the command line records its outcome once, and only for the same client", async () => {
    configure('[mcp]\nrights = ["read", "control"]');
    const headers = { "x-rouse-origin": "cli" };
    const { answer } = await call("local_stop", { agent: "api" }, headers);
    const line = Number(answer?.line);
    const outcome = (result: string, of: Record<string, string>) => call("local_outcome", { line, result }, of);
    const other = { error: { kind: "unknown" } };
    expect(await outcome("failed", {})).toMatchObject(other);
    expect(await outcome("failed", { ...headers, "x-rouse-session": "s1" })).toMatchObject(other);
    expect(await outcome("done", headers)).toEqual({ answer: { ok: true } });
    expect(await outcome("failed", headers)).toMatchObject(other);
    expect(audited()).toMatchObject([{ action: "stop", agent: "api", session: "s1", outcome: { result: "done" } }]);
  });

  it("acknowledges an inbox only as its owner", async () => {
    test.loop.register(agent({ name: "boss", id: "s2", pid: 9, tags: ["ops"] }));
    await call("send_message", note);
    const ack = (headers: Record<string, string> = {}) => call("ack_messages", { tag: "ops", up_to: 1000 }, headers);
    expect(await ack({ "x-rouse-session": "s1" })).toMatchObject({ error: { kind: "identity" } });
    expect(await inbox()).toHaveLength(1);
    expect(await ack({ "x-rouse-session": "s2" })).toEqual({ answer: { acked: 1 } });
    await call("send_message", note);
    expect(await ack({ "x-rouse-client": "bot" })).toEqual({ answer: { acked: 1 } });
    const { messages } = (await call("messages", { tag: "ops", all: true })).answer as { messages: unknown[] };
    expect(messages).toMatchObject([{ acked_by: "agent boss" }, { acked_by: "user (bot)" }]);
  });

  it("owns the orchestrator's inbox with control in the user's own file, unless it is a worker", async () => {
    configure('[mcp]\nrights = ["read", "report", "control"]\n[watchdog]\nworker_tags = ["hand"]');
    test.loop.register(agent({ name: "hand-1", id: "s2", pid: 9, tags: ["hand"] }));
    const ack = (session: string) => call("ack_messages", { up_to: 1000 }, { "x-rouse-session": session });
    expect(await ack("s1")).toEqual({ answer: { acked: 0 } });
    expect(await ack("s2")).toMatchObject({ error: { kind: "identity" } });
  });

  it("takes a report only for the agent that it runs in or names", async () => {
    const report = { state: "complete", text: "done" };
    expect(await call("report", report)).toMatchObject({ error: { kind: "unknown" } });
    expect(await call("report", report, { "x-rouse-session": "s1" })).toEqual({ answer: { agent: "api" } });
    expect(test.says()).toBe("complete");
    expect(await call("report", { agent: "nobody", ...report })).toMatchObject({ error: { kind: "unknown" } });
  });

  it("gets an answer without control bytes, also in quoted names", async () => {
    test.loop.register(agent({ name: "evil\u001b[2J\u009b", id: "s3", pid: 10, task: "\u202etask" }));
    const listed = JSON.stringify(await call("agents", {}));
    expect(listed).toContain("evil");
    const quoted = JSON.stringify(await call("status", { agent: "a\u001b[2Jb" }));
    expect(quoted).toContain("no agent named");
    for (const text of [listed, quoted]) expect(text).not.toMatch(/\\u001b|\\u009b|[\u001b\u0080-\u009f\u202e]/);
  });

  it("of an operation that does not exist is refused with 404", async () => {
    const answer = await app.request("/v1/call/nothing", { method: "POST", body: "{}" });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: "this daemon has no operation nothing" });
  });
});
