/**
 * The real loop, services and socket of the daemon in this process, over a scripted night: one agent for each main situation.
 * Clock, ids and results of actions are fixed, so that every run gives the same answers.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { openApi } from "../../src/api/open.js";
import { loadConfig } from "../../src/config/load.js";
import { makePrivateFolder, rousePaths } from "../../src/config/paths.js";
import type { AgentSession } from "../../src/core/agent.js";
import type { Signal } from "../../src/core/signal.js";
import { AgentSettings } from "../../src/daemon/agent-settings.js";
import { makeHostRoutes } from "../../src/daemon/host-routes.js";
import { Hooks } from "../../src/daemon/intake/hooks.js";
import { Profiles } from "../../src/daemon/intake/profiles.js";
import type { WatchRules } from "../../src/daemon/intake/watch-rules.js";
import { makeIntake } from "../../src/daemon/intake.js";
import { type LoopSetup, setUpLoop } from "../../src/daemon/loop-setup.js";
import { loadReaders, profileFor } from "../../src/programs/registry.js";
import { readContextOf } from "../../src/sensors/read-context.js";
import { openJournal } from "../../src/store/journal.js";
import { sessionFile, writeRecord } from "../../src/terminal/registry.js";
import { HandClock } from "./hand-clock.js";
import type { Untimed } from "./loops.js";
import { sessionOf } from "./sessions.js";
import { START, screen } from "./steps.js";

const HOME = "/tmp/me-";

/** Always of the same length, so that lines wrap at the same place; the random part is replaced in what is compared. */
export const makeGoldenHome = (): string => mkdtempSync(HOME);

const ROOT = join(import.meta.dirname, "..", "..");

/** Facts of this machine and this run. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\/tmp\/me-\w{6}/g, `${HOME}golden`],
  [/cursor \d+/g, "cursor 9"],
  [/Node\.js \d+\.\d+\.\d+/g, "Node.js 20.19.0"],
  [/SQLite \d.*/g, "SQLite 3"],
  [/(?:@photostructure\/|node:)sqlite/g, "SQLITE"],
  [/[\d.]+ [GT]B free/g, "80 GB free"],
  [/process \d+/g, "process 4242"],
];

export const maskFacts = (text: string): string =>
  MASKS.reduce((all, [fact, mask]) => all.replaceAll(fact, mask), text.replaceAll(ROOT, "/opt/rouse"));

/** Names of the actions that the daemon carried out, filled by the test. */
export const actionsDone: string[] = [];

export interface GoldenDaemon {
  /** Time at the end of the script. */
  now: number;
  close: () => Promise<void>;
}

/** In the folder that ROUSE_HOME names. Without agents, nothing has happened yet. */
export async function startGoldenDaemon(withAgents: boolean, onTime: (now: number) => void): Promise<GoldenDaemon> {
  const paths = rousePaths();
  for (const folder of [paths.config, paths.state, paths.runtime]) makePrivateFolder(folder);
  const hand = new HandClock(START);
  onTime(START);
  const { config } = loadConfig({ cwd: paths.config });
  const { journal } = openJournal(paths.journal, { commitWithinMs: 1, now: () => hand.wall });
  const profiles = new Profiles(paths.config);
  const tuning = new AgentSettings(paths.config, [], profiles.of);
  const setup = setUpLoop(journal, hand.clock, {
    paths,
    config,
    isOnlyWorkers: false,
    hostScript: "",
    profileOf: profileFor,
    tuning,
    sensors: { transcriptOf: () => null, accountOf: () => null },
    log: () => {},
  });
  let rules: WatchRules = { programs: false, tags: [], names: [] };
  const handlers = openApi({
    ...setup,
    journal,
    config,
    tuning,
    profiles,
    paths,
    version: "0.1.0",
    control: {
      watch: async (wanted) => {
        rules = wanted.again ? { programs: false, tags: [], names: [] } : wanted;
        return rules;
      },
      watchRules: () => rules,
      unwatch: async () => {},
      pulses: () => [],
      http: () => ({ port: 0, address: "127.0.0.1", listening: false, error: null }) as never,
      shutDown: async () => {},
    },
  });
  const hooks = new Hooks(setup.loop, readContextOf(config), await loadReaders());
  const app = makeIntake(hooks);
  handlers.addTo(app);
  const answer = getRequestListener(app.fetch);
  const answerHost = makeHostRoutes(setup.loop);
  const server = createServer((request, response) => void (answerHost(request, response) || answer(request, response)));
  await new Promise<void>((resolve) => server.listen(paths.daemonSocket, resolve));
  chmodSync(paths.daemonSocket, 0o600);
  const night = new Night(setup, hand, onTime);
  setup.loop.tick();
  if (withAgents) {
    await night.play();
    recordEnded(hand.wall);
  }
  return {
    now: hand.wall,
    close: async () => {
      handlers.stop();
      await closeServer(server);
      setup.loop.close();
      journal.close();
    },
  };
}

