/**
 * A scripted agent that acts like real ones, watched by the real daemon: every state with its cause, and no other.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import {
  type FakeScript,
  fakeAgent,
  placeOf,
  reaches,
  spawnFake,
  statusOf,
  typeInto,
  verdictOf,
  viewOf,
} from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, processesOf, rouse, rouseInTerminal, until } from "../support/hosts.js";
import { NO_TMUX } from "../support/tmux.js";

const FULL = process.env.ROUSE_FULL === "1";
/**
 * Ends a hung test; each state has its own deadline. On one core with a load of 30 a story took longer than two
 * minutes.
 */
const TIMEOUT_MS = 600_000;

let home: Home;

beforeAll(async () => {
  home = makeHome("on");
  home.env.CLAUDE_CONFIG_DIR = join(home.path, ".claude");
  home.env.TMUX_TMPDIR = home.path;
  await rouse(home, ["up"]);
});

afterAll(async () => {
  await tmux("kill-server").catch(() => {});
  // A running host would start the daemon again.
  for (const { name } of listSessions(rousePaths(home.env)).filter(({ isAlive }) => isAlive)) await stop(name, "0");
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

/** The agents for which `rouse health` exits with 1. */
async function unhealthy(): Promise<string[]> {
  const { status, stdout } = await rouse(home, ["health", "--filter", "unhealthy", "--json"]);
  const { agents } = JSON.parse(stdout) as { agents: { agent: string }[] };
  expect(status).toBe(agents.length > 0 ? 1 : 0);
  return agents.map(({ agent }) => agent);
}

const stop = (name: string, grace = "5") => rouse(home, ["stop", name, "--grace", grace, "--json"]);

/** What the agent does, and what `status --json` then reports. */
const STORIES = {
  work: [
    { do: "boot", says: "starting" },
    { do: "idle", says: "idle" },
    { do: "stream", says: "working" },
    { do: "finish", says: "complete" },
    { do: "idle", says: "complete" },
    { do: "ask", says: "needs_input/permission" },
    { do: "think", ms: 1000 },
    { do: "finish", text: "Which of the two formats do you want, JSON or TOML?", says: "needs_input/input" },
    { do: "idle", says: "needs_input/input" },
    { do: "stream", says: "working" },
    { do: "crash", says: "gone/crash" },
  ],
  problem: [
    { do: "idle", says: "idle" },
    { do: "retry", tries: 2, says: "waiting/retry" },
    { do: "fail", says: "error/api" },
    { do: "idle", says: "error/api" },
    { do: "stream", says: "working" },
    { do: "limit", says: "rate_limited/limit" },
    { do: "idle", says: "rate_limited/limit" },
    { do: "fail", why: "auth", says: "error/auth" },
    { do: "idle", says: "error/auth" },
    { do: "stream", says: "working" },
    { do: "exit", code: 3, says: "gone/exit_code" },
  ],
} satisfies Record<string, (FakeScript["steps"][number] & { says?: string })[]>;

/** Steps that last until Enter is pressed. */
const HELD = new Set<string>(["idle", "stream", "ask", "retry"]);

/** The ways in which an agent is watched. `enter` is what a user does in its terminal. */
interface Way {
  start: (name: string, script: FakeScript) => Promise<{ enter: () => Promise<unknown> }>;
  skip?: boolean;
  /** tmux 3.3 does not report for every dead pane how it died. */
  knowsEnds: boolean;
}

const tmux = (...args: string[]) => {
  const { TMUX: _, ...env } = home.env;
  return promisify(execFile)("tmux", ["-u", "-f", "/dev/null", ...args], { env });
};

const WAYS: Readonly<Record<string, Way>> = {
  "under rouse spawn": {
    knowsEnds: true,
    start: async (name, script) => {
      await spawnFake(home, name, script);
      return { enter: () => typeInto(home, name, "go on") };
    },
  },
  "under rouse run": {
    knowsEnds: true,
    start: async (name, script) => {
      const command = fakeAgent(home, name, script);
      const terminal = rouseInTerminal(placeOf(home, name), ["run", "--name", name, "--", ...command]);
      return { enter: async () => terminal.write("go on\r") };
    },
  },
  "in a tmux pane that rouse watches": {
    skip: NO_TMUX !== null,
    knowsEnds: false,
    start: async (name, script) => {
      const command = fakeAgent(home, name, script);
      await tmux(
        "new-session",
        "-d",
        "-s",
        name,
        "-c",
        placeOf(home, name).path,
        "-x",
        "120",
        "-y",
        "40",
        "--",
        ...command,
      );
      expect(await rouse(home, ["watch", name])).toMatchObject({ status: 0, stderr: "" });
      return { enter: () => tmux("send-keys", "-t", name, "go on", "Enter") };
    },
  },
};

for (const [way, { start, skip, knowsEnds }] of Object.entries(WAYS)) {
  // A retried test uses another agent.
  let tries = 0;
  const nameOf = (story: string): string => `${story}-${way.split(" ").at(-1)}-${++tries}`;

  describe.skipIf(skip)(way, { concurrent: true, timeout: TIMEOUT_MS }, () => {
    it.each(Object.entries(STORIES))("each state of %s is reached, with its cause", async (story, steps) => {
      const name = nameOf(story);
      const { enter } = await start(name, { steps });
      for (const [place, step] of steps.entries()) {
        let pid = 0;
        if ("says" in step) {
          const isEnd = step.says.startsWith("gone");
          const view = await reaches(home, name, isEnd && !knowsEnds ? "gone*" : step.says);
          expect(view.healthy, step.says).toBe(!/needs_input|error|gone/.test(step.says));
          pid = view.pid as number;
          // Waits until the program is up before it types.
          if (step.do === "boot") process.kill(pid, "SIGUSR2");
          if (step.do === "limit") expect(Date.parse(view.until ?? "") - Date.now()).toBeGreaterThan(110 * 60_000);
          if (step.do === "ask") expect(view.doing).toContain("git push");
        }
        // Input in a pane right before the end counts as the user's quit: this Enter is not typed by a user.
        const isLast = place === steps.length - 2;
        if (isLast) process.kill(pid, "SIGUSR2");
        else if (HELD.has(step.do)) await enter();
      }
      await until("its end", async () => (await statusOf(home, name))?.ended_at !== null);
      expect(await unhealthy()).toContain(name);
    });

    it("an agent that repeats itself is stuck in a loop, according to its transcript", async () => {
      const steps = [{ do: "idle" }, { do: "loop", rounds: 30 }, { do: "hang" }];
      const name = nameOf("loops");
      const { enter } = await start(name, { steps, writes: true });
      await reaches(home, name, "idle");
      await enter();
      const view = await reaches(home, name, "stuck/loop");
      expect(view).toMatchObject({
        healthy: false,
        reasons: [expect.stringContaining("Read"), ...view.reasons.slice(1)],
      });
      process.kill(view.pid as number, "SIGKILL");
    });
  });
}

describe.concurrent("under rouse spawn", { timeout: TIMEOUT_MS }, () => {
  it("a running command is a named wait, and ends with its agent", async () => {
    const steps = [
      { do: "idle", ms: 500 },
      { do: "tool", command: ["sleep", "671"] },
    ];
    await spawnFake(home, "tool", { steps });
    await reaches(home, "tool", "working");
    const view = await reaches(home, "tool", "waiting/tool");
    expect(view).toMatchObject({ healthy: true, doing: expect.stringContaining("sleep 671") });
    expect(JSON.parse((await stop("tool")).stdout)).toMatchObject({ stopped: true, leftovers: [] });
    expect(processesOf(home).filter(({ argv }) => argv.includes("671"))).toEqual([]);
  });

  it("an agent that shows dialogs, errors and limits of other programs is working and then done", async () => {
    const places = ["diff", "output", "message"];
    const steps = [{ do: "idle" }, ...places.map((place) => ({ do: "lie", place })), { do: "finish" }];
    await spawnFake(home, "liar", { steps });
    await reaches(home, "liar", "idle");
    await typeInto(home, "liar", "look at the screens");
    await reaches(home, "liar", "working");
    const said = new Set<string>();
    await until("the liar to be done", async () => {
      const view = await viewOf(home, "liar");
      if (view) said.add(verdictOf(view));
      return view?.state === "complete";
    });
    expect([...said].filter((word) => word !== "working" && word !== "complete")).toEqual([]);
    await stop("liar");
  });

  it("an agent that ignores signals is killed with all its descendants", async () => {
    const steps = [{ do: "ignore" }, { do: "fork", count: 2, seconds: 673 }, { do: "stream" }];
    await spawnFake(home, "stubborn", { steps });
    await reaches(home, "stubborn", "working");
    expect(processesOf(home).filter(({ argv }) => argv.trim() === "sleep 673")).toHaveLength(2);
    expect(JSON.parse((await stop("stubborn", "0.5")).stdout)).toMatchObject({ stopped: true, killed: true });
    expect(processesOf(home).filter(({ argv }) => argv.includes("673"))).toEqual([]);
  });
});

/** Their clocks are minutes long and real: only in the full run. */
const SLOW = {
  "a live spinner without news": { steps: [{ do: "stream", ms: 1500 }, { do: "hang" }], says: "stuck/silent_stream" },
  "a screen that says busy and no byte more": {
    steps: [
      { do: "stream", ms: 1500 },
      { do: "freeze", ms: 3_600_000 },
    ],
    says: "stuck/frozen_screen",
  },
  "a command that never ends by itself": {
    steps: [{ do: "idle" }, { do: "tool", command: ["tail", "-f", "/dev/null"] }],
    says: "stuck/tool_hang",
  },
};

describe.runIf(FULL)("under rouse spawn, after minutes", { concurrent: true, timeout: 2 * TIMEOUT_MS }, () => {
  it.each(Object.entries(SLOW))("%s is reported", async (what, { steps, says }) => {
    const name = what.replaceAll(" ", "-");
    await spawnFake(home, name, { steps, writes: true });
    await typeInto(home, name, "go");
    expect(await reaches(home, name, says, 5 * 60_000)).toMatchObject({ healthy: false });
    await stop(name, "0");
  });
});
