/** A private tmux server for a test: own socket in a temporary folder, no configuration, ended by that socket. */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AgentSession } from "../../src/core/agent.js";
import { type Assessment, assess, createEvidence, type Evidence, takeSignal } from "../../src/core/index.js";
import type { Signal } from "../../src/core/signal.js";
import { profileFor, traitsOf } from "../../src/programs/registry.js";
import { readArgv, readExe, readProcTable } from "../../src/sensors/process/proc.js";
import type { PaneReading } from "../../src/sensors/tmux/adopted.js";
import type { AdoptRules } from "../../src/sensors/tmux/discover.js";
import { TmuxWatcher, type TmuxWatcherOptions } from "../../src/sensors/tmux/watcher.js";
import { OWN_CASES, readInputs } from "./recordings.js";

/** Why the tests cannot run here; null when they can. */
export const NO_TMUX: string | null = (() => {
  try {
    execFileSync("tmux", ["-V"]);
    return null;
  } catch {
    return "tmux is not installed";
  }
})();

const run = promisify(execFile);

export class TestServer {
  readonly folder: string = mkdtempSync(join(tmpdir(), "rouse-tmux-"));
  readonly socket: string = join(this.folder, "s");

  async tmux(...args: string[]): Promise<string> {
    const { TMUX: _, ...env } = process.env;
    const { stdout } = await run("tmux", ["-u", "-f", "/dev/null", "-S", this.socket, ...args], { env });
    return stdout.trimEnd();
  }

  async stop(): Promise<void> {
    await this.tmux("kill-server").catch(() => {});
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Draws a recording up to the second in its file, then waits for a later one. As quiet as a real client. */
const PLAYER = `
import { readFileSync } from "node:fs";
const [frames, until] = process.argv.slice(2);
const all = JSON.parse(readFileSync(frames, "utf8"));
process.stdin.setRawMode?.(true);
process.stdin.resume();
let next = 0;
setInterval(() => {
  const word = readFileSync(until, "utf8").trim();
  if (word.startsWith("exit ")) process.exit(Number(word.slice(5)));
  while (next < all.length && all[next][0] <= Number(word)) process.stdout.write(Buffer.from(all[next++][1], "base64"));
}, 20);
`;

/** An agent made from a recording: its start command, and how it is moved on. */
export class RecordedAgent {
  readonly command: string[];
  readonly #until: string;

  static async of(server: TestServer, recording: string, program: string, second: number): Promise<RecordedAgent> {
    const inputs = await readInputs(join(OWN_CASES, recording));
    const frames = inputs.flatMap((one) =>
      one.kind === "bytes" ? [[one.t, Buffer.from(one.bytes).toString("base64")]] : [],
    );
    return new RecordedAgent(server.folder, program, JSON.stringify(frames), second);
  }

  private constructor(folder: string, program: string, frames: string, second: number) {
    const own = mkdtempSync(join(folder, "agent-"));
    this.#until = join(own, "until");
    symlinkSync(process.execPath, join(own, program));
    writeFileSync(join(own, "player.mjs"), PLAYER);
    writeFileSync(join(own, "frames.json"), frames);
    this.#say(String(second));
    this.command = [join(own, program), join(own, "player.mjs"), join(own, "frames.json"), this.#until];
  }

  playTo(second: number): void {
    this.#say(String(second));
  }

  exit(code: number): void {
    this.#say(`exit ${code}`);
  }

  #say(word: string): void {
    writeFileSync(`${this.#until}.new`, word);
    renameSync(`${this.#until}.new`, this.#until);
  }
}

export const RULES: AdoptRules = { tags: ["worker"], pattern: null, names: [], programs: true, profiles: () => [] };

/** A watcher whose signals are folded as in the daemon. */
export class Watch {
  readonly seen: PaneReading[] = [];
  readonly watcher: TmuxWatcher;
  readonly #evidence = new Map<string, Evidence>();

  constructor(server: TestServer, options: Partial<TmuxWatcherOptions> = {}) {
    this.watcher = new TmuxWatcher({
      rules: RULES,
      sockets: [server.socket],
      env: { TMUX_TMPDIR: server.folder },
      processes: { table: readProcTable, argv: readArgv, exe: readExe },
      checkMs: 100,
      discoverMs: 300,
      zone: "UTC",
      onSeen: (seen) => this.#take(seen),
      ...options,
    });
    this.watcher.start();
  }

  /** The last report about the agent of this name. */
  agent(name: string): AgentSession | undefined {
    return this.seen.findLast((one) => one.session.name === name)?.session;
  }

  last(session: string): PaneReading | undefined {
    return this.seen.findLast((one) => one.session.id === session);
  }

  signals<K extends Signal["kind"]>(session: string, kind: K): Extract<Signal, { kind: K }>[] {
    return this.seen
      .filter((one) => one.session.id === session)
      .flatMap((one) => one.signals)
      .filter((signal): signal is Extract<Signal, { kind: K }> => signal.kind === kind);
  }

  judge(session: string): Assessment {
    const evidence = this.#evidence.get(session);
    if (!evidence) throw new Error(`nothing was told of ${session}`);
    return assess(evidence, Date.now());
  }

  stop(): Promise<void> {
    return this.watcher.stop();
  }

  #take(seen: PaneReading): void {
    this.seen.push(seen);
    const { id: session, kind } = seen.session;
    let evidence = this.#evidence.get(session);
    if (!evidence) {
      evidence = createEvidence(traitsOf(profileFor(kind)));
      this.#evidence.set(session, evidence);
    }
    for (const signal of seen.signals) takeSignal(evidence, signal);
  }
}

/** Repeats until the result is truthy. */
export async function until<T>(what: string, ask: () => T | Promise<T>, ms = 20_000): Promise<NonNullable<T>> {
  for (const end = Date.now() + ms; ; ) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`timed out after ${ms} ms waiting for ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}
