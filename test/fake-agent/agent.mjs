/** What the steps of a script act on: the screen, the keys, the turn that runs, its transcript, and a scaled clock. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Screen } from "./screen.mjs";
import { Transcript } from "./transcript.mjs";

const DRAW_MS = 100;

export class Agent {
  screen = new Screen();
  transcript;
  tokens = 0;
  #speed;
  #turnAt = 0;
  #enter = [];
  #interrupts = [];
  #log;
  /** Submitted while nobody waited for it: taken up next, as a client keeps a queue. */
  #queue = [];

  constructor({ speed = 1, transcript = null, session = "fake", log = null }) {
    this.#speed = speed;
    this.#log = log;
    this.transcript = new Transcript(transcript, session);
    process.stdin.setRawMode?.(true);
    process.stdin.setEncoding("utf8").on("data", (text) => this.#keys(text));
    process.on("SIGUSR2", () => this.#submit(""));
    setInterval(() => this.screen.draw(), DRAW_MS);
  }

  /** Until a human presses Enter without a number. */
  async rest(ms) {
    if (ms === undefined) await this.enter();
    else await sleep(ms / this.#speed);
  }

  /** What a human typed, at the next Enter; SIGUSR2 is an Enter that nobody types. */
  enter() {
    if (this.#queue.length > 0) return Promise.resolve(this.#queue.shift());
    return new Promise((resolve) => this.#enter.push(resolve));
  }

  /** Until `work` is over, or Esc ends the turn: then the promise is true, and the screen says so. */
  async untilInterrupted(work) {
    const interrupted = new Promise((resolve) => this.#interrupts.push(() => resolve(true)));
    const ended = await Promise.race([work.then(() => false), interrupted]);
    this.#interrupts = [];
    if (!ended) return false;
    this.say("  ⎿  Interrupted · What should Claude do instead?");
    this.screen.status = null;
    this.screen.draw();
    return true;
  }

  /** At its composer until a human submits something. */
  async prompt() {
    const text = await this.enter();
    this.say(`❯ ${text}`);
    this.transcript.prompt(text);
  }

  say(...rows) {
    this.screen.reply.push(...rows, "");
  }

  begin(verb = "Pondering") {
    if (!this.screen.status) {
      this.#turnAt = Date.now();
      this.tokens = 0;
    }
    this.screen.status = () => `${verb}… (${this.elapsed()} · ↓ ${this.tokens} tokens)`;
  }

  end() {
    this.say(`✻ Cooked for ${this.elapsed()}`);
    this.screen.status = null;
  }

  elapsed() {
    return `${Math.floor((Date.now() - this.#turnAt) / 1000)}s`;
  }

  #submit(text) {
    if (this.#enter.length === 0) this.#queue.push(text);
    for (const resolve of this.#enter.splice(0)) resolve(text);
  }

  /** Everything that arrives, and for how many milliseconds a dialog had been on the screen then. */
  #keep(text) {
    const dialogMs = this.screen.dialog ? Math.round(performance.now() - this.screen.dialogAt) : null;
    if (this.#log) appendFileSync(this.#log, `${JSON.stringify({ text, dialogMs })}\n`);
  }

  #keys(text) {
    this.#keep(text);
    if (text === "\u001b") for (const interrupt of this.#interrupts.splice(0)) interrupt();
    for (const key of text) {
      if (key === "\u0003") process.exit(0);
      if (key === "\r") {
        this.#submit(this.screen.draft);
        this.screen.draft = "";
      } else if (key === "\u007f") this.screen.draft = this.screen.draft.slice(0, -1);
      else if (key >= " ") this.screen.draft += key;
    }
  }
}