/** As the host of the agent that was lost would leave it. */
function recordEnded(now: number): void {
  const paths = rousePaths();
  const session = sessionOf({ id: "s-build", name: "build", kind: "claude-code", endedAt: now - 61_000 });
  const host = { hostPid: 4_000_001, hostStart: "boot:0", cols: 100, rows: 30, exit: { code: null, signal: 9 } };
  writeRecord(paths, { ...session, ...host });
  writeFileSync(sessionFile(paths, "s-build", "out"), "Compiling 12 of 40 files\r\nCompiling 13 of 40 files\r\n", {
    mode: 0o600,
  });
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** What happened before the user asks. */
class Night {
  readonly #setup: LoopSetup;
  readonly #hand: HandClock;
  readonly #onTime: (now: number) => void;
  readonly #sent = new Map<string, number>();

  constructor(setup: LoopSetup, hand: HandClock, onTime: (now: number) => void) {
    this.#setup = setup;
    this.#hand = hand;
    this.#onTime = onTime;
  }

  async play(): Promise<void> {
    const { permission } = this.#setup;
    permission.take({ agents: ["parser"], allowed: true, except: [], until: null }, this.#hand.wall);
    // Stalls, is nudged, and works again.
    this.#start("parser", { task: "T-12" });
    await this.#working("parser", "The grammar has two rules that");
    // The same, without permission to act.
    this.#start("tests");
    await this.#working("tests", "Running the suite once more, then");
    await this.#runUntil("interrupt");
    await this.#send("parser", [
      { kind: "turn", source: "hook", phase: "interrupted" },
      { kind: "status", source: "title", status: "idle" },
      screen({ interrupted: true, reply: "interrupted" }),
    ]);
    await this.#runUntil("nudge");
    await this.#send("parser", [
      { kind: "turn", source: "hook", phase: "start", byUser: false },
      { kind: "status", source: "title", status: "working" },
      {
        kind: "tool_start",
        source: "hook",
        id: "p1",
        tool: "Edit",
        class: "edit",
        call: "c1",
        subject: "src/grammar.ts",
      },
      { kind: "tool_end", source: "hook", id: "p1", ok: true, outcome: "o1", raw: "r1" },
      screen({
        busy: true,
        moving: true,
        replying: true,
        reply: "after the nudge",
        tail: ["✳ Writing… (esc to interrupt)"],
      }),
    ]);
    await this.#run(60);
    this.#start("lint", { kind: "codex", origin: "run" });
    await this.#send("lint", [
      { kind: "turn", source: "transcript", phase: "start", byUser: true },
      {
        kind: "message",
        source: "transcript",
        role: "assistant",
        digest: "m1",
        closing: "result",
        preview: "All 14 warnings are fixed.",
      },
      { kind: "turn", source: "transcript", phase: "end" },
    ]);
    this.#start("migrate");
    await this.#send("migrate", [
      { kind: "turn", source: "hook", phase: "start", byUser: true },
      {
        kind: "error",
        source: "transcript",
        cause: "auth",
        final: true,
        digest: "e1",
        text: "401 Invalid API key · Please run /login",
      },
      { kind: "turn", source: "hook", phase: "end" },
    ]);
    this.#start("build");
    await this.#working("build", "Compiling");
    await this.#run(20);
    await this.#send("build", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
    this.#start("docs", {
      kind: "codex",
      origin: "tmux",
      hostSocket: null,
      pane: { socket: "/tmp/tmux-1000/default", id: "%3" },
    });
    await this.#send("docs", [
      { kind: "turn", source: "transcript", phase: "start", byUser: true },
      {
        kind: "limit",
        source: "screen",
        level: "hit",
        until: START + 3 * 3_600_000 + 600_000,
        text: "You've hit your usage limit. Try again at 12:10 PM.",
      },
    ]);
    this.#start("api", { origin: "run" });
    await this.#send("api", [
      { kind: "turn", source: "hook", phase: "start", byUser: true },
      {
        kind: "tool_start",
        source: "hook",
        id: "a1",
        tool: "Bash",
        class: "shell",
        call: "c2",
        subject: "git push --force",
      },
      {
        kind: "prompt",
        source: "hook",
        open: true,
        prompt: "permission",
        question: "Claude needs your permission to use Bash: git push --force origin main",
      },
      screen({
        dialog: { prompt: "permission", question: "Do you want to proceed? git push --force origin main" },
        composer: "hidden",
        tail: ["Bash command", "  git push --force origin main", "Do you want to proceed?", "❯ 1. Yes", "  2. No"],
      }),
    ]);
    this.#start("web", { tags: ["work"] });
    await this.#working("web", "Now the tests for the header");
    await this.#run(30);
    await this.#send("web", [
      { kind: "tool_start", source: "hook", id: "w1", tool: "Bash", class: "test", call: "c3", subject: "npm test" },
      { kind: "tokens", source: "transcript", input: 48_000, output: 2100 },
    ]);
    await this.#send("parser", [
      {
        kind: "tool_start",
        source: "hook",
        id: "p2",
        tool: "Bash",
        class: "test",
        call: "c4",
        subject: "npm test -- grammar",
      },
    ]);
    await this.#run(30);
  }

  #start(name: string, more: Partial<AgentSession> = {}): void {
    const base = {
      id: `s-${name}`,
      name,
      kind: "claude-code",
      command: ["claude"],
      pid: 4_000_000,
      pidStart: "boot:1",
    };
    this.#setup.loop.register(
      sessionOf({
        ...base,
        origin: "spawn",
        hostSocket: "/run/host.sock",
        workspace: "/src/app",
        startedAt: this.#hand.wall,
        ...more,
      }),
    );
  }

  async #working(name: string, reply: string): Promise<void> {
    const bytes = (receivedBytes: number): Untimed<Signal> => ({
      kind: "process",
      source: "process",
      alive: true,
      children: 0,
      cpuMs: 100,
      sockets: 1,
      receivedBytes,
    });
    await this.#send(name, [
      { kind: "turn", source: "hook", phase: "start", byUser: true },
      { kind: "status", source: "title", status: "working" },
      screen({ busy: true, moving: true, replying: true, reply, tail: [reply, "✳ Writing… (esc to interrupt)"] }),
      bytes(100),
    ]);
    await this.#run(1);
    await this.#send(name, [bytes(9000)]);
  }

  async #send(name: string, signals: readonly Untimed<Signal>[]): Promise<void> {
    const session = `s-${name}`;
    const from = (this.#sent.get(session) ?? 0) + 1;
    this.#sent.set(session, from + signals.length - 1);
    await this.#setup.loop.ingest(
      session,
      from,
      signals.map((signal) => ({ at: this.#hand.wall, ...signal }) as Signal),
    );
  }

  async #runUntil(name: string): Promise<void> {
    for (let second = 0; second < 900 && !actionsDone.includes(name); second++) await this.#run(1);
  }

  /** A tick per second; every promise of an action gets its turn. */
  async #run(seconds: number): Promise<void> {
    const { loop } = this.#setup;
    for (let second = 0; second < seconds; second++) {
      this.#hand.pass(1000);
      this.#onTime(this.#hand.wall);
      for (const { session } of loop.sessions())
        loop.recordLiveness(session.id, session.origin === "tmux" ? "pane" : "host");
      loop.tick();
      await new Promise(setImmediate);
    }
  }
}

export const writeConfig = (text: string): void => {
  const { config } = rousePaths();
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "config.toml"), text);
};

export const removeGoldenHome = (home: string): void => rmSync(home, { recursive: true, force: true });
