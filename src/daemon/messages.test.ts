import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, HOUR_MS, WORKING } from "../../test/support/loops.js";
import { NotifyingLoop } from "../../test/support/notifier.js";
import { screen } from "../../test/support/steps.js";
import { checkOf, stuckSinceIn } from "./views/check.js";

let test: NotifyingLoop;
beforeEach(() => {
  test = new NotifyingLoop();
});
afterEach(() => test.close());

const process = (receivedBytes: number) =>
  ({ kind: "process", source: "process", alive: true, children: 0, cpuMs: 100, sockets: 1, receivedBytes }) as const;
const dialog = (question: string) =>
  screen({ composer: "hidden", dialog: { prompt: "permission", question }, tail: ["one", "two"] });
const idle = { kind: "status", source: "title", status: "idle" } as const;

async function works(name = "s1"): Promise<void> {
  await test.send(name, [...WORKING, process(100)]);
  test.run(1);
}

describe("a message to an orchestrator", () => {
  it("reports a hang once when it is confirmed, with suggested actions", async () => {
    test.loop.register(agent({ tags: ["worker"], hostSocket: "/x" }));
    await works();
    await test.send("s1", [process(9000)]);
    test.run(600);
    expect(test.reported).toEqual(["worker.stuck api"]);
    expect(test.payload(0)).toMatchObject({
      worker_id: "s1",
      worker_name: "api",
      cause: "silent_stream",
      incident_id: test.loop.incidents.incidents[0]?.id,
      suggested_actions: expect.arrayContaining([
        {
          what: "run rouse's recovery now",
          tool: "recover_agent",
          arguments: { pane_id: "s1" },
          command: ["rouse", "recover", "api"],
        },
      ]),
    });
  });

  it("does not report a stall while other sources show activity since it began, and check agrees", async () => {
    test.loop.register(agent({ tags: ["worker"], hostSocket: "/x" }));
    await works();
    await test.send("s1", [process(9000)]);
    const isActive = (): boolean | undefined => {
      const options = () => ({ warning_hours: 2, critical_hours: 6, auto_resume_hours: 12, activityCheck: true });
      const { loop } = test;
      return checkOf(loop.sessions(), loop.now(), options, stuckSinceIn(loop.incidents))[0]?.activity?.is_active;
    };
    for (let n = 0; n < 6; n++) {
      test.run(60);
      await test.send("s1", [{ kind: "commit", source: "workspace", id: `c${n}` }]);
    }
    expect(test.says()).toBe("stuck/silent_stream");
    expect([test.reported, isActive()]).toEqual([[], true]);
  });

  it("reports a stall while a server in the folder of the agent writes files, and check calls the agent inactive", async () => {
    test.loop.register(agent({ tags: ["worker"], hostSocket: "/x" }));
    await test.send("s1", [
      ...WORKING,
      { kind: "delta", source: "transcript", channel: "content", chars: 40 },
      process(100),
    ]);
    test.run(1);
    for (let n = 0; n < 6; n++) {
      test.run(60);
      const log = { kind: "file", source: "workspace", path: "server.log", role: "workspace" } as const;
      await test.send("s1", [{ ...log, digest: `d${n}` }]);
    }
    const { loop } = test;
    const options = () => ({ warning_hours: 2, critical_hours: 6, auto_resume_hours: 12, activityCheck: true });
    const [checked] = checkOf(loop.sessions(), loop.now(), options, stuckSinceIn(loop.incidents));
    expect([test.reported, checked?.activity?.is_active]).toEqual([["worker.stuck api"], false]);
  });

  it("reports a stall of an agent that was active before it began, and check calls it inactive", async () => {
    test.loop.register(agent({ tags: ["worker"], hostSocket: "/x" }));
    await works();
    await test.send("s1", [process(9000), { kind: "commit", source: "workspace", id: "c1" }]);
    await test.send("s1", [{ kind: "commit", source: "workspace", id: "c2" }]);
    test.run(600);
    const { loop } = test;
    const options = () => ({ warning_hours: 2, critical_hours: 6, auto_resume_hours: 12, activityCheck: true });
    const [checked] = checkOf(loop.sessions(), loop.now(), options, stuckSinceIn(loop.incidents));
    expect(test.reported).toEqual(["worker.stuck api"]);
    expect(checked?.activity).toMatchObject({ is_active: false, last_activity: expect.any(String) });
  });

  it("measures a silence from the last activity, not from the first suspicion", async () => {
    test.loop.register(agent({ tags: ["worker"] }));
    await works();
    await test.send("s1", [process(9000)]);
    test.run(600);
    const { duration_secs, intervals_stuck, last_activity } = test.payload(0);
    const silent = ((test.messages[0]?.at ?? 0) - Date.parse(String(last_activity))) / 1000;
    expect([duration_secs, intervals_stuck]).toEqual([silent, Math.floor(silent / 30)]);
    expect(silent).toBeGreaterThan(150);
  });

  it("does not count unobserved time as silence", async () => {
    test.loop.register(agent({ tags: ["worker"] }));
    await works();
    await test.send("s1", [process(9000)]);
    test.run(60);
    test.hand.sleep(HOUR_MS);
    test.run(600);
    expect(test.reported).toEqual(["worker.stuck api"]);
    expect(Number(test.payload(0).duration_secs)).toBeLessThan(600);
  });

  it("says that only the user can act after a crash without permission, since no escalation follows", async () => {
    test.loop.register(agent());
    await works();
    await test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
    test.run(60);
    expect(test.reported).toEqual(["worker.error api"]);
    expect(test.payload(0)).toMatchObject({ cause: "crash", move: "you" });
  });

  it("contains the question of a dialog, and the next question of the same dialog", async () => {
    test.loop.register(agent());
    await works();
    await test.send("s1", [dialog("Run rm -rf build with TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345?")]);
    test.run(10);
    await test.send("s1", [dialog("Edit src/main.ts?")]);
    test.run(60);
    expect(test.reported).toEqual(["worker.needs_input api", "worker.needs_input api"]);
    expect(test.payload(0).prompt_type).toBe("permission");
    expect(test.payload(0).prompt_preview).toMatch(/^Run rm -rf build with TOKEN=\*+/);
    expect(test.payload(1).prompt_preview).toBe("Edit src/main.ts?");
  });

  it("is sent once for a question that a hook and the screen word differently", async () => {
    test.loop.register(agent());
    await works();
    await test.send("s1", [{ kind: "prompt", source: "hook", open: true, prompt: "permission", question: "Bash" }]);
    test.run(5);
    await test.send("s1", [dialog("Do you want to run it?")]);
    test.run(5);
    await test.send("s1", [dialog("Do you want to run the other?")]);
    test.run(5);
    expect(test.messages.map(({ payload }) => (payload as { prompt_preview: string }).prompt_preview)).toEqual([
      "Bash",
      "Do you want to run the other?",
    ]);
  });

  it("reports the recovery, and that it is proven", async () => {
    test.loop.register(agent());
    await works();
    await test.send("s1", [dialog("Go on?")]);
    test.run(10);
    for (let n = 0; n < 60; n++) {
      await test.send("s1", [screen({ busy: true, moving: true, replying: true, reply: `words ${n}`, tokens: n })]);
      test.run(1);
    }
    expect(test.reported).toEqual(["worker.needs_input api", "worker.recovered api"]);
    expect(test.payload(1)).toMatchObject({ was: "worker.needs_input", proven: true });
  });

  it.each([
    ["sent about every agent if no workers are configured", false, [], "open"],
    ["sent about a worker if workers are configured", true, ["worker"], "open"],
    ["not sent about another agent if workers are configured", true, [], "none"],
  ])("is %s; alerts to users are sent for all agents", async (_, isOnly, tags, expected) => {
    test.isOnlyWorkers = isOnly;
    test.join();
    test.loop.register(agent({ tags }));
    await works();
    await test.send("s1", [dialog("Go on?")]);
    await test.wait(30);
    expect([test.reported.length, test.arrived.length]).toEqual([expected === "open" ? 1 : 0, 1]);
  });

  it("about an incident is sent once, even if a restart loses state", async () => {
    test.loop.register(agent());
    await works();
    await test.send("s1", [dialog("Go on?")]);
    test.run(10);
    test.journal.messages.ack("orchestrator", 99, 1, "user");
    test.restart();
    test.run(30);
    expect(test.reported).toEqual(["worker.needs_input api"]);
    test.journal.messages.forget([...test.journal.messages.sentEdges().keys()]);
    test.restart();
    test.run(30);
    expect(test.messages.filter(({ ackedAt }) => ackedAt === null)).toEqual([]);
    expect(test.journal.messages.sentEdges().size).toBe(1);
  });

  it("about a limit is sent after the policy's patience", async () => {
    test.loop.register(agent());
    await works();
    await test.send("s1", [{ kind: "limit", source: "transcript", level: "hit", text: "limit reached" }, idle]);
    test.run(14 * 60);
    expect(test.reported).toEqual([]);
    test.run(2 * 60);
    expect(test.reported).toEqual(["worker.stuck api"]);
    expect(test.payload(0)).toMatchObject({ cause: "rate_limited" });
  });

  it("about an error contains its text and the last lines, without secrets", async () => {
    test.loop.register(agent());
    await works();
    const text = "401 invalid x-api-key: sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz-ABCDEF";
    await test.send("s1", [
      { kind: "error", source: "transcript", cause: "auth", final: true, digest: "d", text },
      screen({ tail: ["a", "b", "c", "d", "e", text] }),
      idle,
    ]);
    test.run(10);
    expect(test.reported).toEqual(["worker.error api"]);
    expect(test.payload(0).error_context).toMatch(/^401 invalid/);
    expect(test.payload(0).output_tail).toHaveLength(5);
    expect(JSON.stringify(test.messages)).not.toContain("sk-ant-api03");
  });

  it("about the orchestrator itself is not sent", async () => {
    test.loop.register(agent({ tags: ["orchestrator"] }));
    await works();
    await test.send("s1", [dialog("Go on?")]);
    test.run(60);
    expect(test.reported).toEqual([]);
  });

  it("about an agent that a timer wakes is not sent, because that agent watches others", async () => {
    test.loop.register(agent());
    test.woken.add("s1");
    await works();
    await test.send("s1", [dialog("Go on?")]);
    test.run(60);
    expect(test.reported).toEqual([]);
  });

  it("is not sent while the agent is silenced", async () => {
    test.loop.register(agent());
    await works();
    const silence = { agent: "api", problem: null, at: test.loop.now(), until: test.loop.now() + 60_000 };
    test.loop.apply({ kind: "silenced", silence });
    await test.send("s1", [dialog("Go on?")]);
    test.run(50);
    expect(test.reported).toEqual([]);
    test.run(30);
    expect(test.reported).toEqual(["worker.needs_input api"]);
  });

  it("reports once that an agent cannot be judged, and ends that with the agent", async () => {
    test.loop.register(agent());
    await works();
    const hostile = { kind: "screen", source: "screen" } as unknown as Parameters<typeof test.send>[1][number];
    await test.send("s1", [hostile]);
    test.run(300);
    expect(test.reported).toEqual(["watchdog.blind api"]);
    expect(test.payload(0).reason).toContain("judging this session failed");
    test.loop.register(agent({ endedAt: test.loop.now() }));
    test.run(20);
    expect(test.loop.incidents.incidents.map(({ problem, phase }) => [problem, phase])).toEqual([
      ["unknown", "closed"],
    ]);
  });

  it("ends the incident of an agent that is not watched any more, and does not open it again", async () => {
    test.loop.register(agent());
    await test.send("s1", [...WORKING, dialog("May I?")]);
    test.run(60);
    test.loop.register(agent({ endedAt: test.loop.now() }));
    test.loop.apply({ kind: "forgotten", at: test.loop.now(), agent: "api" });
    await test.send("s1", [dialog("May I?")]);
    test.run(300);
    expect(test.loop.incidents.incidents.map(({ phase }) => phase)).toEqual(["closed"]);
    expect(test.reported).toEqual(["worker.needs_input api", "worker.recovered api"]);
  });

  it("is not sent for an agent with judging turned off, but for another agent", async () => {
    for (const [name, isJudging] of [
      ["off", false],
      ["on", true],
    ] as const) {
      test.loop.register(agent({ id: name, name }));
      const judge = test.loop.find(name);
      if (judge) judge.settings = { ...judge.settings, isJudging };
      await test.send(name, [...WORKING, dialog("May I?")]);
    }
    test.run(300);
    expect(test.reported).toEqual(["worker.needs_input on"]);
    expect(test.loop.incidents.incidents.map((incident) => incident.agent)).toEqual(["on"]);
    expect(test.arrived.length).toBeGreaterThan(0);
    expect(JSON.stringify(test.arrived)).not.toContain('"off"');
  });

  it("reports once that rouse cannot see an agent", async () => {
    test.loop.register(agent());
    await works();
    test.run(300, "silent");
    expect(test.reported).toEqual(["watchdog.blind api"]);
  });

  it("reports that the user must act after an attempt failed", async () => {
    test.can = ["nudge", "interrupt"];
    test.loop.register(agent());
    await works();
    await test.send("s1", [process(9000)]);
    for (let n = 0; n < 3600 && !test.reported.includes("worker.escalated api"); n++) {
      test.run(1);
      await new Promise(setImmediate);
    }
    expect(test.reported).toEqual(["worker.stuck api", "worker.escalated api"]);
    expect(test.payload(1).done).toContain("interrupt: done");
  });
});

