/**
 * Starts and resumes on a busy machine: an agent that was only started is never complete, and an agent that was resumed is
 * neither complete nor recovered before the model writes in a new turn.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WhyAnswer } from "../../src/api/service/agents.js";
import { rousePaths } from "../../src/config/paths.js";
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import { listSessions } from "../../src/terminal/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { type FakeScript, reaches, spawnFake, viewOf } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const FULL = process.env.ROUSE_FULL === "1";
const COUNT = FULL ? 100 : 4;
const AT_ONCE = FULL ? 25 : 4;
/** Busy processes beside them. */
const LOAD = FULL ? 6 : 2;
const TIMEOUT_MS = FULL ? 3_600_000 : 400_000;
/** Longer than the time for which work has to be proven. */
const WATCHED_MS = 40_000;

let home: Home;
let daemon: TestDaemon;
let load: ChildProcess[] = [];

beforeAll(async () => {
  home = makeHome("on");
  home.env.CLAUDE_CONFIG_DIR = join(home.path, ".claude");
  daemon = new TestDaemon(home);
  daemon.start();
  await daemon.judges();
  load = Array.from({ length: LOAD }, () => spawn(process.execPath, ["-e", "for(;;);"], { stdio: "ignore" }));
});

afterAll(async () => {
  for (const child of load) child.kill("SIGKILL");
  await stopAll();
  await rouse(home, ["down"]);
  await daemon.kill();
  expect((await closeHome(home)).processes).toEqual([]);
});

async function stopAll(): Promise<void> {
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
}

async function sent(type: string): Promise<string[]> {
  const { stdout } = await rouse(home, ["messages", "--json"]);
  const { messages } = JSON.parse(stdout) as { messages: { type: string; payload: { worker_name: string } }[] };
  return messages.filter((message) => message.type === type).map(({ payload }) => payload.worker_name);
}

const incidentOf = async (name: string): Promise<IncidentView | undefined> =>
  (await daemon.ask<{ incidents: IncidentView[] }>("/v1/incidents?all=true"))?.incidents.find(
    ({ agent }) => agent === name,
  );

/** The states of these agents that are seen until the time is over, and the work that is done meanwhile. */
async function statesOf(names: readonly string[], ms: number, work: Promise<unknown>): Promise<Set<string>> {
  const seen = new Set<string>();
  let end = Number.POSITIVE_INFINITY;
  void work.finally(() => {
    end = Date.now() + ms;
  });
  while (Date.now() < end) {
    for (const name of names) seen.add((await viewOf(home, name))?.state ?? "unknown");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return seen;
}

const batches = (prefix: string): string[][] =>
  Array.from({ length: Math.ceil(COUNT / AT_ONCE) }, (_, batch) =>
    Array.from({ length: Math.min(AT_ONCE, COUNT - batch * AT_ONCE) }, (_, n) => `${prefix}${batch * AT_ONCE + n}`),
  );

/** Loads in the way of a resumed client: with a new conversation at first, and then with its own. */
const RESUMES = [
  { do: "announce", isNew: true, status: "busy" },
  { do: "boot", ms: 3000 },
  { do: "announce", status: "busy" },
  { do: "boot", ms: 1000 },
  { do: "announce" },
  { do: "idle" },
];
const DIES: FakeScript = {
  writes: true,
  steps: [{ do: "announce" }, { do: "idle", ms: 500 }, { do: "finish" }, { do: "tool", command: ["sleep", "600"] }],
  // The request never gets an answer.
  resumed: [...RESUMES, { do: "announce", status: "busy" }, { do: "hang" }],
};

async function killInCommand(name: string): Promise<void> {
  await until(
    `the command of ${name} to be read`,
    async () => {
      const why = await daemon.ask<WhyAnswer>(`/v1/agents/${name}/why`);
      return why?.evidence.some(({ source }) => source === "transcript") ?? false;
    },
    120_000,
  );
  const { pid } = await reaches(home, name, "waiting/timer", 120_000);
  process.kill(pid as number, "SIGKILL");
  await reaches(home, name, "gone/crash", 120_000);
}

describe(`${COUNT} agents that are only started`, { timeout: TIMEOUT_MS }, () => {
  it("are never complete", async () => {
    const seen = new Set<string>();
    for (const names of batches("starts")) {
      await Promise.all(
        names.map((name) =>
          spawnFake(home, name, {
            writes: true,
            steps: [{ do: "boot", ms: 1500 }, { do: "announce" }, { do: "idle" }],
          }),
        ),
      );
      for (const state of await statesOf(names, 15_000, Promise.resolve())) seen.add(state);
      for (const name of names) await reaches(home, name, "idle");
      await stopAll();
    }
    expect([...seen]).not.toContain("complete");
    expect(await sent("worker.complete")).toEqual([]);
  });
});

// They wait for minutes of real time, too close to their limits beside the other system tests.
describe.runIf(FULL)(`${COUNT} agents that are killed and resumed`, { timeout: TIMEOUT_MS }, () => {
  it("are neither complete nor recovered while no model writes", async () => {
    const seen = new Set<string>();
    for (const names of batches("dies")) {
      await Promise.all(names.map((name) => spawnFake(home, name, DIES)));
      await Promise.all(names.map(killInCommand));
      const before = (await sent("worker.complete")).length;
      const recovering = Promise.all(names.map((name) => rouse(home, ["recover", name, "--json"])));
      for (const state of await statesOf(names, WATCHED_MS, recovering)) seen.add(state);
      expect((await sent("worker.complete")).length).toBe(before);
      for (const name of names) {
        const incident = await incidentOf(name);
        expect([name, incident?.actions[0]?.do, incident?.phase === "recovered"]).toEqual([name, "resume", false]);
      }
      await stopAll();
    }
    expect([...seen]).not.toContain("complete");
    expect(await sent("worker.recovered")).toEqual([]);
  });

  it("are recovered when the model writes", async () => {
    await spawnFake(home, "returns", { ...DIES, resumed: [...RESUMES, { do: "stream" }] });
    await killInCommand("returns");
    await rouse(home, ["recover", "returns"]);
    await until("its recovery", async () => (await incidentOf("returns"))?.phase === "recovered", 120_000);
  });
});
