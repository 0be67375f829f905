/**
 * A control client of a tmux server: commands without a process each, and notifications of changes.
 *
 * It requests no output (`no-output`), which protects the agents. When every attached client is a control client with a
 * full buffer, tmux stops reading the panes' terminals: a watchdog that is stopped, swapped out or busy would freeze
 * the agents that it watches. Measured with 3.3a and a flooding pane: it froze within a second in 8 of 14 runs, with or
 * without `pause-after`. So screens are captured instead, at the interval at which they are read anyway.
 *
 * `-E` leaves the session's environment unchanged, `ignore-size` its size; `read-only` also protects both.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { type ControlEvent, ControlParser } from "./control-parser.js";
import { ANSWER_MS, baseArguments, type Command, clientEnvironment, type TmuxAnswer, type TmuxLink } from "./link.js";

const FLAGS = "read-only,ignore-size,no-output";
/** A client exits after the end of its input; one that does not is killed after this time. */
const LEAVE_MS = 1000;

interface Batch {
  replies: (string | null)[];
  wanted: number;
  done: (outcome: TmuxAnswer) => void;
  timer: NodeJS.Timeout;
}

export class ControlLink implements TmuxLink {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #parser = new ControlParser();
  #batch: Batch | null = null;
  #attached: ((link: boolean) => void) | null = null;
  #closed: string | null = null;

  /** A link to this session of the server, or null if control mode is refused. */
  static async open(
    socket: string,
    session: string,
    notice: (name: string, words: string) => void,
    program = "tmux",
  ): Promise<ControlLink | null> {
    const args = [...baseArguments(socket), "-C", "attach-session", "-E", "-f", FLAGS, "-t", session];
    const link = new ControlLink(spawn(program, args, { env: clientEnvironment(), stdio: "pipe" }), notice);
    const attached = await new Promise<boolean>((done) => {
      link.#attached = done;
      setTimeout(() => done(false), ANSWER_MS).unref();
    });
    link.#attached = null;
    if (attached && link.#closed === null) return link;
    link.close("refused");
    return null;
  }

  private constructor(child: ChildProcessWithoutNullStreams, notice: (name: string, words: string) => void) {
    this.#child = child;
    child.stdout.on("data", (bytes: Buffer) => {
      for (const event of this.#parser.push(bytes)) this.#take(event, notice);
    });
    child.stderr.resume();
    // A write to an ended client fails; `close` reports its end.
    child.stdin.on("error", () => {});
    child.on("error", (error) => this.close(error.message));
    child.on("close", () => this.close("the client ended"));
  }

  /** Why it can no longer be used, or null. */
  get closed(): string | null {
    return this.#closed;
  }

  run(commands: readonly Command[]): Promise<TmuxAnswer> {
    if (this.#closed !== null) return Promise.resolve({ kind: "failed", reason: this.#closed });
    if (this.#batch) return Promise.resolve({ kind: "failed", reason: "another batch is under way" });
    return new Promise((done) => {
      const late = (): void => this.close(`tmux did not answer within ${ANSWER_MS} ms`);
      this.#batch = { replies: [], wanted: commands.length, done, timer: setTimeout(late, ANSWER_MS) };
      this.#child.stdin.write(commands.map((command) => `${command.map(quoted).join(" ")}\n`).join(""));
    });
  }

  close(reason = "closed"): void {
    if (this.#closed !== null) return;
    this.#closed = reason;
    this.#attached?.(false);
    this.#settle({ kind: "failed", reason });
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), LEAVE_MS);
    timer.unref();
    this.#child.once("close", () => clearTimeout(timer));
  }

  #take(event: ControlEvent, notice: (name: string, words: string) => void): void {
    if (this.#closed !== null) return;
    if (event.kind === "broken") this.close(event.reason);
    else if (event.kind === "reply") this.#takeReply(event);
    else if (event.name === "exit") this.close(`tmux ended the client: ${event.words}`);
    else notice(event.name, event.words);
  }

  #takeReply(event: ControlEvent & { kind: "reply" }): void {
    if (!event.own) {
      this.#attached?.(event.ok);
      return;
    }
    const batch = this.#batch;
    if (!batch) {
      this.close("an unexpected reply");
      return;
    }
    batch.replies.push(event.ok ? event.text : null);
    if (batch.replies.length === batch.wanted) this.#settle({ kind: "answer", replies: batch.replies });
  }

  #settle(outcome: TmuxAnswer): void {
    const batch = this.#batch;
    if (!batch) return;
    this.#batch = null;
    clearTimeout(batch.timer);
    batch.done(outcome);
  }
}

/** tmux parses each line of control mode. Only fixed texts and ids are sent, none with a quote. */
function quoted(word: string): string {
  if (/['\n\r]/.test(word)) throw new Error(`not a valid argument for a control client: ${JSON.stringify(word)}`);
  return `'${word}'`;
}
