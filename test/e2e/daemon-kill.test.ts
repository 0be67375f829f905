/**
 * The real daemon is killed at random moments, also during its start, while agents work: every acknowledged signal
 * is in the journal, the file is valid, and the agents are not affected. A host drops acknowledged signals and
 * never sends them again, so an acknowledged signal that is not stored leaves a permanent hole in the numbers:
 * numbers without a hole prove that none was lost.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askHost } from "../../src/cli/host-client.js";
import { rousePaths } from "../../src/config/paths.js";
import type { Signal } from "../../src/core/signal.js";
import type { SessionView } from "../../src/daemon/views/view.js";
import type { WhyView } from "../../src/daemon/views/why.js";
import { type FoundSession, listSessions } from "../../src/terminal/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { spawnFake } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { faultsOfJournal } from "../support/journal-faults.js";
import { agent, WORKING } from "../support/loops.js";
import { screen } from "../support/steps.js";

const KILLS = process.env.ROUSE_FULL ? 50 : 10;
const NAMES = ["one", "two", "three"];
/** The daemon answers after about 300 ms: half of the moments are before that. */
const MOMENT_MS = 1200;
const JUDGING_MS = 90_000;

/** CPU time that a start may use until everything is judged again: the journals of these tests are small. */
const JUDGING_CPU_MS = 5000;

let home: Home;
let daemon: TestDaemon;

beforeEach(() => {
  // Off: hosts start no daemon, so that only the test does.
  home = makeHome("off");
  daemon = new TestDaemon(home);
});

afterEach(async () => {
  await daemon.kill();
  for (const { name } of living()) await rouse(home, ["stop", name, "--grace", "0"]);
  const { processes } = await closeHome(home);
  expect(processes).toEqual([]);
});

