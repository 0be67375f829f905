/**
 * One daemon and the agents of some rows, in terminals of rouse's own and in tmux panes. Only the waits are not
 * real: the configuration and the constants of the daemon have seconds instead of minutes.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { WhyAnswer } from "../../src/api/service/agents.js";
import { rousePaths } from "../../src/config/paths.js";
import type { AgentSession } from "../../src/core/agent.js";
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import { type SessionRecord, sessionOf } from "../../src/daemon/views/session-record.js";
import { listSessions } from "../../src/terminal/registry.js";
import { startHost } from "../../src/terminal/start-host.js";
import { withConstants } from "./constants.js";
import { TestDaemon } from "./daemon.js";
import { type FakeScript, fakeAgent, placeOf } from "./fake-agent.js";
import { closeHome, type Home, makeHome, rouse } from "./hosts.js";

const HOST_SCRIPT = join(import.meta.dirname, "..", "..", "dist", "cli", "commands", "host.js");

/** Seconds instead of minutes. */
const CONFIG = `
[health]
idle_timeout_minutes = 0.1
completion_timeout_minutes = 0.05
[checkpoints]
checkpoint_stall_minutes = 0.1
[detectors]
own_timeout_seconds = 10
`;
const CONSTANTS = {
  claim_stale_minutes: 0.6,
  silence_patience: 0.1,
  tool_patience: 0.05,
  stopped_early_seconds: 3,
  lost_result_seconds: 3,
  burn_output_tokens: 1000,
};

export const WAYS = ["spawn", "tmux"] as const;
export type Way = (typeof WAYS)[number];

/** Limits how many run at once; the others follow in order of arrival. */
class Gate {
  readonly #max: number;
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inside++;
    try {
      return await work();
    } finally {
      // The waiting one takes the slot over directly, so that no other gets in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside--;
    }
  }
}

/** How many start at once, over all stages: each start costs about 0.5 s of a core. */
const starts = new Gate(3);
/**
 * How many play at once, over all stages. Forty-eight on one shared core left the daemons 3 % of it each, and
 * agents that only waited for the core were silent for longer than the shortened timeouts.
 */
export const turns: Gate = new Gate(12 * availableParallelism());

/** One request for all incidents serves all rows; a row asks no more often either. */
const CHECK_EVERY_MS = 500;
const PATIENCE_MS = 300_000;

async function eventually(what: string, isSo: () => boolean | Promise<boolean>, ms = PATIENCE_MS): Promise<void> {
  for (const end = Date.now() + ms; !(await isSo()); await sleep(CHECK_EVERY_MS))
    if (Date.now() > end) throw new Error(`timed out after ${ms} ms waiting for ${what}`);
}

export class RowStage {
  /** Set by `open`. */
  home: Home = { path: "", env: {} };
  #daemon: TestDaemon = new TestDaemon(this.home);
  #incidents: IncidentView[] = [];
  #looker: NodeJS.Timeout | null = null;

  /** Each of `agents` has its own configured account; all others share the login of the program. */
  async open(policies: Readonly<Record<string, string>>, agents: readonly string[], panes: string[]): Promise<void> {
    this.home = makeHome();
    this.#daemon = new TestDaemon(this.home);
    const program = join(this.home.path, ".claude");
    this.home.env.CLAUDE_CONFIG_DIR = program;
    mkdirSync(program);
    writeFileSync(join(program, ".claude.json"), JSON.stringify({ oauthAccount: { accountUuid: "ada" } }));
    this.home.env.TMUX_TMPDIR = this.home.path;
    delete this.home.env.TMUX;
    const { config } = rousePaths(this.home.env);
    mkdirSync(join(config, "policies"), { recursive: true });
    const accounts = agents.map((name) => `${name}=${name}`);
    writeFileSync(join(config, "config.toml"), `${CONFIG}[accounts]\nagents = ${JSON.stringify(accounts)}\n`);
    for (const [name, text] of Object.entries(policies)) writeFileSync(join(config, "policies", `${name}.toml`), text);
    this.#daemon.start(withConstants({ DEFAULTS: CONSTANTS }));
    await this.#daemon.judges();
    await this.#daemon.post("/v1/watch", { programs: false, tags: [], names: panes });
    await this.#daemon.post("/v1/permissions", { agents: "all", allowed: true });
    this.#looker = setInterval(() => void this.#check(), CHECK_EVERY_MS);
  }

