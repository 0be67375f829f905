/**
 * From a problem to its recovery and to decisions of the user: real agents in real terminals, the real daemon and
 * CLI.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WhyAnswer } from "../../src/api/service/agents.js";
import type { PermissionsView } from "../../src/api/service/permissions.js";
import type { SilencesView } from "../../src/api/service/silences.js";
import { rousePaths } from "../../src/config/paths.js";
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import type { RecoveryView } from "../../src/daemon/views/recovery-view.js";
import { listSessions } from "../../src/terminal/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { type FakeScript, placeOf, reaches, receivedBy, spawnFake, typeInto, viewOf } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const FULL = process.env.ROUSE_FULL === "1";
const TIMEOUT_MS = 180_000;

let home: Home;
let daemon: TestDaemon;

/** `default` without its waits. */
const QUICK = `
agents = ["auto"]
confirm_seconds = 0
[plans]
api = [{ do = "nudge", when = { level = "report" }, limit = 1 }]
`;

/** Interrupts an agent over its budget. */
const THRIFTY = `
agents = ["spender"]
[plans]
over_budget = [{ do = "interrupt" }]
`;

beforeAll(async () => {
  home = makeHome("on");
  home.env.CLAUDE_CONFIG_DIR = join(home.path, ".claude");
  const policies = join(rousePaths(home.env).config, "policies");
  mkdirSync(policies, { recursive: true });
  writeFileSync(join(policies, "quick.toml"), QUICK);
  writeFileSync(join(policies, "thrifty.toml"), THRIFTY);
  daemon = new TestDaemon(home);
  daemon.start();
  await daemon.judges();
});

afterAll(async () => {
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  await daemon.kill();
  expect((await closeHome(home)).processes).toEqual([]);
});

async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr } = await rouse(home, [...args, "--json"]);
  if (stdout === "") throw new Error(`rouse ${args.join(" ")} said nothing but ${stderr}`);
  return JSON.parse(stdout) as T;
}

const incidentOf = async (name: string): Promise<IncidentView | undefined> => {
  const { incidents } = (await daemon.ask<{ incidents: IncidentView[] }>("/v1/incidents?all=true")) ?? {
    incidents: [],
  };
  return incidents.find(({ agent }) => agent === name);
};

