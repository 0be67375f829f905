/**
 * Ten agents in all kinds of problems, each a real process in a terminal of a real host, and a daemon that is killed and
 * started again. Only the waits are shorter: seconds instead of minutes. An agent whose problem went to the user is
 * replaced by a new one, so that there is always something to do.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rousePaths } from "../../src/config/paths.js";
import { ACTIONS, type ActionName } from "../../src/core/action.js";
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import type { SessionView } from "../../src/daemon/views/view.js";
import { listSessions } from "../../src/terminal/registry.js";
import { startHost } from "../../src/terminal/start-host.js";
import { withConstants } from "./constants.js";
import { type Health, TestDaemon } from "./daemon.js";
import { type FakeScript, fakeAgent, placeOf, startsOf } from "./fake-agent.js";
import { closeHome, type Home, makeHome, until } from "./hosts.js";
import { quickPolicy } from "./plan-file.js";

const HOST_SCRIPT = join(import.meta.dirname, "..", "..", "dist", "cli", "commands", "host.js");

const CONFIG = `
version = 1
[watchdog]
worker_tags = ["w"]
[health]
idle_timeout_minutes = 0.1
completion_timeout_minutes = 0.05
[detectors]
own_timeout_seconds = 5
`;
/** Many actions, and no budget that ends them: the budgets have tests of their own. */
const BUDGETS = ["agent", "node", "agent_restarts", "node_restarts"].map(
  (name) => `${name} = { times = 10000, minutes = 60 }`,
);
const constants = withConstants({
  DEFAULTS: { silence_patience: 0.1, tool_patience: 0.05, stopped_early_seconds: 2, lost_result_seconds: 2 },
  CHECK_TIMING: { recheckMs: 2000, wakeGraceMs: 1000, unseenMaxMs: 20_000, ownTimeoutMarginMs: 1000 },
  ALERT_TIMING: { groupWaitMs: 0, groupOver: 10_000, retryMs: 100 },
  ACTIONS: {
    nudge: { ...ACTIONS.nudge, deadlineMs: 20_000 },
    interrupt: { ...ACTIONS.interrupt, deadlineMs: 15_000 },
    stop: { ...ACTIONS.stop, deadlineMs: 25_000 },
    resume: { ...ACTIONS.resume, deadlineMs: 30_000 },
  },
});

const START = { do: "idle", ms: 500 };
const CALL = { do: "tool", command: ["true"] };
const WORK = { do: "stream", ms: 6000 };
const BUSY = { do: "stream" };
const again = (...steps: FakeScript["steps"]): FakeScript["steps"] => Array.from({ length: 50 }, () => steps).flat();
const NEW = ["commas", "quotes"].flatMap((what) => [
  { do: "tool", command: ["echo", `the parser reads ${what} now`] },
  { do: "stream", ms: 4000 },
]);
const writes = { writes: true };
const dies: FakeScript = { ...writes, steps: [START, CALL, BUSY], resumed: [{ do: "idle" }, BUSY] };
const FREEZE = { do: "freeze", ms: 3_600_000 };

/** What each agent does again and again. */
const PARTS: Readonly<Record<string, FakeScript>> = {
  api: { steps: [START, ...again({ do: "fail" }, { do: "idle" }, WORK)] },
  early: {
    ...writes,
    steps: [
      START,
      { do: "asked" },
      ...again(CALL, { do: "finish", text: "Now I will run the tests." }, { do: "idle" }, WORK),
    ],
  },
  hang: { ...writes, steps: [START, CALL, ...again({ do: "hang" }, { do: "idle" }, WORK)] },
  loop: { ...writes, steps: [START, ...again({ do: "loop", rounds: 1e6, everyMs: 150 }, { do: "idle" }, ...NEW)] },
  limit: {
    steps: [
      START,
      ...again({ do: "limited", text: "You've hit your 5-hour limit · resets in 6s" }, { do: "idle" }, WORK),
    ],
  },
  killed: dies,
  lost: dies,
  frozen: { ...writes, steps: [START, CALL, FREEZE], resumed: [{ do: "idle" }, WORK, CALL, FREEZE] },
  asks: { steps: [START, { do: "ask" }] },
  healthy: { steps: [START, BUSY] },
};
/** They stay as they are: a question is never answered, and a healthy agent needs nothing. */
const LASTING: ReadonlySet<string> = new Set(["asks", "healthy"]);
/** A start takes a second of a core, of which a busy machine gives a fiftieth. */
const START_MS = 600_000;
/** Without an action for so long, an agent is replaced too. */
const FORGOTTEN_MS = 90_000;

interface Cast {
  part: string;
  name: string;
  /** Its start or its last action. */
  activeAt: number;
  /** Rounds since its problem went to the user. */
  left: number;
}

export class KillStage {
  readonly home: Home = makeHome();
  readonly daemon: TestDaemon = new TestDaemon(this.home);
  /** Every agent that there was. */
  readonly names: string[] = [];
  /** Processes of one agent that were alive at the same time. */
  readonly twice: string[] = [];
  readonly #cast: Cast[] = [];
  #generation = 0;
  #looker: NodeJS.Timeout | null = null;

  get paths() {
    return rousePaths(this.home.env);
  }

