import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, WORKING } from "../../test/support/loops.js";
import { NotifyingLoop, ROUTE } from "../../test/support/notifier.js";
import { screen } from "../../test/support/steps.js";

let test: NotifyingLoop;
beforeEach(() => {
  test = new NotifyingLoop();
});
afterEach(() => {
  expect(test.journal.stats()).toMatchObject({ failures: 0, lastError: null });
  test.close();
});

const dialog = (question: string) => screen({ composer: "hidden", dialog: { prompt: "permission", question } });
const HOUR = 3600;

async function asks(name = "api", question = "Run npm test?"): Promise<void> {
  const session = `s-${name}`;
  test.loop.register(agent({ id: session, name, hostSocket: "/x" }));
  await test.send(session, WORKING);
  test.run(1);
  await test.send(session, [dialog(question)]);
}

async function worksAgain(name = "api"): Promise<void> {
  for (let n = 0; n < 60; n++) {
    const more = screen({ busy: true, moving: true, replying: true, reply: `${name} ${n}`, tokens: n });
    await test.send(`s-${name}`, [more]);
    await test.wait(1);
  }
  await test.send(`s-${name}`, [
    { kind: "message", source: "transcript", role: "assistant", digest: name, closing: "result", preview: "done" },
    { kind: "status", source: "title", status: "idle" },
    screen({ busy: false, reply: "end" }),
  ]);
}