async function hasIncident(
  name: string,
  isSo: (incident: IncidentView) => boolean,
  ms = 60_000,
): Promise<IncidentView> {
  let found: IncidentView | undefined;
  await until(
    `an incident of ${name}`,
    async () => {
      found = await incidentOf(name);
      return found !== undefined && isSo(found);
    },
    ms,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; there is ${JSON.stringify(found)}`);
  });
  return found as IncidentView;
}

/** The agent fails, and continues when nudged. */
const FAILS: FakeScript = { steps: [{ do: "idle", ms: 500 }, { do: "fail" }, { do: "idle" }, { do: "stream" }] };
const ASKS: FakeScript = { logs: true, steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "stream" }] };

/** A reply of 50 tokens once its transcript is found; then endless output. */
const SPENDS: FakeScript = {
  writes: true,
  logs: true,
  steps: [
    { do: "idle", ms: 500 },
    { do: "tool", command: ["sleep", "20"] },
    { do: "tool", command: ["true"] },
    { do: "stream" },
    { do: "idle" },
  ],
};

describe("an agent over the budget of its project", { timeout: TIMEOUT_MS }, () => {
  it("is reported and keeps working; with permission, it is interrupted once, because its policy says so", async () => {
    const { path } = placeOf(home, "spender");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, ".rouse.toml"), "[spend]\ntokens_per_night = 40\ncost_usd_per_night = 1\n");
    await spawnFake(home, "spender", SPENDS);
    const reported = await hasIncident("spender", ({ phase }) => phase === "escalated", 120_000);
    expect(reported).toMatchObject({
      problem: "over_budget",
      policy: "thrifty",
      withheld_step: "interrupt",
      actions: [],
    });
    expect(reported.reasons).toEqual([
      expect.stringMatching(/^\d+ tokens used tonight \(budget: 40\)$/),
      expect.stringMatching(/^\d+ tokens used tonight have no known price/),
    ]);
    const status = (await rouse(home, ["status"])).stdout;
    expect(status).toContain("spender: over_budget, needs you: auto-recovery is off");
    expect(status).toContain("spender: cannot check the cost budget: no price is known");
    const why = (await rouse(home, ["why", "spender"])).stdout;
    // On a slow machine its command may run long enough to be named as the wait.
    expect(why).toMatch(/^spender: (?:working|waiting)/);
    expect(why).toMatch(/tonight, until .+: \d+ of 40 tokens, cost unknown \(budget \$1\.00\): over budget/);
    expect(receivedBy(home, "spender")).toEqual([]);
    await rouse(home, ["allow", "spender"]);
    const done = await hasIncident(
      "spender",
      ({ actions }) => actions.some(({ result }) => result !== "pending"),
      120_000,
    );
    // The scripted agent keeps writing after its key: that is detected and not tried again.
    expect(done.actions).toMatchObject([
      { do: "interrupt", result: "failed", reason: "interrupted, but the turn is still running" },
    ]);
    expect(receivedBy(home, "spender").map(({ text }) => text)).toEqual(["\u001b"]);
  });
});

describe("an agent with a problem", { timeout: TIMEOUT_MS }, () => {
  it("is left alone without permission; with it, it is nudged, resumes work, and the incident ends", async () => {
    await spawnFake(home, "auto", FAILS);
    const reported = await hasIncident("auto", ({ phase }) => phase === "escalated");
    expect(reported).toMatchObject({
      problem: "api",
      policy: "quick",
      allowed: false,
      withheld_step: "nudge",
      actions: [],
    });
    expect((await rouse(home, ["summary"])).stdout).toContain("auto-recovery is off (would have nudged it)");
    expect((await rouse(home, ["status"])).stdout).toContain("auto: api, needs you: auto-recovery is off");
    const { stdout } = await rouse(home, ["allow", "auto"]);
    expect(stdout).toContain("allowed by name");
    const recovered = await hasIncident("auto", ({ phase }) => phase === "recovered", 120_000);
    expect(recovered.actions).toMatchObject([{ do: "nudge", result: "done", proven: true }]);
    expect((await viewOf(home, "auto"))?.state).toBe("working");
    expect((await rouse(home, ["summary"])).stdout).toMatch(/incident \w+ \(api\): nudged .*; recovered/);
  });

  it("is recovered once by rouse recover, without permission", async () => {
    await spawnFake(home, "hand", FAILS);
    await reaches(home, "hand", "error/api");
    const dry = await json<RecoveryView>("recover", "hand", "--dry-run");
    expect(dry).toMatchObject({ dry_run: true, problem: "api", steps: [], next: { do: "nudge", say: "continue" } });
    expect((await viewOf(home, "hand"))?.state).toBe("error");
    const done = await rouse(home, ["recover", "hand"]);
    expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining("Nudged hand: typed and sent") });
    await reaches(home, "hand", "working");
    const again = await json<RecoveryView>("recover", "hand");
    expect(again.steps).toEqual([]);
    expect((await incidentOf("hand"))?.actions).toHaveLength(1);
  });

  it("that asks a question is reported and never answered, neither by permission nor by rouse recover", async () => {
    await spawnFake(home, "asks", ASKS);
    await reaches(home, "asks", "needs_input/permission");
    await rouse(home, ["allow", "asks"]);
    for (const args of [
      ["recover", "asks"],
      ["recover", "asks", "--restart"],
    ]) {
      const { status, stdout } = await rouse(home, args);
      expect({ status, stdout }).toMatchObject({
        status: 1,
        stdout: expect.stringContaining("that only you can answer"),
      });
    }
    const incident = await hasIncident("asks", ({ phase }) => phase === "escalated");
    expect(incident.actions).toEqual([]);
    expect(receivedBy(home, "asks")).toEqual([]);
    expect((await viewOf(home, "asks"))?.state).toBe("needs_input");
    expect(incident.commands).toContain("rouse go asks");
    await rouse(home, ["stop", "asks", "--grace", "0"]);
    await hasIncident("asks", ({ phase }) => phase === "closed");
  });

  it("that is killed is resumed in its conversation, under its name, and resumes work", async () => {
    await spawnFake(home, "dies", {
      writes: true,
      steps: [{ do: "idle", ms: 500 }, { do: "finish" }, { do: "stream" }],
      resumed: [{ do: "idle" }, { do: "stream" }],
    });
    await rouse(home, ["allow", "dies"]);
    const before = await reaches(home, "dies", "working");
    await until("its transcript to be read", async () => {
      const why = await daemon.ask<WhyAnswer>("/v1/agents/dies/why");
      return why?.evidence.some(({ source }) => source === "transcript") ?? false;
    });
    // Long after the end of its first turn, whose result does not explain this end.
    await sleep(8000);
    process.kill(before.pid as number, "SIGKILL");
    const recovered = await hasIncident("dies", ({ actions }) => actions[0]?.result === "done", 150_000);
    expect(recovered).toMatchObject({ problem: "crash", actions: [{ do: "resume", result: "done" }] });
    await until("it to continue its work", async () => {
      const after = await viewOf(home, "dies");
      return after?.state === "working" && after.session !== before.session;
    });
  });

  it("is restarted under its name by rouse recover", async () => {
    await spawnFake(home, "again", FAILS);
    const before = await reaches(home, "again", "error/api");
    const dry = await json<RecoveryView>("recover", "again", "--restart", "--dry-run");
    expect(dry).toMatchObject({ steps: [], next: { do: "restart" } });
    const done = await json<RecoveryView>("recover", "again", "--restart");
    expect(done.steps).toMatchObject([{ do: "restart", result: "done", proven: true }]);
    await until("it to exist again", async () => {
      const view = await viewOf(home, "again");
      return view !== null && view.ended_at === null && view.session !== before.session;
    });
  });

  it.skipIf(!FULL)("that hangs is interrupted, nudged, and resumes work", { timeout: 900_000 }, async () => {
    // Its transcript shows the turn too: no agent is interrupted on one kind of evidence.
    const steps = [{ do: "idle" }, { do: "tool", command: ["true"] }, { do: "hang" }, { do: "idle" }, { do: "stream" }];
    await spawnFake(home, "hangs", { writes: true, steps });
    await reaches(home, "hangs", "idle");
    await typeInto(home, "hangs", "mend the parser");
    await rouse(home, ["allow", "hangs"]);
    const recovered = await hasIncident("hangs", ({ phase }) => phase === "recovered", 850_000);
    expect(recovered.actions.map(({ do: name, result }) => `${name} ${result}`)).toEqual([
      "interrupt done",
      "nudge done",
    ]);
  });
});

describe("a decision of the user", { timeout: TIMEOUT_MS }, () => {
  it("survives a restart: permission, silence, acknowledgement and false alarm", async () => {
    await spawnFake(home, "kept", FAILS);
    const { id } = await hasIncident("kept", () => true);
    await rouse(home, ["ack", id.slice(0, 6)]);
    await rouse(home, ["feedback", "kept", "false-alarm"]);
    await rouse(home, ["silence", "kept", "--for", "2h"]);
    await rouse(home, ["silence", "kept", "loop", "--for", "2h"]);
    await rouse(home, ["allow", "--all", "--for", "8h", "--except", "rate_limited"]);
    await rouse(home, ["allow", "kept", "--off"]);
    expect(statSync(join(rousePaths(home.env).state, "allow.json")).mode & 0o777).toBe(0o600);
    await daemon.kill("SIGKILL");
    daemon.start();
    await daemon.judges();
    expect(await json<IncidentView>("incidents", id)).toMatchObject({
      agent: "kept",
      acked_at: expect.any(String),
      silenced_until: expect.any(String),
      feedback: "false-alarm",
      allowed: false,
    });
    const { incidents } = await json<{ incidents: IncidentView[] }>("incidents", "kept", "--all");
    expect(incidents.map((one) => [one.id, one.agent])).toEqual([[id, "kept"]]);
    expect(await json<IncidentView>("incidents", id, "--all")).toMatchObject({ id });
    const { silences } = await json<SilencesView>("silence");
    expect(silences.map(({ agent, problem }) => [agent, problem])).toEqual([
      ["kept", null],
      ["kept", "loop"],
    ]);
    const allowed = await json<PermissionsView>("allow");
    expect(allowed.all).toMatchObject({ allowed: true, except: ["rate_limited"], until: expect.any(String) });
    expect(allowed.agents.find(({ agent }) => agent === "kept")).toMatchObject({ allowed: false, by: "name" });
    await rouse(home, ["silence", "kept", "--off"]);
    expect((await json<SilencesView>("silence")).silences).toHaveLength(1);
    await rouse(home, ["allow", "--all", "--off"]);
    expect((await json<PermissionsView>("allow")).agents.filter(({ allowed: may }) => may)).toEqual([]);
  });

  it.each([
    [["ack", "nothing"], 1, 'no incident matches "nothing"'],
    [["recover", "nobody"], 1, 'no agent named "nobody"'],
    [["silence", "nobody", "--for", "2h"], 1, "neither a known agent nor a problem"],
    [["silence", "kept"], 2, "--for 2h"],
    [["silence", "kept", "--for", "soon"], 2, "duration such as"],
    [["silence", "kept", "sorrow", "--for", "2h"], 2, '"sorrow"'],
    [["allow", "--off"], 2, "name the agents"],
    [["allow", "kept", "--all"], 2, "not both"],
    [["allow", "kept", "--except", "sorrow"], 2, '"sorrow"'],
    [["feedback", "kept", "perhaps"], 2, "Allowed choices are false-alarm, right"],
    [["incidents", "--since", "never"], 2, "duration such as"],
  ])("that is invalid is answered with what was expected: %j", async (args, code, words) => {
    const { status, stderr } = await rouse(home, args);
    expect({ status, stderr }).toEqual({ status: code, stderr: expect.stringContaining(words) });
  });
});
