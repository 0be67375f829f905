/**
 * Starts and resumes on a busy machine: an agent that was only started is never complete, and an agent that was resumed is
 * neither complete nor recovered before the model writes in a new turn.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MessageView } from "../../src/api/operations/records.js";
import { callOperation } from "../../src/api/remote.js";
import type { WhyAnswer } from "../../src/api/service/agents.js";
import { rousePaths } from "../../src/config/paths.js";
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import type { SessionView } from "../../src/daemon/views/view.js";
import { listSessions } from "../../src/terminal/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { type FakeScript, spawnFake, verdictOf, viewOf } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const FULL = process.env.ROUSE_FULL === "1";
const COUNT = FULL ? 100 : 4;
const AT_ONCE = FULL ? 17 : 4;
/** Busy processes beside them. */
const LOAD = FULL ? 3 : 2;
/** A batch of 25 at once on two busy cores needs minutes for each part. */
const PATIENCE_MS = FULL ? 480_000 : 120_000;
const TIMEOUT_MS = FULL ? 3_600_000 : 400_000;
/** Longer than the time for which work has to be proven. */
const WATCHED_MS = 40_000;

/** The default permits 12 restarts per hour on one machine. */
const TAG = "batch";
const ROOMY = `tags = ["${TAG}"]
[budgets]
node = { times = 1000, minutes = 60 }
node_restarts = { times = 1000, minutes = 60 }
`;

let home: Home;
let daemon: TestDaemon;
let load: ChildProcess[] = [];

beforeAll(async () => {
  home = makeHome("on");
  home.env.CLAUDE_CONFIG_DIR = join(home.path, ".claude");
  const policies = join(rousePaths(home.env).config, "policies");
  mkdirSync(policies, { recursive: true });
  writeFileSync(join(policies, "roomy.toml"), ROOMY);
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

/** From the daemon itself, as below. */
async function sent(type: string): Promise<string[]> {
  let found: readonly MessageView[] | null = null;
  let failure = "";
  const isAnswered = async (): Promise<boolean> => {
    const answer = callOperation(rousePaths(home.env).daemonSocket, "messages", { all: true, limit: 500 });
    found = await answer.then(
      ({ messages }) => messages,
      (error: Error) => {
        failure = error.message;
        return null;
      },
    );
    return found !== null;
  };
  await until("the messages", isAnswered, PATIENCE_MS).catch((error: Error) => {
    throw new Error(`${error.message}: ${failure}; the daemon ${daemon.end ?? "runs"} and printed: ${daemon.words}`);
  });
  const messages = (found ?? []) as readonly MessageView[];
  // A full page may not be the last one.
  expect(messages.length).toBeLessThan(500);
  return messages.flatMap(({ msg_type, payload }) => (msg_type === type ? [JSON.stringify(payload)] : []));
}

/** About these agents. The end of one that the user stopped settles its problem with a message, which proves no work. */
const recoveriesOf = async (names: readonly string[]): Promise<string[]> =>
  (await sent("worker.recovered")).filter((text) =>
    names.includes((JSON.parse(text) as { worker_name: string }).worker_name),
  );

async function incidentOf(name: string): Promise<IncidentView | undefined> {
  let answer: { incidents: IncidentView[] } | null = null;
  const isAnswered = async (): Promise<boolean> => {
    answer = await daemon.ask("/v1/incidents?all=true");
    return answer !== null;
  };
  await until("the incidents", isAnswered, PATIENCE_MS);
  return (answer as { incidents: IncidentView[] } | null)?.incidents.find(({ agent }) => agent === name);
}

/** From the daemon itself: a command for every check of 25 agents would be most of the load. Returns the process id. */
async function becomes(name: string, wanted: string): Promise<number> {
  let last: SessionView | null = null;
  const isSo = async (): Promise<boolean> => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    last = await viewOf(home, name);
    return last !== null && verdictOf(last) === wanted;
  };
  await until(`${name} to be ${wanted}`, isSo, PATIENCE_MS).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${last && verdictOf(last)}: ${last?.reasons.join(" · ")}`);
  });
  return (last as SessionView | null)?.pid ?? 0;
}

/** What is seen as complete among these agents until the time is over, and the work that is done meanwhile. */
async function completesOf(names: readonly string[], ms: number, work: Promise<unknown>): Promise<Set<string>> {
  const seen = new Set<string>();
  let end = Number.POSITIVE_INFINITY;
  void work.finally(() => {
    end = Date.now() + ms;
  });
  while (Date.now() < end) {
    for (const name of names) {
      const view = await viewOf(home, name);
      if (view?.state === "complete") seen.add(`${name} of ${view.started_at}: ${view.reasons.join(" · ")}`);
    }
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
      await new Promise((resolve) => setTimeout(resolve, 500));
      return why?.evidence.some(({ source }) => source === "transcript") ?? false;
    },
    PATIENCE_MS,
  );
  process.kill(await becomes(name, "waiting/timer"), "SIGKILL");
  await becomes(name, "gone/crash");
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
      for (const one of await completesOf(names, 15_000, Promise.resolve())) seen.add(one);
      for (const name of names) await becomes(name, "idle");
      await stopAll();
    }
    expect([...seen]).toEqual([]);
    expect(await sent("worker.complete")).toEqual([]);
  });
});

// They wait for minutes of real time, too close to their limits beside the other system tests.
describe.runIf(FULL)(`${COUNT} agents that are killed and resumed`, { timeout: TIMEOUT_MS }, () => {
  it("are neither complete nor recovered while no model writes", async () => {
    for (const names of batches("dies")) {
      await Promise.all(names.map((name) => spawnFake(home, name, DIES, [TAG])));
      await Promise.all(names.map(killInCommand));
      const before = (await sent("worker.complete")).length;
      const recovering = Promise.all(names.map((name) => rouse(home, ["recover", name, "--json"])));
      expect([...(await completesOf(names, WATCHED_MS, recovering))]).toEqual([]);
      expect((await sent("worker.complete")).length).toBe(before);
      const recovered = await recovering;
      for (const [i, name] of names.entries()) {
        const incident = await incidentOf(name);
        const shown = [name, incident?.actions[0]?.do, incident?.phase === "recovered"];
        expect(shown, JSON.stringify(recovered[i])).toEqual([name, "resume", false]);
      }
      expect(await recoveriesOf(names)).toEqual([]);
      await stopAll();
      console.log(`${names.length} resumes, load ${loadavg()[0]?.toFixed(0)}: ${names[0]} to ${names.at(-1)}`);
    }
    expect((await sent("worker.recovered")).filter((text) => !text.includes('"proven":false'))).toEqual([]);
  });

  it("are recovered when the model writes", async () => {
    await spawnFake(home, "returns", { ...DIES, resumed: [...RESUMES, { do: "stream" }] }, [TAG]);
    await killInCommand("returns");
    await rouse(home, ["recover", "returns"]);
    await until("its recovery", async () => (await incidentOf("returns"))?.phase === "recovered", PATIENCE_MS);
  });
});