  async open(alertUrl: string): Promise<void> {
    const program = join(this.home.path, ".claude");
    this.home.env.CLAUDE_CONFIG_DIR = program;
    mkdirSync(program);
    const { config } = this.paths;
    mkdirSync(join(config, "policies"), { recursive: true });
    const channel = `[channels.ops]\ntype = "webhook"\nurl = "${alertUrl}/hook"\nallow_private = true\n`;
    writeFileSync(join(config, "config.toml"), CONFIG + channel);
    const policy = quickPolicy([]).replace("[plans]", `[budgets]\nincident = 100\n${BUDGETS.join("\n")}\n[plans]`);
    writeFileSync(join(config, "policies", "quick.toml"), policy);
    await this.startDaemon();
    await this.daemon.post("/v1/permissions", { agents: "all", allowed: true });
    await Promise.all(Object.keys(PARTS).map((part) => this.#enter(part)));
    this.#looker = setInterval(() => this.#countProcesses(), 300);
  }

  /** Resolves when it judges, with the time of its start. */
  async startDaemon(): Promise<Pick<Health, "judging"> & { startedAt: number }> {
    const startedAt = Date.now();
    this.daemon.start(constants);
    const { judging } = await this.daemon.judges(START_MS);
    return { startedAt, judging };
  }

  nameOf(part: string): string {
    return this.#of(part).name;
  }

  async incidents(): Promise<IncidentView[]> {
    return (await this.daemon.ask<{ incidents: IncidentView[] }>("/v1/incidents?all=true"))?.incidents ?? [];
  }

  /** Agents whose problem went to the user. */
  async escalated(): Promise<string[]> {
    return (await this.incidents()).filter(({ phase }) => phase === "escalated").map(({ agent }) => agent);
  }

  /** An action that began in this life of the daemon and has no outcome yet. */
  async isActing(since: number, only?: ActionName): Promise<boolean> {
    const actions = (await this.incidents()).flatMap((one) => one.actions);
    return actions.some(
      ({ at, result, do: name }) =>
        result === "pending" && Date.parse(at) >= since && (only === undefined || name === only),
    );
  }

  /** Waits for such an action; false if there was none. */
  async untilActing(since: number, ms: number, only?: ActionName): Promise<boolean> {
    for (const end = Date.now() + ms; Date.now() < end; await sleep(50))
      if (await this.isActing(since, only)) return true;
    return false;
  }

  /** Kills the process of a working agent, or the host of any. Returns whether there was one to kill. */
  async kill(part: string, what: "agent" | "host"): Promise<boolean> {
    const { name } = this.#of(part);
    const view = await this.daemon.ask<SessionView>(`/v1/agents/${name}`);
    const found = listSessions(this.paths).find((one) => one.name === name && one.isAlive);
    if (!found?.pid || (what === "agent" && view?.state !== "working")) return false;
    process.kill(what === "host" ? found.hostPid : found.pid, "SIGKILL");
    return true;
  }

  /** Replaces agents that rouse has left to the user, or has nothing to do with for long. */
  async replace(): Promise<void> {
    const incidents = await this.incidents();
    for (const cast of this.#cast) {
      if (LASTING.has(cast.part)) continue;
      const own = incidents.filter(({ agent }) => agent === cast.name);
      const last = Math.max(...own.flatMap(({ actions }) => actions.map(({ at }) => Date.parse(at))), 0);
      cast.activeAt = Math.max(cast.activeAt, last);
      if (own.some(({ phase }) => phase === "escalated")) cast.left++;
      const isForgotten = Date.now() - cast.activeAt > FORGOTTEN_MS;
      if (cast.left < 3 && !isForgotten) continue;
      await this.#end(cast.name);
      await this.#enter(cast.part);
    }
  }

  async close(): Promise<string[]> {
    if (this.#looker) clearInterval(this.#looker);
    await this.daemon.kill("SIGKILL");
    for (const name of this.names) for (const pid of this.#alive(name)) process.kill(pid, "SIGKILL");
    return (await closeHome(this.home)).processes.map(String);
  }

  #of(part: string): Cast {
    return this.#cast.find((one) => one.part === part) as Cast;
  }

  async #enter(part: string): Promise<void> {
    const name = `${part}-${++this.#generation}`;
    const command = fakeAgent(this.home, name, { ...(PARTS[part] as FakeScript), logs: true, drawMs: 250 });
    const about = { kind: "claude-code", tags: ["w"], task: null, policy: "quick", origin: "spawn" as const };
    const spec = { wanted: name, ...about, command, workspace: placeOf(this.home, name).path };
    const started = await startHost(
      { spec, cols: 120, rows: 40 },
      { script: HOST_SCRIPT, paths: this.paths, env: this.home.env },
    );
    if (started.error !== undefined) throw new Error(started.error);
    this.names.push(name);
    const made = { part, name, activeAt: Date.now(), left: 0 };
    const at = this.#cast.findIndex((one) => one.part === part);
    if (at < 0) this.#cast.push(made);
    else this.#cast[at] = made;
  }

  /** As a user does: for rouse it is no problem. */
  async #end(name: string): Promise<void> {
    const found = listSessions(this.paths).find((one) => one.name === name && one.isAlive);
    if (!found) return;
    await this.daemon.post(`/v1/call/stop`, { agent: name }).catch(() => {});
    const isOver = (): boolean => this.#alive(name).length === 0;
    await until(`the end of ${name}`, isOver, 3000).catch(() => {
      for (const pid of this.#alive(name)) process.kill(pid, "SIGKILL");
    });
  }

  #alive(name: string): number[] {
    const folder = placeOf(this.home, name).path;
    return startsOf(this.home, name).flatMap(({ pid }) => (isOurs(pid, folder) ? [pid] : []));
  }

  #countProcesses(): void {
    for (const { name } of this.#cast) {
      const alive = this.#alive(name);
      if (alive.length > 1) this.twice.push(`${name}: ${alive.join(" and ")}`);
    }
  }
}

/** The process still plays the script in this folder; its number was not given to another one. */
function isOurs(pid: number, folder: string): boolean {
  try {
    if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return false;
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${folder}/script.json`);
  } catch {
    return false;
  }
}