describe("a finished turn", () => {
  const finish = async (text = "all done", marker = false, seconds = 20): Promise<void> => {
    const last = { digest: text, closing: "result", preview: text, marker } as const;
    await test.send("s1", [
      { kind: "turn", source: "transcript", phase: "start", byUser: true },
      ...WORKING,
      { kind: "message", source: "transcript", role: "assistant", ...last },
      { kind: "turn", source: "transcript", phase: "end" },
      idle,
      screen({ busy: false }),
    ]);
    test.run(seconds);
  };

  it("of a spawned agent is reported once each", async () => {
    test.loop.register(agent());
    await finish("one");
    await finish("two");
    test.restart();
    test.run(20);
    expect(test.reported).toEqual(["worker.complete api", "worker.complete api"]);
    expect(test.payload(1)).toMatchObject({ outcome: "unknown", completion_message: "two", incident_id: null });
  });

  it("that a client follows with its next prompt at once is still reported", async () => {
    const prompt = { kind: "input", source: "human", by: "client", bytes: 9, submits: true } as const;
    test.loop.register(agent());
    await test.send("s1", [screen({ busy: false }), prompt]);
    await finish("one", false, 1);
    expect(test.reported).toEqual([]);
    await test.send("s1", [prompt]);
    expect(test.reported).toEqual(["worker.complete api"]);
    expect(test.payload(0).completion_message).toBe("one");
    await finish("two");
    expect(test.reported).toEqual(["worker.complete api", "worker.complete api"]);
  });

  it("that owes the completion marker is reported when the marker appears, and as stuck if it never does", async () => {
    const asks = { kind: "message", source: "transcript", role: "user", digest: "do", marker: true } as const;
    test.loop.register(agent());
    await test.send("s1", [asks]);
    await finish("half");
    expect(test.reported).toEqual([]);
    await finish("all", true);
    expect(test.reported).toEqual(["worker.complete api"]);
    await test.send("s1", [asks]);
    await finish("half again");
    test.run(20 * 60);
    expect(test.reported.slice(1)).toEqual(["worker.stuck api"]);
    expect(test.payload(1).cause).toBe("no_completion_signal");
    await test.send("s1", [{ kind: "exit", source: "process", code: 0, signal: null }]);
    test.run(20);
    expect(test.messages.filter(({ type }) => type === "worker.complete")).toMatchObject([
      { payload: { outcome: "success" } },
    ]);
  });

  it("of a user's own session is reported only if it has a task", async () => {
    test.loop.register(agent({ origin: "run" }));
    await test.send("s1", [{ kind: "input", source: "human", by: "human", bytes: 5, submits: true }]);
    await finish();
    expect(test.reported).toEqual([]);
    test.loop.register(agent({ origin: "run", task: "FEAT-1" }));
    await finish("again");
    expect(test.reported).toEqual(["worker.complete api"]);
    expect(test.payload(0).task).toBe("FEAT-1");
  });

  it("that the agent reports itself is a success with the agent's text", async () => {
    test.loop.register(agent({ origin: "run" }));
    await finish();
    await test.send("s1", [{ kind: "report", source: "report", state: "complete", text: "tests pass" }]);
    test.run(5);
    expect(test.payload(0)).toMatchObject({ outcome: "success", completion_message: "tests pass" });
  });
});

