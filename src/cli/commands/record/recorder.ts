/** Records one agent into a case folder until the agent ends or the recorder is stopped. */
import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../config/paths.js";
import type { AgentSession } from "../../../core/agent.js";
import { redact } from "../../../core/text/redact.js";
import { ProcessSensor } from "../../../sensors/process/process-sensor.js";
import type { FoundSession } from "../../../terminal/registry.js";
import { CastWriter } from "./cast.js";
import { followHost, followPane, type StopFollowing, type TerminalEvents } from "./terminal.js";
import { TranscriptCopies } from "./transcript.js";

export interface RecordTarget {
  session: AgentSession;
  /** Version of the program, if the daemon knows it. */
  version: string | null;
  /** The host process, if rouse started the agent. */
  host: (FoundSession & { hostSocket: string }) | null;
}

export interface Recording {
  name: string;
  folder: string;
  /** Parts of the recording. */
  contents: string[];
  /** True if the agent ended. */
  ended: boolean;
  duration_secs: number;
}

export interface RecorderOptions {
  /** Version of rouse. */
  by: string;
  /** Keeps typed text, not only the kinds of keys. */
  keysWhole: boolean;
}

const TICK_MS = 1000;
const SIZE = { cols: 120, rows: 40 };

export class Recorder {
  /** The agent ended or is no longer visible. */
  readonly ended: Promise<void>;
  readonly #target: RecordTarget;
  readonly #folder: string;
  readonly #by: string;
  readonly #keysWhole: boolean;
  readonly #startAt: number = Math.floor(Date.now() / 1000) * 1000;
  readonly #processes = new ProcessSensor();
  readonly #transcripts: TranscriptCopies;
  readonly #ended: () => void;
  #cast: CastWriter | null = null;
  #leave: StopFollowing = () => {};
  #ticking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isHeadless: boolean | null = null;
  #size: { cols: number; rows: number } | null = null;
  #exit: { t: number; code: number | null; signal: number | null } | null = null;
  #isOver = false;
  #samples = 0;

  /** Creates the folder, which must not exist. */
  constructor(target: RecordTarget, folder: string, { by, keysWhole }: RecorderOptions) {
    this.#target = target;
    this.#folder = folder;
    this.#by = by;
    this.#keysWhole = keysWhole;
    makeFolder(folder);
    this.#transcripts = new TranscriptCopies(folder);
    let ended: () => void = () => {};
    this.ended = new Promise((resolve) => {
      ended = resolve;
    });
    this.#ended = ended;
  }

  async start(): Promise<void> {
    const { host, session } = this.#target;
    const events: TerminalEvents = {
      output: (bytes) => {
        this.#isHeadless ??= startsAsStream(bytes);
        this.#terminal().output(bytes);
      },
      keys: (bytes) => this.#terminal().keys(bytes),
      size: (cols, rows) => {
        this.#size ??= { cols, rows };
        this.#cast?.resize(cols, rows);
      },
      ended: (exit) => this.#over(exit),
    };
    if (host) this.#leave = await followHost(host, events);
    else if (session.pane) this.#leave = followPane(session.pane, events);
    this.#writeMeta();
    await this.#check();
    this.#timer = setInterval(() => {
      this.#ticking ??= this.#check().finally(() => {
        this.#ticking = null;
      });
    }, TICK_MS);
  }

  async stop(): Promise<Recording> {
    if (this.#timer) clearInterval(this.#timer);
    // Disconnecting closes the connection too, which is not an end of the agent.
    const ended = this.#isOver;
    this.#isOver = true;
    this.#leave();
    await this.#ticking;
    await this.#transcripts.close(this.#clock());
    await this.#cast?.close();
    this.#writeMeta();
    const contents = [
      ...(this.#cast ? ["terminal"] : []),
      ...(this.#transcripts.count > 0 ? [counted(this.#transcripts.count, "transcript")] : []),
      ...(this.#samples > 0 ? [counted(this.#samples, "process sample")] : []),
    ];
    const { name } = this.#target.session;
    return { name, folder: this.#folder, contents, ended, duration_secs: Math.round(this.#clock()) };
  }

  /** Seconds since the start, with millisecond precision. */
  #clock(): number {
    return Math.max(0, Date.now() - this.#startAt) / 1000;
  }

  #terminal(): CastWriter {
    this.#cast ??= new CastWriter(
      join(this.#folder, "session.cast.gz"),
      this.#size ?? SIZE,
      this.#startAt,
      () => this.#clock(),
      this.#keysWhole,
    );
    return this.#cast;
  }

  #over(exit: { code: number | null; signal: number | null } | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (exit) this.#exit = { t: this.#clock(), ...exit };
    this.#ended();
  }

  async #check(): Promise<void> {
    const { session } = this.#target;
    await this.#processes.refresh(Date.now());
    const { table } = this.#processes;
    if (!table) return;
    const t = this.#clock();
    await this.#transcripts.tick(session, table, t);
    if (session.pid === null) return;
    const target = { pid: session.pid, start: session.pidStart };
    const { kind: _k, at: _a, source: _s, ...sample } = this.#processes.sample(target, Date.now());
    const starved = this.#processes.starvation(target, Date.now());
    this.#samples++;
    const lines: object[] = [{ t, ...sample }];
    if (starved) lines.push({ t, starvedMs: starved.lostMs, withinMs: starved.to - starved.from });
    appendFileSync(join(this.#folder, "process.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""), {
      mode: 0o600,
    });
    // A host reports the end and the exit status itself; for other agents only the process is visible.
    if (sample.alive === false && !this.#target.host) this.#over(null);
  }

  /** Written at the start and at the end, so that a recorder that is killed leaves a valid case too. */
  #writeMeta(): void {
    const { session, version } = this.#target;
    const size = this.#size ?? SIZE;
    const meta = {
      agent: session.kind,
      ...(version === null ? {} : { version }),
      mode: this.#isHeadless ? "headless" : "tui",
      size: [size.cols, size.rows],
      ...(this.#exit ? { t_exit: this.#exit.t, exit: this.#exit.code, signal: this.#exit.signal } : {}),
      t_end: this.#clock(),
      name: session.name,
      origin: session.origin,
      command: session.command.map(redact),
      recorded_at: new Date(this.#startAt).toISOString(),
      recorded_by: `rouse ${this.#by}`,
    };
    const path = join(this.#folder, "meta.json");
    writeFileSync(`${path}.new`, `${JSON.stringify(meta, null, 1)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

/** A headless program starts with a JSON event; no terminal program does. */
function startsAsStream(bytes: Buffer): boolean {
  return bytes.subarray(0, 64).toString("latin1").trimStart().startsWith('{"');
}
