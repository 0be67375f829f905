/** The state that the steps of a script change: screen, keys, turn, transcript, and a scaled clock. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DemoScreen } from "./screen.js";
import { Transcript } from "./transcript.js";

export interface DemoAgentOptions {
  speed?: number;
  drawMs?: number;
  transcript?: string | null;
  session?: string;
  /** File for the received input. */
  log?: string | null;
}

const DRAW_MS = 100;

export class Agent {
  readonly screen: DemoScreen = new DemoScreen();
  readonly transcript: Transcript;
  tokens = 0;
  /** What of the typed keys the program takes; null for all. */
  takes: ((keys: string) => string) | null = null;
  readonly #speed: number;
  readonly #log: string | null;
  #turnAt = 0;
  #enter: ((text: string) => void)[] = [];
  #interrupts: (() => void)[] = [];
  /** Submitted while no step waited for it: processed next, as a client keeps a queue. */
  #queue: string[] = [];

  constructor({ speed = 1, drawMs = DRAW_MS, transcript = null, session = "fake", log = null }: DemoAgentOptions) {
    this.#speed = speed;
    this.#log = log;
    this.transcript = new Transcript(transcript, session);
    process.stdin.setRawMode?.(true);
    process.stdin.setEncoding("utf8").on("data", (text: string) => this.#keys(text));
    process.on("SIGUSR2", () => this.submit(""));
    setInterval(() => this.screen.draw(), drawMs);
  }

  /** Waits for this long, or until the user submits something. */
  async rest(ms?: number): Promise<void> {
    if (ms === undefined) await this.enter();
    else await sleep(ms / this.#speed);
  }

  /** The typed text, at the next Enter; SIGUSR2 acts as an Enter. */
  enter(): Promise<string> {
    const queued = this.#queue.shift();
    if (queued !== undefined) return Promise.resolve(queued);
    return new Promise((resolve) => this.#enter.push(resolve));
  }

  /** Waits until `work` ends or Esc interrupts the turn: then it resolves to true, and the screen shows it. */
  async untilInterrupted(work: Promise<unknown>): Promise<boolean> {
    const interrupted = new Promise<boolean>((resolve) => this.#interrupts.push(() => resolve(true)));
    const ended = await Promise.race([work.then(() => false), interrupted]);
    this.#interrupts = [];
    if (!ended) return false;
    this.transcript.interrupted();
    this.say("  ⎿  Interrupted · What should Claude do instead?");
    this.screen.status = null;
    this.screen.draw();
    return true;
  }

  /** At its composer until the user submits something. */
  async prompt(): Promise<void> {
    const text = await this.enter();
    this.say(`❯ ${text}`);
    this.transcript.prompt(text);
  }

  say(...rows: string[]): void {
    this.screen.reply.push(...rows, "");
  }

  begin(verb = "Pondering"): void {
    if (!this.screen.status) {
      this.#turnAt = Date.now();
      this.tokens = 0;
    }
    this.screen.status = () => `${verb}… (${this.elapsed()} · ↓ ${this.tokens} tokens)`;
  }

  end(): void {
    this.say(`✻ Cooked for ${this.elapsed()}`);
    this.screen.status = null;
  }

  elapsed(): string {
    return `${Math.floor((Date.now() - this.#turnAt) / 1000)}s`;
  }

  submit(text: string): void {
    if (this.#enter.length === 0) this.#queue.push(text);
    for (const resolve of this.#enter.splice(0)) resolve(text);
  }

  /** Logs the input with its time, how long a dialog and which draft had been on the screen. */
  #keep(text: string): void {
    const since = (at: number): number => Math.round(performance.now() - at);
    const { dialog, dialogAt, shownDraft } = this.screen;
    const shown = { dialogMs: dialog ? since(dialogAt) : null, draft: shownDraft.text, draftMs: since(shownDraft.at) };
    if (this.#log) appendFileSync(this.#log, `${JSON.stringify({ at: Date.now(), text, ...shown })}\n`);
  }

  #keys(typed: string): void {
    this.#keep(typed);
    const text = this.takes?.(typed) ?? typed;
    if (text === "\u001b") for (const interrupt of this.#interrupts.splice(0)) interrupt();
    for (const key of text) {
      if (key === "\u0003") process.exit(0);
      if (key === "\r") {
        this.submit(this.screen.draft);
        this.screen.draft = "";
      } else if (key === "\u007f") this.screen.draft = this.screen.draft.slice(0, -1);
      else if (key >= " ") this.screen.draft += key;
    }
  }
}
