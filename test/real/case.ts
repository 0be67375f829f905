/** One client in one seat through one scenario: what rouse reported, when, and whether it was right. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import type { SessionView } from "../../src/daemon/views/view.js";
import { verdictOf, viewOf } from "../support/fake-agent.js";
import { BIN, type Home, processesOf, rouse, until } from "../support/hosts.js";
import type { Installed } from "./clients/install.js";
import { type Expected, PROJECT, PROMPT, type Scenario } from "./scenarios.js";
import { type Seat, sit, type Way } from "./seats.js";
import type { Action } from "./server/script.js";
import { ModelServer } from "./server/server.js";

export interface Case {
  installed: Installed;
  scenario: Scenario;
  way: Way;
}

export interface Figure {
  /** Seconds from the action to each expected verdict, in order; null if it never came. */
  delays: (number | null)[];
  /** Every reported state, with the second after the start and the first reason. */
  trail: { s: number; word: string; why: string }[];
  /** Hosts that the client tried to reach. */
  phoned: string[];
  /** Actions of the server. */
  actions: readonly Action[];
  wrong: string[];
  /** Details for debugging. */
  screen: string;
}

/** OpenCode needs 25 s of CPU time to its first screen. */
const READY_S = 180;
const CHECK_MS = 100;
/** Reports of a problem, and actions: permitted only if expected. */
const LOUD = /^(stuck|error|needs_input|rate_limited|gone|complete)/;

export const nameOf = ({ installed, scenario, way }: Case): string =>
  [installed.client.name, scenario.name, way].join("-").replace(/[^a-z0-9]+/g, "-");

export async function runCase(home: Home, one: Case): Promise<Figure> {
  const server = await ModelServer.start(one.scenario.script);
  const seen = new Trail(home, nameOf(one));
  let seat: Seat | null = null;
  const figure: Figure = { delays: [], trail: seen.trail, phoned: [], actions: server.actions, wrong: [], screen: "" };
  try {
    seat = await seatOf(home, one, server.url);
    record(home, nameOf(one));
    await begin(server, seen, seat);
    await follow(home, one, server, seen, figure);
  } catch (error) {
    figure.wrong.push((error as Error).message);
  } finally {
    figure.screen = (await seat?.screen().catch(() => "")) ?? "";
    await seat?.leave();
    await seen.stop();
    await server.close();
  }
  figure.phoned = server.phoned;
  const unasked = figure.phoned.filter((host) => !one.installed.client.insists.includes(host));
  if (unasked.length > 0) figure.wrong.push(`it wanted to reach ${unasked.join(", ")}`);
  return figure;
}

export async function seatOf(home: Home, { installed, scenario, way }: Case, url: string): Promise<Seat> {
  const name = nameOf({ installed, scenario, way });
  const own = join(home.path, "cases", name);
  const project = join(own, "project");
  mkdirSync(project, { recursive: true });
  for (const [file, text] of Object.entries(PROJECT)) writeFileSync(join(project, file), text);
  const mood = { asks: false, account: "key" as const, ...scenario.mood };
  const { args, env } = installed.client.prepare({ home: own, project, url }, mood);
  const { PATH = "", LANG = "C.UTF-8", USER = "dev" } = process.env;
  // Nothing of the caller's own environment: the caller may be an agent.
  const given = { PATH, LANG, USER, HOME: own, TERM: "xterm-256color", TZ: "UTC", SHELL: "/bin/bash", ...proxied(url) };
  const whole = { ...given, ...env };
  if (scenario.mcp) {
    // Codex passes only a few variables to a server.
    const { ROUSE_HOME = "", ROUSE_DAEMON = "", ROUSE_DAEMON_HTTP_PORT = "" } = home.env;
    const server = { ROUSE_HOME, ROUSE_DAEMON, ROUSE_DAEMON_HTTP_PORT };
    const add = installed.client.addsMcp?.("rouse", [process.execPath, BIN, "mcp"], server);
    if (!add) throw new Error(`how ${installed.client.name} is given an MCP server is not known`);
    await promisify(execFile)(installed.program, add, { cwd: project, env: whole, timeout: 120_000 });
  }
  return sit(way, { home, name, command: [installed.program, ...args], cwd: project, env: whole });
}

