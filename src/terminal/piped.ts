/**
 * `rouse run` when input or output is not a terminal: the agent gets them unchanged, since a program behaves
 * differently on pipes (Claude Code's `-p` reads its input only from a pipe, and a terminal would put carriage returns
 * into its JSON). Output on a pipe passes through here and is read: JSON lines as the program's event stream, anything
 * else as a screen. A terminal is passed on to the agent and not observed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { ProgramReaders } from "../programs/program.js";
import { loadReaders } from "../programs/registry.js";
import { parseRecord } from "../readers/records/json.js";
import { LineSplitter } from "../readers/records/lines.js";
import type { RecordReader } from "../readers/records/record-reader.js";
import { localReadContext } from "../sensors/read-context.js";
import type { ForegroundOptions } from "./foreground.js";
import { Host } from "./host.js";
import type { HeldProgram } from "./host-options.js";
import type { PtyEvents, PtyExit, PtyOptions } from "./pty.js";

const EARLY_BYTES_MAX = 4 * 1024 * 1024;
const BEHIND_BYTES = 1024 * 1024;
const CLOSE_MS = 1000;
/** Processes that outlive the program may hold its pipes; their output passes for this long after its end. */
const LINGER_MS = 500;
const LINE_FEED = /\r?\n/g;
const COLS = 200;
const ROWS = 50;

export async function runPiped(options: ForegroundOptions): Promise<PtyExit> {
  let seeOutput: (bytes: Buffer) => void = () => {};
  // Before the agent starts: one that exits at once would be gone before its records could be read.
  const readersFor = await loadReaders();
  const host = new Host({
    ...options,
    cols: process.stdout.columns ?? COLS,
    rows: process.stdout.rows ?? ROWS,
    open: (program, events) => new PipedProgram(program, events, (bytes) => seeOutput(bytes)),
  });
  const stream = new StreamWatch(host, readersFor);
  seeOutput = (bytes) => stream.take(bytes);
  const pass = (signal: NodeJS.Signals): void => host.kill(signal, "agent");
  process.on("uncaughtException", (error) => {
    options.log(`observation stopped; the agent keeps running: ${error.stack}`);
    host.stopWatching();
  });
  for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const) process.on(signal, pass);
  // A terminal sends these to the whole group, the agent included.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, hasTerminal ? () => {} : pass);
  const exit = await host.exited;
  await host.close(exit, CLOSE_MS);
  return exit;
}

class PipedProgram implements HeldProgram {
  readonly pid: number;
  readonly path = "";
  readonly terminal = null;
  readonly #child: ChildProcess;

  constructor({ command, cwd, env }: PtyOptions, events: PtyEvents, output: (bytes: Buffer) => void) {
    const [file = "", ...args] = command;
    const through = (stream: { isTTY?: boolean }): "inherit" | "pipe" => (stream.isTTY ? "inherit" : "pipe");
    this.#child = spawn(file, args, {
      cwd,
      env: { ...env },
      stdio: ["inherit", through(process.stdout), through(process.stderr)],
    });
    if (this.#child.pid === undefined) {
      this.#child.on("error", () => {});
      throw new Error(`${file} could not be started`);
    }
    this.pid = this.#child.pid;
    const passed = (bytes: Buffer): void => {
      // The emulated screen needs carriage returns, which a terminal would add.
      events.data(Buffer.from(bytes.toString("latin1").replace(LINE_FEED, "\r\n"), "latin1"));
    };
    pass(this.#child.stdout, process.stdout, (bytes) => {
      output(bytes);
      passed(bytes);
    });
    pass(this.#child.stderr, process.stderr, passed);
    this.#child.on("exit", (code, signal) => {
      const ended = (): void => {
        clearTimeout(late);
        events.exit({ code, signal: signal ? constants.signals[signal] : null });
      };
      const late = setTimeout(ended, LINGER_MS);
      this.#child.on("close", ended);
    });
  }

  /** The program owns its input. */
  write(): boolean {
    return true;
  }

  onDrain(): void {}

  resize(): void {}

  pause(): void {}

  resume(): void {}
}

function pass(from: Readable | null, to: Writable, see: (bytes: Buffer) => void): void {
  from?.on("data", (bytes: Buffer) => {
    to.write(bytes);
    see(bytes);
    if (to.writableLength <= BEHIND_BYTES) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
}

/** Decides by the first byte whether the output is an event stream, and then reads that instead of a screen. */
class StreamWatch {
  readonly #host: Host;
  readonly #lines = new LineSplitter();
  #isStream: boolean | null = null;
  #reader: RecordReader | null = null;
  /** Output from before the host knew the program. */
  #early: Buffer[] = [];
  #earlyBytes = 0;

  constructor(host: Host, readersFor: (kind: string) => ProgramReaders) {
    this.#host = host;
    void host.ready.then(() => this.#begin(readersFor(host.kind)));
  }

  take(bytes: Buffer): void {
    this.#isStream ??= bytes[0] === 0x7b;
    if (!this.#isStream) return;
    if (this.#reader) {
      this.#read(this.#reader, bytes);
      return;
    }
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes <= EARLY_BYTES_MAX) this.#early.push(bytes);
  }

  #begin(readers: ProgramReaders): void {
    this.#reader = readers.stream(localReadContext());
    for (const bytes of this.#early.splice(0)) this.#read(this.#reader, bytes);
  }

  #read(reader: RecordReader, bytes: Buffer): void {
    this.#host.stopWatching();
    for (const line of this.#lines.push(bytes)) {
      const record = parseRecord(line);
      if (record) for (const signal of reader.read(record, Date.now())) this.#host.give(signal);
    }
  }
}