describe("an alert", () => {
  it("names the agent, problem, reason, start, actions taken and suggested commands", async () => {
    await asks();
    await test.wait(30);
    expect(test.alertTitles).toEqual(["opened agent api is waiting for your answer"]);
    expect(test.arrived[0]).toMatchObject({ severity: "critical", kind: "watchdog", agents: ["api"] });
    const id = test.loop.incidents.incidents[0]?.id;
    expect(test.arrived[0]?.lines).toEqual([
      "api (claude-code)",
      "question: Run npm test?",
      expect.stringMatching(/^why: A permission prompt has been open for \d+ s \(screen\)$/),
      expect.stringMatching(/^since 09:00 \(1\d s\)$/),
      "needs you: answer its prompt",
      `you can: answer it (rouse go api) · see why (rouse why api) · acknowledge it (rouse ack ${id?.slice(0, 8)})`,
    ]);
  });

  it("is sent once per incident, and once more when it closes", async () => {
    await asks();
    await test.wait(600);
    await worksAgain();
    await test.wait(600);
    expect(test.alertTitles).toEqual(["opened agent api is waiting for your answer", "resolved agent api recovered"]);
    expect(new Set(test.arrived.map(({ key }) => key)).size).toBe(2);
    expect(new Set(test.arrived.map(({ subject }) => subject)).size).toBe(1);
  });

  it("is sent once per incident if its agent is renamed, and its end uses the new name", async () => {
    test.rules = { reminder: { everyMs: 600_000, max: 3 } };
    test.join();
    await asks();
    await test.wait(60);
    test.loop.register(agent({ id: "s-api", name: "web", hostSocket: "/x" }));
    await test.wait(60);
    await worksAgain("api");
    await test.wait(3600);
    expect(test.alertTitles).toEqual(["opened agent api is waiting for your answer", "resolved agent web recovered"]);
    expect(test.reported.slice(0, 2)).toEqual(["worker.needs_input api", "worker.recovered web"]);
    expect(test.loop.incidents.incidents).toMatchObject([{ agent: "web", phase: "recovered" }]);
  });

  it("is sent once, and its record is retried at intervals, while the outbox can be read but not written", async () => {
    const { outbox } = test.journal;
    const [settle, next] = [outbox.settle.bind(outbox), outbox.next.bind(outbox)];
    let asked = 0;
    outbox.next = (...args) => {
      if (++asked > 1000) throw new Error("asked without end");
      return next(...args);
    };
    outbox.settle = () => {
      throw new Error("the disk is full");
    };
    await asks();
    await test.wait(60);
    outbox.settle = settle;
    await test.wait(30);
    expect(test.alertTitles).toEqual(["opened agent api is waiting for your answer"]);
    expect(outbox.unsettled(5)).toEqual([]);
    expect(asked).toBeLessThan(300);
  });

  it.each(["sent", "pending"])(
    "is sent while nothing can be stored, and stored as %s once there is room: it is sent once, also after a restart",
    async (state) => {
      const { incidentState, messages, outbox } = test.journal;
      const full = (): never => {
        throw new Error("the disk is full");
      };
      const room = { messages: messages.inOne.bind(messages), outbox: outbox.inOne.bind(outbox) };
      test.store = { load: () => incidentState.load(), save: full };
      messages.inOne = outbox.inOne = full;
      if (state === "pending") test.answer = () => ({ result: "retry", reason: "down" });
      await asks();
      await test.wait(30);
      expect(test.arrived).toHaveLength(state === "sent" ? 1 : 0);
      expect(outbox.list(5)).toEqual([]);
      test.store = null;
      messages.inOne = room.messages;
      outbox.inOne = room.outbox;
      await test.wait(40);
      expect(outbox.list(5).map((stored) => stored.state)).toEqual([state]);
      expect(test.reported).toEqual(["worker.needs_input api"]);
      test.answer = () => ({ result: "sent" });
      test.restart();
      await test.wait(900);
      expect(test.alertTitles).toEqual(["opened agent api is waiting for your answer"]);
    },
  );

  it("is not sent for a problem that ended before it had to be reported", async () => {
    test.rules = { groupWaitMs: 60_000 };
    test.join();
    await asks();
    await test.wait(20);
    await worksAgain();
    await test.wait(120);
    expect(test.alertTitles).toEqual([]);
  });

  it("groups many simultaneous problems into one, and their ends into another", async () => {
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) await asks(name);
    await test.wait(60);
    expect(test.alertTitles).toEqual(["opened 7 agents need attention"]);
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) await worksAgain(name);
    await test.wait(60);
    expect(test.alertTitles).toEqual(["opened 7 agents need attention", "resolved 7 agents: resolved"]);
  });

  it("is sent once for an outage, however many agents follow", async () => {
    const limited = async (name: string): Promise<void> => {
      test.loop.register(agent({ id: `s-${name}`, name }));
      await test.send(`s-${name}`, [
        ...WORKING,
        { kind: "limit", source: "transcript", level: "hit", text: "limit" },
        { kind: "status", source: "title", status: "idle" },
      ]);
    };
    for (const name of ["a", "b", "c"]) await limited(name);
    await test.wait(16 * 60);
    await limited("d");
    await test.wait(30 * 60);
    expect(test.alertTitles).toEqual(["opened 3 agents have hit the same usage limit (claude-code)"]);
  });

  it("is routed by severity, and to the fallback if no route matches", async () => {
    test.rules = {
      routes: [
        { ...ROUTE, agents: ["other"] },
        { ...ROUTE, channel: "phone", severity: "critical", tags: ["night"] },
      ],
      fallback: "phone",
    };
    test.join();
    await asks();
    await test.wait(30);
    expect(test.journal.outbox.list(10).map(({ channel, state }) => `${channel} ${state}`)).toEqual(["phone sent"]);
  });

  it("is repeated as often as configured, until the user acknowledges it", async () => {
    test.rules = { reminder: { everyMs: 600_000, max: 2 } };
    test.join();
    await asks("api");
    await asks("web");
    await test.wait(5 * 60);
    const web = test.loop.incidents.incidents.find((incident) => incident.agent === "web")?.id as string;
    test.loop.apply({ kind: "acked", at: test.loop.now(), incident: web });
    await test.wait(2 * HOUR);
    expect(test.alertTitles.filter((title) => title.startsWith("reminder"))).toEqual([
      "reminder reminder: agent api is waiting for your answer",
      "reminder reminder: agent api is waiting for your answer",
    ]);
  });

  it("is held in quiet hours and sent once after them, with its end if it ended", async () => {
    const midnight = Date.parse("2026-03-02T00:00:00Z");
    const minuteOfDay = (at: number): number => Math.floor((at - midnight) / 60_000) % 1440;
    test.rules = { quiet: { from: 8 * 60, to: 10 * 60, passes: null, minuteOfDay } };
    test.join();
    await asks("api");
    await asks("web");
    await test.wait(30);
    await worksAgain("web");
    await test.wait(50 * 60);
    expect(test.alertTitles).toEqual([]);
    await test.wait(15 * 60);
    expect(test.alertTitles.sort()).toEqual([
      "opened agent api is waiting for your answer",
      "resolved agent web recovered",
    ]);
  });

  it("ignores quiet hours if it is severe enough", async () => {
    test.rules = { quiet: { from: 0, to: 1439, passes: "critical", minuteOfDay: () => 60 } };
    test.join();
    await asks();
    await test.wait(30);
    expect(test.alertTitles).toEqual(["opened agent api is waiting for your answer"]);
  });
});