/**
 * Keeps a recording of every case in this folder, to inspect a verdict or to create a fixture. It ends with the
 * client.
 */
export function record(home: Home, name: string): void {
  const folder = process.env.ROUSE_REAL_RECORD;
  if (!folder) return;
  const begin = async (): Promise<void> => {
    await until("it to be known", async () => (await viewOf(home, name)) !== null);
    await rouse(home, ["record", name, "--out", resolve(folder)]);
  };
  begin().catch(() => {});
}

function proxied(url: string): Record<string, string> {
  const local = "127.0.0.1,localhost";
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  return { ...Object.fromEntries(names.map((name) => [name, url])), NO_PROXY: local, no_proxy: local };
}

/** Types the prompt when rouse reports that the client is ready. */
export async function begin(server: ModelServer, seen: Trail, seat: Seat): Promise<void> {
  await seen.says("idle", 0, READY_S);
  await prompt(server, seat);
}

/** Types the prompt, and again if it was ignored: some clients drop keys while they load. */
export async function prompt(server: ModelServer, seat: Seat): Promise<void> {
  const isTaken = (): boolean => server.lastOf("request") !== null;
  const sayAgain = async (): Promise<void> => {
    if (!(await seat.screen()).includes(PROMPT)) await seat.say(PROMPT);
  };
  const acts = [() => seat.say(PROMPT), () => seat.enter(), sayAgain];
  for (const act of acts) {
    await act();
    await until("the prompt to be accepted", isTaken, 8000).catch(() => {});
    if (isTaken()) return;
  }
  // OpenCode shows it at once and needs up to a minute to its first request.
  await until("the prompt to be accepted", isTaken, 120_000).catch(() => {
    throw new Error("the prompt was never taken");
  });
}

async function follow(home: Home, one: Case, server: ModelServer, seen: Trail, figure: Figure): Promise<void> {
  const { scenario, installed, way } = one;
  const expects = scenario.expects.map((expected) => ({
    ...expected,
    says: way === "watch" ? (expected.watched ?? expected.says) : expected.says,
  }));
  let killedAt: number | null = null;
  for (const expected of expects) {
    if (expected.after === "killed") killedAt = await kill(home, nameOf(one), installed.folder);
    const { after, reply = scenario.script.length - 1 } = expected;
    const truth = (): number | null => (after === "killed" ? killedAt : server.lastOf(after, reply));
    figure.delays.push(await seen.reaches(expected, truth));
  }
  if (figure.delays.includes(null)) figure.wrong.push(`it is ${seen.now}: ${seen.view?.reasons.join(" · ")}`);
  await setTimeout((scenario.holdsS ?? 10) * 1000);
  const last = expects.at(-1)?.says;
  if (seen.now !== last && !figure.delays.includes(null)) figure.wrong.push(`${last} did not hold: ${seen.now}`);
  const loud = seen.trail.filter(({ word }) => LOUD.test(word) && !expects.some(({ says }) => says === word));
  for (const { s, word } of loud) figure.wrong.push(`false: ${word} at ${s.toFixed(1)} s`);
  if (scenario.untilS !== undefined) {
    const end = Date.parse(seen.view?.until ?? "") - (server.lastOf("fail") ?? 0) - scenario.untilS * 1000;
    if (!(Math.abs(end) <= 60_000)) figure.wrong.push(`the limit's end is off: ${seen.view?.until}`);
  }
}

