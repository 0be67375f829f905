/**
 * The process that holds an agent's terminal: foreground for `rouse run`, detached for `rouse spawn`. It outlives the
 * daemon. Bytes take the shortest path (terminal -> ring -> viewers); watching, the daemon link and viewers are
 * attached to it, and a failure in one of them affects neither the others nor the agent.
 */
import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { makePrivateFolder } from "../config/paths.js";
import { isLeave, LEAVING_MS } from "../core/judgement/evidence/leaving.js";
import type { Keys, Precondition } from "../core/policy/typing-checks.js";
import type { InputSignal, Signal } from "../core/signal.js";
import { sanitize } from "../core/text/sanitize.js";
import { identityOf } from "../sensors/process/process-sensor.js";
import { waitForRest } from "./at-rest.js";
import { DaemonLink } from "./daemon-link.js";
import type { PressAnswer, ScreenAnswer, TypedBy } from "./frames.js";
import type { HostHand } from "./hand.js";
import type { HeldProgram, HostOptions } from "./host-options.js";
import { checkKeyClient, type RefusedKeys } from "./key-clients.js";
import { type LeftBy, leftBy, stopSignal } from "./leave.js";
import type { Observer } from "./observer.js";
import { type PixelSize, Pty, type PtyEvents, type PtyExit, type PtyOptions } from "./pty.js";
import { RecordKeeper } from "./record-keeper.js";
import { agentSession, type HostRecord, newSessionId, pruneSessions, sessionFile } from "./registry.js";
import { answerTo, type Query, Responder } from "./responder.js";
import { Ring } from "./ring.js";
import { type StopResult, stopTree } from "./stop-tree.js";
import { ENTER, ENTER_AFTER_MS, typedText } from "./typed-text.js";
import { type ViewedHost, Viewers } from "./viewers.js";
import { startWatching } from "./watching.js";

const RING_BYTES = 1024 * 1024;
const EARLY_SIGNALS_MAX = 1000;
const LAST_OUTPUT_BYTES = 256 * 1024;
const NOTIFY_CHARS = 200;
const NO_HAND = "rouse does not hold the agent's terminal";

export class Host implements ViewedHost {
  readonly ring = new Ring(RING_BYTES);
  readonly session: string;
  readonly exited: Promise<PtyExit>;
  /** Resolves when the agent is watched, its record written and its socket open; failures of these are logged. */
  readonly ready: Promise<void>;
  readonly #options: HostOptions;
  readonly #program: HeldProgram;
  readonly #responder: Responder | null;
  readonly #start: string | null;
  readonly #records: RecordKeeper;
  #record: HostRecord;
  #observer: Observer | null = null;
  #link: DaemonLink | null = null;
  #viewers: Viewers | null = null;
  #hand: HostHand | null = null;
  /** When a user last typed, on the monotonic clock. */
  #typedAt: number | null = null;
  /** The last signal that marks its end as intended. */
  #quit: InputSignal | null = null;
  /** On whose order it is being stopped. */
  #stoppedBy: LeftBy | null = null;
  /** Signals from before the link existed. */
  #early: Signal[] = [];
  #cols: number;
  #rows: number;
  #enters: Promise<unknown> = Promise.resolve();

  /** Throws if no terminal is available; nothing was started then. */
  constructor(options: HostOptions) {
    this.#options = options;
    this.session = options.session ?? newSessionId();
    this.#records = new RecordKeeper(options.paths);
    this.#cols = options.cols;
    this.#rows = options.rows;
    this.#responder = options.spec.origin === "spawn" ? new Responder() : null;
    let exited: (exit: PtyExit) => void = () => {};
    this.exited = new Promise((resolve) => {
      exited = resolve;
    });
    // Records are compared with it: none of the program is older.
    const startedAt = Date.now();
    const open = options.open ?? ((program: PtyOptions, events: PtyEvents) => new Pty(program, events));
    this.#program = open(
      {
        command: options.spec.command,
        cwd: options.spec.workspace,
        env: { ...agentEnvironment(options.env), ROUSE_SESSION: this.session },
        cols: options.cols,
        rows: options.rows,
        pixels: options.pixels,
      },
      { data: (bytes) => this.#data(bytes), exit: exited },
    );
    this.#start = identityOf(this.#program.pid);
    this.#record = {
      ...options.spec,
      kind: options.spec.kind ?? "generic",
      id: this.session,
      pid: this.#program.pid,
      pidStart: this.#start,
      startedAt,
      hostSocket: options.paths.hostSocket(this.session),
      pane: null,
      endedAt: null,
      hostPid: process.pid,
      hostStart: identityOf(process.pid),
      cols: options.cols,
      rows: options.rows,
      exit: null,
    };
    this.ready = this.#startWatching();
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** Id of the program's profile, once the host is ready. */
  get kind(): string {
    return this.#record.kind;
  }