describe("a day without problems", () => {
  it("sends no message", async () => {
    test.loop.register(agent({ tags: ["worker"], origin: "tmux", kind: "claude-code" }));
    test.loop.register(agent({ id: "s2", name: "human", origin: "run" }));
    const step = async (seconds: number): Promise<void> => {
      for (let left = seconds; left > 0; left -= 5) {
        test.hand.pass(5000);
        for (const { session } of test.loop.sessions()) {
          test.loop.recordLiveness(session.id, "host");
          test.loop.recordLiveness(session.id, "pane");
        }
        test.loop.tick();
      }
    };
    const typed = { kind: "input", source: "human", by: "human", bytes: 5, submits: true } as const;
    for (let hour = 0; hour < 24; hour++) {
      for (const session of ["s1", "s2"]) {
        await test.send(session, [typed, { kind: "turn", source: "transcript", phase: "start", byUser: true }]);
        await test.send(session, WORKING);
      }
      for (let n = 0; n < 60; n++) {
        for (const session of ["s1", "s2"])
          await test.send(session, [
            screen({ busy: true, moving: true, replying: true, reply: `${hour} ${n}`, tokens: hour * 100 + n }),
            { kind: "file", source: "workspace", path: `f${n}`, digest: `${hour}.${n}` },
          ]);
        await step(30);
      }
      for (const session of ["s1", "s2"])
        await test.send(session, [
          {
            kind: "message",
            source: "transcript",
            role: "assistant",
            digest: `${hour}`,
            closing: "result",
            preview: "ok",
          },
          { kind: "turn", source: "transcript", phase: "end" },
          idle,
          screen({ busy: false, reply: `end ${hour}` }),
        ]);
      await step(1800);
    }
    expect(test.loop.incidents.incidents).toEqual([]);
    expect(test.reported).toEqual([]);
    expect(test.arrived).toEqual([]);
  }, 600_000);
});