describe("a receiver that is down", () => {
  it("for two hours gets one alert per incident after it", async () => {
    let isDown = true;
    test.answer = () => (isDown ? { result: "retry", reason: "503" } : { result: "sent" });
    test.rules = { reminder: { everyMs: 600_000, max: 5 } };
    test.join();
    await asks("api");
    await asks("web");
    await test.wait(HOUR);
    test.restart();
    await worksAgain("web");
    await test.wait(HOUR);
    expect(test.alertTitles).toEqual([]);
    isDown = false;
    await test.wait(15 * 60);
    expect(test.arrived.map(({ agents }) => agents[0]).sort()).toEqual(["api", "web"]);
  });

  it("is not called before the time that it asks to wait", async () => {
    const asked: number[] = [];
    test.answer = () => {
      asked.push(test.loop.now());
      return asked.length < 3 ? { result: "retry", reason: "429", afterMs: 120_000 } : { result: "sent" };
    };
    await asks();
    await test.wait(600);
    expect(asked).toHaveLength(3);
    expect((asked[1] as number) - (asked[0] as number)).toBeGreaterThanOrEqual(120_000);
  });

  it("for longer than a day leaves dead alerts, which are counted and can be retried", async () => {
    test.answer = () => ({ result: "retry", reason: "ops cannot be reached: ECONNREFUSED" });
    await asks();
    for (let n = 0; n < 26 * 60; n++) {
      test.hand.pass(60_000);
      for (const { session } of test.loop.sessions()) test.loop.recordLiveness(session.id, "host");
      test.alertSender.pump();
      if (n === 0) await test.wait(30);
      await new Promise(setImmediate);
    }
    expect(test.journal.outbox.count("dead")).toBe(1);
    expect(test.journal.outbox.unsettled(5)[0]).toMatchObject({
      state: "dead",
      error: expect.stringContaining("ECONN"),
    });
    test.answer = () => ({ result: "sent" });
    expect(test.journal.outbox.revive(test.loop.now())).toBe(1);
    test.alertSender.pump();
    await new Promise(setImmediate);
    expect(test.arrived).toHaveLength(1);
  });

  it("that refuses permanently is not called again", async () => {
    let asked = 0;
    test.answer = () => {
      asked++;
      return { result: "refused", reason: "it rejected the alert (400)" };
    };
    await asks();
    await test.wait(600);
    expect(asked).toBe(1);
    expect(test.journal.outbox.count("dead")).toBe(1);
  });

  it("gets no alert about a problem that was acknowledged meanwhile", async () => {
    let isDown = true;
    test.answer = () => (isDown ? { result: "retry", reason: "503" } : { result: "sent" });
    await asks();
    await test.wait(60);
    test.loop.apply({ kind: "acked", at: test.loop.now(), incident: test.loop.incidents.incidents[0]?.id as string });
    isDown = false;
    await test.wait(600);
    expect(test.alertTitles).toEqual([]);
    expect(test.journal.outbox.count("dropped")).toBe(1);
  });
});
