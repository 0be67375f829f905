/**
 * The library as a program uses it: the real daemon, the unchanged examples, and the judgement without Node.js.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ApiError, type ApiEvent, DaemonUnreachable, type OwnAgent, type Rouse, watch } from "rouse";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as judge from "../../examples/judge.js";
import * as orchestrator from "../../examples/orchestrator.js";
import * as ownSensor from "../../examples/own-sensor.js";
import * as subscribe from "../../examples/subscribe.js";
import { TestDaemon } from "../support/daemon.js";
import { closeHome, type Home, makeHome, until } from "../support/hosts.js";

const ROOT = join(import.meta.dirname, "..", "..");
const exec = promisify(execFile);

let home: Home;
let daemon: TestDaemon;
const open: Rouse[] = [];

beforeAll(async () => {
  home = makeHome("on");
  daemon = new TestDaemon(home);
  daemon.start();
  await daemon.judges();
});

afterAll(async () => {
  for (const rouse of open) await rouse.close();
  await daemon.kill("SIGTERM");
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

async function connect(name: string): Promise<Rouse> {
  const rouse = await watch({ home: home.path, name });
  open.push(rouse);
  return rouse;
}

/** A stream is open once it has delivered something: changes the agent's state until then. */
async function stirUntil(agent: OwnAgent, isHeard: () => boolean): Promise<void> {
  let isWorking = false;
  await until("the stream to be open", async () => {
    isWorking = !isWorking;
    if (isWorking) agent.send({ kind: "turn", source: "stream", phase: "start" });
    else agent.send({ kind: "report", source: "report", state: "error", text: "stirred" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    return isHeard();
  });
}

describe("the package", () => {
  it("is imported by its name, and finds the daemon's socket", async () => {
    const code =
      'import { watch } from "rouse"; const r = await watch(); console.log((await r.health()).ok); await r.close();';
    const { stdout } = await exec(process.execPath, ["--input-type=module", "-e", code], { cwd: ROOT, env: home.env });
    expect(stdout).toBe("true\n");
  });

  it("reports that no daemon is running", async () => {
    await expect(watch({ home: join(home.path, "nowhere") })).rejects.toThrow(DaemonUnreachable);
  });

  it("separates the judgement: rouse/core needs only the language, as in a browser or a worker", async () => {
    const script = join(ROOT, "test", "support", "bare-realm.mjs");
    const { stdout } = await exec(process.execPath, ["--experimental-vm-modules", "--no-warnings", script], {
      cwd: ROOT,
    });
    const { modules, foreign, verdicts } = JSON.parse(stdout) as {
      modules: number;
      foreign: string[];
      verdicts: string[];
    };
    expect(foreign).toEqual([]);
    expect(modules).toBeGreaterThan(50);
    expect(verdicts).toEqual(["working", "stuck"]);
  });
});

describe("the examples", () => {
  it("judge.ts judges without a daemon", () => {
    const said: string[] = [];
    judge.main((line) => said.push(line));
    expect(said).toEqual([
      expect.stringMatching(/^after 0.1 min: working/),
      expect.stringMatching(/^after 30 min: stuck/),
    ]);
  });

  it("own-sensor.ts adds its own agent, and subscribe.ts receives its events", async () => {
    const lines: string[] = [];
    const subscriber = await connect("subscriber");
    const listening = subscribe.main((line) => lines.push(line), subscriber);
    await stirUntil(subscriber.addAgent({ name: "stirred" }), () =>
      lines.some((line) => line.startsWith("stirred is ")),
    );
    const said: string[] = [];
    await ownSensor.main((line) => said.push(line), await connect("sensor"));
    expect(said).toEqual(["remote-worker is working", "remote-worker is done"]);
    await until("the news", () => lines.includes("remote-worker is complete"));
    await subscriber.close();
    await listening;
  });

  it("orchestrator.ts receives the agent's exit, and acknowledges it", async () => {
    const rouse = await connect("orchestrator");
    const said: string[] = [];
    const working = orchestrator.main((line) => said.push(line), rouse);
    await until("the message", () => said.some((line) => line.startsWith("remote-worker: finished (success)")));
    await until("the acknowledgement", async () => (await rouse.messages()).messages.length === 0);
    await rouse.close();
    await working;
  });
});

describe("a program with the library", () => {
  it("gets a message again after its channel failed, in order", async () => {
    const rouse = await connect("channel");
    for (const text of ["one", "two", "three"])
      await rouse.send({ tag: "ops", type: "note", payload: { text }, key: text });
    await rouse.send({ tag: "ops", type: "note", payload: { text: "two" }, key: "two" });
    const got: string[] = [];
    let failures = 0;
    const delivering = rouse.deliver(
      ({ payload }) => {
        const { text } = payload as { text: string };
        if (text === "two" && failures++ < 2) throw new Error("the channel is away");
        got.push(text);
      },
      { tag: "ops" },
    );
    await until("all messages", () => got.length === 3);
    expect(got).toEqual(["one", "two", "three"]);
    await until("the acknowledgements", async () => (await rouse.messages({ tag: "ops" })).messages.length === 0);
    await rouse.close();
    await delivering;
  });

  it("keeps a message that its handler cannot process as a dead letter, and continues with the next", async () => {
    const rouse = await connect("strict channel");
    for (const text of ["good", "bad", "fine"]) await rouse.send({ tag: "strict", type: "note", payload: { text } });
    const got: unknown[] = [];
    const errors: string[] = [];
    const delivering = rouse.deliver(
      ({ payload }) => {
        const { text } = payload as { text: string };
        if (text === "bad") throw new Error("cannot take this");
        got.push(text);
      },
      { tag: "strict", attempts: 2, backoffMs: 10, onError: (error) => errors.push((error as Error).message) },
    );
    await until("the next message", () => got.length === 2);
    expect({ got, errors }).toEqual({ got: ["good", "fine"], errors: ["cannot take this", "cannot take this"] });
    const [letter, ...others] = await rouse.deadLetters("strict");
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ tag: "strict", payload: { text: "bad" }, error: "cannot take this", attempts: 2 });
    await rouse.ack(letter?.dead_cursor ?? 0, "strict.dead");
    expect(await rouse.deadLetters("strict")).toEqual([]);
    await rouse.close();
    await delivering;
  });

  it("starts an agent once per request, finds it at once, asks for its activity and stops it", async () => {
    const rouse = await connect("starter");
    const order = { command: ["sleep", "600"], cwd: home.path, name: "sleeper", tags: ["worker"], request_id: "s1" };
    const [started, again] = await Promise.all([rouse.spawn(order), rouse.spawn(order)]);
    expect(again).toEqual(started);
    expect(await rouse.status(started.agent)).toMatchObject({ name: "sleeper", origin: "spawn", tags: ["worker"] });
    expect(await rouse.getActivity("sleeper")).toEqual({
      agent: "sleeper",
      session: started.session,
      known: false,
      is_active: false,
      confidence: 0,
      last_activity: null,
      inactivity_minutes: null,
      signals: [],
      validation_passed: false,
      reasons: [expect.stringContaining("unknown")],
      lookback_minutes: 60,
      usual_pause_minutes: null,
      guard: { send: false, may_ask: true, reason: expect.stringContaining("unknown") },
    });
    expect(await rouse.recover("sleeper", { dry_run: true })).toMatchObject({ agent: "sleeper", dry_run: true });
    expect((await rouse.allow({ agents: ["sleeper"] })).agents).toContainEqual(
      expect.objectContaining({ agent: "sleeper", allowed: true, by: "name" }),
    );
    expect((await rouse.silence({ what: "sleeper", for_secs: 60 })).silences).toHaveLength(1);
    expect((await rouse.silence({ what: "sleeper", for_secs: null })).silences).toEqual([]);
    expect(await rouse.stop("sleeper")).toMatchObject({ result: "done", proven: true });
    await until("the end", async () => (await rouse.status(started.session)).ended_at !== null);
  });

  it.each([
    [{ command: ["no-such-program"], cwd: "/" }, 'command: "no-such-program" was not found'],
    [{ command: ["sleep", "1"], cwd: "nowhere" }, "expected the absolute path of a folder"],
    [{ command: ["sleep", "1"], cwd: "/", kind: "codexx" }, 'kind: unknown kind "codexx"'],
    [{ command: ["sleep", "1"], cwd: "/", policy: "none" }, 'policy: unknown policy "none"'],
    [{ command: [], cwd: "/" }, "command: [] is not accepted"],
  ])("starts nothing by an invalid request: %j", async (order, text) => {
    const rouse = await connect("wrong starter");
    const problem = await rouse.spawn(order).catch((error: unknown) => error as ApiError);
    expect(problem).toBeInstanceOf(ApiError);
    expect(problem).toMatchObject({ kind: "bad", status: 400, message: expect.stringContaining(text) });
  });

  it("receives events again after the daemon was killed and restarted, and learns that it missed some", async () => {
    const rouse = await connect("listener");
    const events: ApiEvent[] = [];
    let missed = 0;
    const listen = async (): Promise<void> => {
      for await (const event of rouse.events({ agent: "phoenix", missed: () => missed++ })) events.push(event);
    };
    const listening = listen();
    const agent = rouse.addAgent({ name: "phoenix" });
    await stirUntil(agent, () => events.length > 0);
    await daemon.kill();
    daemon.start();
    await daemon.judges();
    await until("the notice", () => missed > 0);
    const before = events.length;
    await stirUntil(agent, () => events.length > before);
    await agent.end(1);
    await rouse.close();
    await listening;
  });

  it("cannot add an agent whose data exceeds the limits", async () => {
    const rouse = await connect("teller");
    expect(() => rouse.addAgent({ name: "api", task: "x".repeat(5000) })).toThrow("a task has at most 4000 characters");
  });

  it("gets an explanation of an invalid request", async () => {
    const rouse = await connect("wrong");
    await expect(rouse.status("nobody")).rejects.toThrow(ApiError);
    await expect(rouse.status("nobody")).rejects.toThrow(/no agent named "nobody"/);
    await expect(rouse.readPane("remote-worker")).rejects.toThrow(/ended|no terminal/);
    await expect(rouse.send({ tag: "x", type: "watchdog.blind", payload: {} })).rejects.toThrow(/reserved for rouse/);
  });
});