  async #check(): Promise<void> {
    const found = await this.ask<{ incidents: IncidentView[] }>("/v1/incidents?all=true");
    if (found) this.#incidents = found.incidents;
  }

  ask<T>(path: string): Promise<T | null> {
    return this.#daemon.ask<T>(path);
  }

  get socket(): string {
    return rousePaths(this.home.env).daemonSocket;
  }

  tmux(...args: string[]): Promise<{ stdout: string }> {
    return promisify(execFile)("tmux", ["-u", "-f", "/dev/null", ...args], { env: this.home.env });
  }

  /** Starts an agent, permits actions on it, and returns it as watched. */
  async enter(way: Way, name: string, script: FakeScript | readonly string[], project?: string): Promise<AgentSession> {
    const place = placeOf(this.home, name).path;
    mkdirSync(place, { recursive: true });
    if (project) writeFileSync(join(place, ".rouse.toml"), project);
    const isOther = "length" in script;
    const command = isOther ? [...script] : fakeAgent(this.home, name, { ...script, logs: true, drawMs: 250 });
    return starts.through(async () => {
      if (way === "spawn") await this.#spawn(name, command, place, isOther ? "generic" : "claude-code");
      else await this.tmux("new-session", "-d", "-s", name, "-c", place, "-x", "120", "-y", "40", "--", ...command);
      let found: AgentSession | undefined;
      await eventually(`${name} to be watched`, async () => {
        const { agents } = (await this.ask<{ agents: SessionRecord[] }>("/v1/sessions")) ?? { agents: [] };
        const record = agents.find((agent) => agent.name === name);
        found = record && sessionOf(record);
        return found !== undefined;
      });
      // Agents that are only watched need permission by name.
      await this.#daemon.post("/v1/permissions", { agents: [name], allowed: true });
      return found as AgentSession;
    });
  }

  async #spawn(name: string, command: string[], workspace: string, kind: string): Promise<void> {
    const about = { kind, tags: [], task: null, policy: null, origin: "spawn" as const };
    const spec = { wanted: name, ...about, command, workspace };
    const paths = rousePaths(this.home.env);
    const started = await startHost({ spec, cols: 120, rows: 40 }, { script: HOST_SCRIPT, paths, env: this.home.env });
    if (started.error !== undefined) throw new Error(started.error);
  }

  /** Waits for an incident of this problem that has reached a phase, or meets a condition. */
  async incident(
    agent: string,
    problem: string,
    goal: IncidentView["phase"] | ((incident: IncidentView) => boolean),
    ms: number,
  ): Promise<IncidentView> {
    const isSo = typeof goal === "string" ? ({ phase }: IncidentView): boolean => phase === goal : goal;
    const ours = (): IncidentView[] => this.#incidents.filter((one) => one.agent === agent);
    const found = (): IncidentView | undefined =>
      ours().find((one) => [one.problem, ...one.earlier_problems].includes(problem as never) && isSo(one));
    const what = typeof goal === "string" ? goal : "acted on";
    await eventually(`${problem} of ${agent} to be ${what}`, () => found() !== undefined, ms).catch(
      async (error: Error) => {
        const why = await this.ask<WhyAnswer>(`/v1/agents/${agent}/why`);
        const story = why?.timeline.map(({ t, state, cause }) => `${t} ${state}/${cause}`).join(", ");
        throw new Error(`${error.message}; incidents ${JSON.stringify(ours())}; story ${story}; ${this.#daemon.words}`);
      },
    );
    return found() as IncidentView;
  }

  /** The first of these agents with a finished action. */
  async acted(agents: readonly string[], ms: number): Promise<IncidentView> {
    const found = (): IncidentView | undefined =>
      this.#incidents.find((one) => agents.includes(one.agent) && one.actions.some(({ result }) => result === "done"));
    await eventually(`one of ${agents.join()} to be acted on`, () => found() !== undefined, ms);
    return found() as IncidentView;
  }

  /** Every reported state of a session, in order. */
  async story(session: string): Promise<string[]> {
    const why = await this.ask<WhyAnswer>(`/v1/agents/${session}/why`);
    return (why?.timeline ?? []).map(({ state, cause }) => (cause === null ? state : `${state}/${cause}`));
  }

  /** Waits until its transcript is found and read. */
  async reads(name: string): Promise<void> {
    await eventually(`the transcript of ${name} to be read`, async () => {
      const why = await this.ask<WhyAnswer>(`/v1/agents/${name}/why`);
      return why?.evidence.some(({ source }) => source === "transcript") ?? false;
    });
  }

  async close(): Promise<void> {
    if (this.#looker) clearInterval(this.#looker);
    // The daemon first: it would treat the end of the others as a problem, and recover them.
    await this.#daemon.kill("SIGTERM");
    await this.tmux("kill-server").catch(() => {});
    const alive = listSessions(rousePaths(this.home.env)).filter(({ isAlive }) => isAlive);
    await Promise.all(alive.map(({ name }) => rouse(this.home, ["stop", name, "--grace", "0"])));
    const { processes } = await closeHome(this.home);
    if (processes.length > 0) throw new Error(`it left ${processes.join(", ")}`);
  }
}