const paths = () => rousePaths(home.env);
const living = (): FoundSession[] => listSessions(paths()).filter(({ isAlive }) => isAlive);
const pids = (): number[] => living().flatMap(({ pid, hostPid }) => [pid ?? 0, hostPid]);
/** Every agent is known, is working, and has reported activity later than this. */
async function untilJudging(after: number): Promise<void> {
  const isNew = (view: SessionView): boolean =>
    view.state === "working" && Date.parse(view.last_activity) > after && NAMES.includes(view.name);
  const isJudging = async (): Promise<boolean> =>
    (await daemon.ask<{ agents: SessionView[] }>("/v1/agents?ended=true"))?.agents.filter(isNew).length ===
    NAMES.length;
  await until("every agent to be judged again", isJudging, JUDGING_MS).catch(async (error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(await daemon.ask("/v1/agents?ended=true"))}; ${daemon.words}`);
  });
}

describe("a daemon that is killed at random moments", () => {
  it("loses nothing, judges again, and leaves the agents alone", { timeout: 1_200_000 }, async () => {
    await Promise.all(
      NAMES.map((name) => spawnFake(home, name, { steps: [{ do: "pulse", perSecond: 60 }, { do: "stream" }] })),
    );
    daemon.start();
    await untilJudging(0);
    const before = pids();
    expect(before).toHaveLength(2 * NAMES.length);
    const moments: number[] = [];
    for (let round = 0; round < KILLS; round++) {
      const moment = Math.floor(Math.random() * MOMENT_MS);
      moments.push(moment);
      await sleep(moment);
      await daemon.kill();
      const killedAt = Date.now();
      const where = `killed after ${moments.join(", ")} ms`;
      expect({ faults: faultsOfJournal(paths().journal), pids: pids() }, where).toEqual({ faults: [], pids: before });
      daemon.start();
      // In every other round it may be killed during its start; otherwise it must start judging.
      if (round % 2 === 0) await untilJudging(killedAt);
    }
    await untilJudging(Date.now());
    for (const name of NAMES) {
      const { timeline } = (await daemon.ask<WhyView>(`/v1/agents/${name}/why`)) as WhyView;
      expect(timeline.filter(({ state }) => state !== "working" && state !== "starting" && state !== "idle")).toEqual(
        [],
      );
    }
    for (const found of living() as (FoundSession & { hostSocket: string })[]) {
      expect(await askHost(found, { op: "info" }, "info")).toMatchObject({ droppedSignals: 0, isWatching: true });
    }
  });

  it("reports every session as before: state, start, tokens and history", {
    timeout: 1_200_000,
  }, async () => {
    daemon.start();
    const hosts = new Hosts(daemon);
    await daemon.judges();
    await hosts.begin();
    let before = await hosts.reported();
    expect(Object.values(before).map(({ state }) => state)).toEqual(Object.values(STORIES).map(({ says }) => says));
    const starts: number[] = [];
    for (let round = 0; round < KILLS; round++) {
      // The daemon is killed while it receives signals, at any point.
      const notifier = hosts.report().catch(() => null);
      await sleep(Math.random() * 150);
      await daemon.kill();
      await notifier;
      expect(faultsOfJournal(paths().journal)).toEqual([]);
      daemon.start();
      const { judging } = await daemon.judges();
      starts.push(judging?.cpu_ms ?? Number.POSITIVE_INFINITY);
      await hosts.resume();
      const after = await hosts.reported();
      expect(after).toEqual(before);
      before = after;
    }
    expect(Math.max(...starts), `milliseconds of work until it judged: ${starts.join(", ")}`).toBeLessThan(
      JUDGING_CPU_MS,
    );
  });
});

type Untimed = Omit<Signal, "at"> & Record<string, unknown>;

/** Signals from a host, and the state that follows. */
const STORIES: Readonly<Record<string, { says: string; signals: readonly Untimed[] }>> = {
  works: { says: "working", signals: WORKING },
  asks: {
    says: "needs_input",
    signals: [...WORKING, { kind: "prompt", source: "screen", open: true, prompt: "permission", question: "Push?" }],
  },
  limited: {
    says: "rate_limited",
    signals: [{ kind: "limit", source: "transcript", level: "hit", until: Date.now() + 7_200_000, text: "limit" }],
  },
  failed: {
    says: "error",
    signals: [{ kind: "error", source: "transcript", cause: "auth", final: true, digest: "d", text: "login" }],
  },
  crashed: { says: "gone", signals: [...WORKING, { kind: "exit", source: "process", code: null, signal: 9 }] },
};

/** Hosts of these agents as the daemon sees them: numbered signals, and unacknowledged ones are sent again. */
class Hosts {
  readonly #daemon: TestDaemon;
  readonly #sent = new Map<string, Signal[]>(Object.keys(STORIES).map((name) => [name, []]));
  readonly #startedAt = Date.now();

  constructor(daemon: TestDaemon) {
    this.#daemon = daemon;
  }

  async begin(): Promise<void> {
    for (const [name, { signals }] of Object.entries(STORIES)) {
      const tokens: Untimed = { kind: "tokens", source: "transcript", input: 900, output: 100 };
      this.#give(name, name === "crashed" ? [tokens, ...signals] : [...signals, tokens]);
    }
    await this.resume();
  }

  /** Activity that changes no state, until the daemon is gone. */
  async report(): Promise<never> {
    for (let n = 0; ; n++) {
      const name = Object.keys(STORIES)[n % 4] as string;
      const news = screen({ busy: true, moving: true, replying: true, reply: `words ${this.#sent.get(name)?.length}` });
      this.#give(name, name === "works" ? [news] : [{ kind: "output", source: "screen", bytes: 9 }]);
      await this.#deliver(name);
    }
  }

  async resume(): Promise<void> {
    for (const name of this.#sent.keys()) await this.#deliver(name);
  }

  async reported() {
    const all: Record<string, unknown> & { [name: string]: { state: string } } = {};
    const summary = await this.#daemon.ask<{ agents: { name: string; tokens: unknown }[] }>(
      `/v1/summary?since=${this.#startedAt - 1000}`,
    );
    for (const name of this.#sent.keys()) {
      const why = (await this.#daemon.ask<WhyView>(`/v1/agents/${name}/why`)) as WhyView;
      const { state, cause, since, until: ends, tokens_per_hour, unobserved } = why;
      const timeline = why.timeline.map((entry) => [entry.t, entry.state, entry.cause]);
      const tokens = summary?.agents.find((one) => one.name === name)?.tokens;
      all[name] = { state, cause, since, ends, tokens_per_hour, tokens, unobserved, timeline } as { state: string };
    }
    return all;
  }

  #give(name: string, signals: readonly Untimed[]): void {
    this.#sent.get(name)?.push(...signals.map((signal) => ({ ...signal, at: Date.now() }) as Signal));
  }

  async #deliver(name: string): Promise<void> {
    const sent = this.#sent.get(name) ?? [];
    // No process with this number is checked: only the daemon's own replay is tested.
    const session = agent({ id: name, name, pid: null, pidStart: null, startedAt: this.#startedAt });
    const { acked } = (await this.#daemon.put(`/v1/sessions/${name}`, session)) as { acked: number };
    if (acked === sent.length) return;
    const body = { from: acked + 1, signals: sent.slice(acked) };
    const answer = (await this.#daemon.post(`/v1/sessions/${name}/signals`, body)) as { acked: number };
    if (answer.acked !== sent.length) throw new Error(`${name}: ${answer.acked} of ${sent.length} acknowledged`);
  }
}