  get name(): string {
    return this.#record.name;
  }

  /** The program's side of the terminal, as a path. */
  get terminalPath(): string {
    return this.#program.path;
  }

  size(): { cols: number; rows: number } {
    return { cols: this.#cols, rows: this.#rows };
  }

  /** Keys of a user. False if the agent does not read: hold back until `onDrain`. */
  input(bytes: Buffer): boolean {
    return this.#write(bytes, "human");
  }

  /** Who wrote the bytes is known here, and nowhere later. */
  #write(bytes: Buffer, by: "human" | "client"): boolean {
    const isTyped = this.#observer?.keys(bytes, by) ?? true;
    const wentOut = this.#program.write(bytes);
    if (isTyped && by === "human") this.#typedAt = performance.now();
    this.#viewers?.typed(bytes);
    return wentOut;
  }

  check(): ScreenAnswer {
    return this.#hand?.check() ?? { terminalState: null, reason: NO_HAND, isPiped: this.#program.terminal === null };
  }

  rows(): string[] | null {
    return this.#observer?.screenRows() ?? null;
  }

  /** Keys of rouse itself: only if `precondition` holds now. */
  press(keys: Keys, precondition: Precondition, by: TypedBy): PressAnswer {
    return this.#hand?.press(keys, precondition, by) ?? { bytes: 0, reason: NO_HAND };
  }

  onDrain(call: () => void): void {
    this.#program.onDrain(call);
  }

  pause(): void {
    this.#program.pause();
  }

  resume(): void {
    this.#program.resume();
  }

  resize(cols: number, rows: number, pixels?: PixelSize): void {
    const isSame = cols === this.#cols && rows === this.#rows;
    // Another font changes only the pixels.
    if (isSame && !pixels) return;
    this.#cols = cols;
    this.#rows = rows;
    this.#program.resize(cols, rows, pixels);
    if (isSame) return;
    this.#observer?.resize(cols, rows);
    this.#viewers?.resized({ cols, rows });
  }