/** Kills the client's own program, as the kernel would; a wrapper around it is left to notice. */
export async function kill(home: Home, name: string, folder: string): Promise<number> {
  await until("a process to kill", () => {
    const own = clientsOf(home, name, folder);
    for (const pid of own) process.kill(pid, "SIGKILL");
    return own.length > 0;
  });
  return Date.now();
}

/** The client's own processes, without their commands. */
export const clientsOf = (home: Home, name: string, folder: string): number[] =>
  processesOf(home).flatMap(({ pid }) => (isClient(pid, folder, `/cases/${name}/`) ? [pid] : []));

function isClient(pid: number, folder: string, own: string): boolean {
  try {
    // Some are scripts: Node.js is the program then, and the first argument after its options names the script.
    const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const script = args.find((arg) => !arg.startsWith("-")) ?? "";
    const isOurs = readlinkSync(`/proc/${pid}/exe`).startsWith(folder) || script.startsWith(folder);
    return isOurs && readlinkSync(`/proc/${pid}/cwd`).includes(own);
  } catch {
    return false;
  }
}

/** The ids of its conversations, taken from the names of the client's files. */
export function conversationsOf(home: Home, one: Case): string[] {
  const folder = join(home.path, "cases", nameOf(one));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".jsonl"));
  const ids = files.flatMap((file) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(basename(file))?.[0] ?? []);
  return [...new Set(ids)];
}

export const storyOf = (trail: Figure["trail"]): string =>
  ["it said", ...trail.map(({ s, word, why }) => `${s.toFixed(1)} ${word}: ${why.slice(0, 150)}`)].join("\n");

/** Everything that rouse reports about one agent, from the moment it knows it. */
export class Trail {
  readonly trail: { s: number; at: number; word: string; why: string }[] = [];
  readonly #start = Date.now();
  readonly #checking: Promise<void>;
  view: SessionView | null = null;
  #isOver = false;

  constructor(home: Home, name: string) {
    this.#checking = this.#check(home, name);
  }

  /** For the message of a failed test. */
  get story(): string {
    return storyOf(this.trail);
  }

  get now(): string {
    return this.trail.at(-1)?.word ?? "not known";
  }

  /** When this was first reported, not before that moment. */
  #when(word: string, from: number): number | null {
    const index = this.trail.findIndex(
      (one, i) => one.word === word && (this.trail[i + 1]?.at ?? Number.POSITIVE_INFINITY) > from,
    );
    const found = this.trail[index];
    return found ? Math.max(found.at, from) : null;
  }

  async says(word: string, from: number, withinS: number): Promise<void> {
    const isSaid = (): boolean => this.#when(word, from) !== null;
    await until(`rouse to say ${word}`, isSaid, withinS * 1000).catch((error: Error) => {
      throw new Error(`${error.message}; it says ${this.now}: ${this.view?.reasons.join(" · ") ?? ""}`);
    });
  }

  /** Seconds from the truth to the verdict; the truth may move while it is awaited (another failed attempt). */
  async reaches({ says, withinS, meanwhile }: Expected, truth: () => number | null): Promise<number | null> {
    const isLate = (): boolean => {
      const from = truth();
      return from !== null && !meanwhile?.includes(this.now) && Date.now() - from > withinS * 1000;
    };
    const isSaid = (): boolean => this.now === says && truth() !== null;
    await until(`${says}`, () => isSaid() || isLate(), 10 * 60_000).catch(() => {});
    const from = truth();
    const at = from === null ? null : this.#when(says, from);
    return from === null || at === null ? null : (at - from) / 1000;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#checking;
  }

  async #check(home: Home, name: string): Promise<void> {
    for (; !this.#isOver; await setTimeout(CHECK_MS)) {
      const view = await viewOf(home, name);
      if (view === null) continue;
      this.view = view;
      const word = verdictOf(view);
      const at = Date.now();
      if (word !== this.now) this.trail.push({ s: (at - this.#start) / 1000, at, word, why: view.reasons[0] ?? "" });
    }
  }
}