  /** Viewers set the size only if the agent has no terminal of its own. */
  viewed(size: { cols: number; rows: number } | null): void {
    if (size && this.#options.spec.origin === "spawn") this.resize(size.cols, size.rows);
  }

  /** A signal from one of the host's own sources. */
  give(signal: Signal): void {
    if (signal.kind === "input" && isLeave(signal)) this.#quit = signal;
    if (this.#link) this.#link.give(signal);
    else if (this.#early.length < EARLY_SIGNALS_MAX) this.#early.push(signal);
  }

  /** Forwards a signal to the agent or to its whole group; never to another process that reuses its pid. */
  kill(signal: NodeJS.Signals, to: "agent" | "group"): void {
    if (this.#start === null || identityOf(this.#program.pid) !== this.#start) return;
    try {
      process.kill(to === "group" ? -this.#program.pid : this.#program.pid, signal);
    } catch {
      // It has just ended.
    }
  }

  /** A client's keys, written at once and without any check. */
  async type(text: string, enter: boolean): Promise<number> {
    const bytes = typedText(text);
    // In sequence: two texts typed at the same time must not mix.
    const typed = this.#enters.then(async () => {
      if (bytes.length > 0) this.#write(bytes, "client");
      if (!enter) return;
      await sleep(ENTER_AFTER_MS);
      this.#write(ENTER, "client");
    });
    this.#enters = typed;
    await typed;
    return bytes.length + (enter ? ENTER.length : 0);
  }

  checkKeys(client: Socket): Promise<RefusedKeys | null> {
    return checkKeyClient(client, this.#options.paths, this.#record);
  }

  keysRefused(order: "attach" | "type", text: string, { by, reason }: RefusedKeys): void {
    const { name, session } = this;
    if (by !== null) this.#options.keysRefused?.({ by, order, agent: name, session, text, reason });
  }

  async stop(graceMs: number, by: LeftBy | "rouse"): Promise<StopResult> {
    if (this.#start === null) throw new Error("the agent's process could not be identified; no signal was sent");
    this.give(stopSignal(by, Date.now()));
    if (by !== "rouse") this.#stoppedBy = by;
    const stopped = await stopTree({ pid: this.#program.pid, start: this.#start, ownsGroup: true }, graceMs);
    if (!stopped.isGone) this.#stoppedBy = null;
    return stopped;
  }

  /** Sends the bell and a notification (OSC 9) to every terminal that shows the agent, when its output rests; returns their number. */
  async notify(text: string): Promise<number> {
    const bytes = Buffer.from(`\u0007\u001b]9;${sanitize(text, NOTIFY_CHARS)}\u0007`);
    if (!(await waitForRest(this.ring))) return 0;
    const outer = this.#options.spec.origin === "run" && this.#program.terminal !== null;
    if (outer) this.#options.output?.(bytes);
    return (this.#viewers?.ring(bytes) ?? 0) + (outer ? 1 : 0);
  }

  info(): Record<string, unknown> {
    return {
      ...this.#record,
      ...this.size(),
      viewers: this.#viewers?.count ?? 0,
      outputBytes: this.ring.total,
      skippedBytes: this.#observer?.skippedBytes ?? 0,
      isWatching: this.#observer?.isWatching ?? false,
      isConnected: this.#link?.isConnected ?? false,
      droppedSignals: this.#link?.droppedSignals ?? 0,
      residentBytes: process.memoryUsage.rss(),
    };
  }

  /** Call after the exit: makes the last check, reports to the daemon and viewers, writes the record, removes the socket. */
  async close(exit: PtyExit, withinMs: number): Promise<void> {
    await this.ready;
    this.#observer?.end();
    const at = Date.now();
    // The grace period may be longer than the time in which an earlier mark counts.
    if (this.#stoppedBy) this.give(stopSignal(this.#stoppedBy, at));
    this.give({ kind: "exit", at, source: "process", code: exit.code, signal: exit.signal });
    this.#record = { ...this.#record, endedAt: at, exit, leftBy: this.#leftBy(at) };
    this.#guarded("the record", () => {
      if (this.#options.spec.origin === "spawn") {
        const bytes = this.ring.tail(LAST_OUTPUT_BYTES);
        writeFileSync(sessionFile(this.#options.paths, this.session, "out"), bytes, { mode: 0o600 });
      }
      this.#records.keep(this.#record);
    });
    this.#link?.update(agentSession(this.#record));
    await Promise.allSettled([this.#viewers?.close(exit), this.#link?.close(withinMs)]);
  }

  #leftBy(at: number): LeftBy | null {
    return this.#quit && at - this.#quit.at < LEAVING_MS ? leftBy(this.#quit) : null;
  }

  /** Stops watching; output still passes. */
  stopWatching(): void {
    this.#observer?.stop();
  }

  #data(bytes: Buffer): boolean {
    const isKept = this.#options.output?.(bytes) ?? false;
    this.ring.push(bytes);
    this.#viewers?.show(bytes);
    const queries = this.#responder?.queries(bytes) ?? [];
    // Answers wait for the observer, which knows the cursor position, and keep the order of the queries.
    if (queries.length > 0) void this.ready.then(() => this.#answer(queries));
    return isKept;
  }

  #answer(queries: readonly Query[]): void {
    for (const query of queries) {
      const cursor = query === "cursor" ? (this.#observer?.cursor() ?? null) : null;
      this.#program.write(Buffer.from(answerTo(query, cursor)));
    }
  }

  async #startWatching(): Promise<void> {
    const { paths } = this.#options;
    try {
      const watching = await startWatching({
        options: this.#options,
        program: this.#program,
        start: this.#start,
        ring: this.ring,
        size: () => this.size(),
        typedAt: () => this.#typedAt,
        give: (signal) => this.give(signal),
        shown: (bytes) => this.#viewers?.typed(bytes),
        say: (what, error) => this.#say(what, error),
      });
      this.#record = { ...this.#record, kind: watching.kind };
      this.#observer = watching.observer;
      this.#hand = watching.hand;
    } catch (error) {
      this.#say("the observer failed", error);
    }
    // Before the record: a client that finds the agent by it may connect at once.
    this.#guarded("the socket for viewers", () => {
      makePrivateFolder(paths.runtime);
      this.#viewers = new Viewers(paths.hostSocket(this.session), this, (error) => this.#say("no viewers", error));
    });
    this.#guarded("the record", () => {
      this.#records.keep(this.#record);
      pruneSessions(paths, Date.now());
    });
    this.#guarded("the daemon link", () => {
      const { startDaemon } = this.#options;
      this.#link = new DaemonLink({
        socketPath: paths.daemonSocket,
        session: agentSession(this.#record),
        isWatching: () => this.#observer?.isWatching ?? false,
        onLost: () => this.#repeat(),
        ...(startDaemon ? { startDaemon } : {}),
      });
      for (const signal of this.#early.splice(0)) this.#link.give(signal);
    });
  }

  /** The daemon has lost what came before: that time counts for no clock. */
  #repeat(): void {
    const at = Date.now();
    this.give({ kind: "gap", at, source: "observer", from: this.#record.startedAt, to: at });
    this.#observer?.repeat();
  }

  #guarded(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#say(`${what} failed`, error);
    }
  }

  #say(what: string, error: unknown): void {
    this.#options.log(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** rouse's own logins, such as that of the hub, are not for agents. */
const SECRET = /^ROUSE_(?:.*_)?(?:TOKEN|KEY|SECRET|PASSWORD|URL)$/;

const agentEnvironment = (env: HostOptions["env"]): HostOptions["env"] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
