/**
 * A simulated terminal: a program with a composer, as state. An event happens at one chosen step; a step is
 * everything that an effect waits for: a check, a press, a pause. Keys act on the program in its state on arrival,
 * and keys that arrive in a wrong place are recorded.
 */
import {
  type Keys,
  type Precondition,
  refuseReason,
  type ScreenState,
  sameText,
} from "../../src/core/policy/typing-checks.js";
import type { PressResult, Terminal, TerminalCheck } from "../../src/effects/keys/terminal.js";

/** The events. */
export const EVENTS = [
  "dialog", // opens
  "answered", // it is closed again
  "human", // types
  "shell", // left behind by the agent
  "exit",
  "turn", // starts by itself
  "redraw", // moves the composer
  "unfit", // a screen without a matching profile
  "stranger", // another program has the terminal
  "lost", // answers get lost from now on
  "slow", // the next two checks come late
] as const;
export type Event = (typeof EVENTS)[number];

export interface Happening {
  event: Event;
  /** The step at which it happens. */
  at: number;
}

export interface FakeOptions {
  happenings: readonly Happening[];
  begins: "idle" | "running";
  /** A planted bug: keys are written without the terminal's own check. */
  careless?: boolean;
  /** The number of keys that end a turn. */
  keysToEnd?: number;
}

export class FakeTerminal implements Terminal<number> {
  now = 1_000_000;
  readonly harm: string[] = [];
  readonly keys: Keys[] = [];
  draft = "";
  submitted: string[] = [];
  #turn: boolean;
  #dialog = false;
  #human = Number.NEGATIVE_INFINITY;
  #program: "agent" | "shell" | "gone" | "stranger" = "agent";
  #composerDigest = 0;
  #fits = true;
  #lost = false;
  #lateChecks = 0;
  #step = 0;
  #interrupts = 0;
  /** The text of ours that has arrived and was not erased or submitted. */
  #typed = "";
  readonly #options: FakeOptions;

  constructor(options: FakeOptions) {
    this.#options = options;
    this.#turn = options.begins === "running";
  }

  /** All events happened before the end of the effect. */
  get happened(): boolean {
    return this.#options.happenings.every(({ at }) => this.#step > at);
  }

  async sleep(ms: number): Promise<void> {
    this.#next();
    this.now += ms;
  }

  async check(): Promise<TerminalCheck<number>> {
    this.#next();
    this.now += this.#lateChecks-- > 0 ? 3000 : 5;
    const reason = this.#away();
    if (reason !== null) return { terminalState: null, reason };
    return {
      terminalState: { screenState: this.#screenState(), quietMs: this.now - this.#human },
      ticket: this.#composerDigest,
    };
  }

  async press(_ticket: number, keys: Keys, precondition: Precondition): Promise<PressResult> {
    this.#next();
    this.now += 5;
    const terminalState = { screenState: this.#screenState(), quietMs: this.now - this.#human };
    const objection = this.#away() ?? refuseReason(terminalState, precondition);
    if (objection !== null && !this.#options.careless) return { result: "refused", reason: objection };
    this.#arrive(keys);
    return this.#lost ? { result: "unknown", reason: "nobody said" } : { result: "pressed" };
  }

  close(): void {}

  /** A dialog is open from the start. */
  open(): void {
    this.#dialog = true;
  }

  #away(): string | null {
    if (this.#program === "gone") return "the agent's process is gone";
    return this.#program === "agent" ? null : "another program has the terminal";
  }

  #screenState(): ScreenState {
    return {
      composer: this.#dialog ? "hidden" : this.draft === "" ? "empty" : "draft",
      draft: this.#dialog ? "" : this.draft,
      dialog: this.#dialog ? "permission" : null,
      busy: this.#dialog ? null : this.#turn,
      says: null,
      queued: false,
      structural: !this.#fits,
      composerDigest: `${this.#composerDigest} ${this.draft}`,
    };
  }

  #next(): void {
    const step = this.#step++;
    for (const { event } of this.#options.happenings.filter(({ at }) => at === step)) this.#happen(event);
  }

  #happen(event: Event): void {
    if (event === "dialog") this.#dialog = true;
    else if (event === "answered") this.#dialog = false;
    else if (event === "turn") this.#turn = true;
    else if (event === "redraw") this.#composerDigest++;
    else if (event === "unfit") this.#fits = false;
    else if (event === "lost") this.#lost = true;
    else if (event === "slow") this.#lateChecks = 2;
    else if (event === "exit") this.#program = "gone";
    else if (event === "human") {
      this.draft += "mine";
      this.#human = this.now;
    } else this.#program = event;
  }

  /** The program's reaction to keys, and the keys that must never have arrived. */
  #arrive(keys: Keys): void {
    this.keys.push(keys);
    if (this.#program !== "agent") this.harm.push(`${keys.kind} into ${this.#program}`);
    if (this.#dialog) this.harm.push(`${keys.kind} into a dialog`);
    if (!this.#fits) this.harm.push(`${keys.kind} into a screen that nobody knows`);
    if (this.now - this.#human < 30_000) this.harm.push(`${keys.kind} beside a human`);
    if (keys.kind === "text") {
      if (this.#turn || this.draft !== this.#typed) this.harm.push("text into a turn or a draft");
      this.draft += keys.text;
      this.#typed += keys.text;
    } else if (keys.kind === "erase") {
      if (this.draft.includes("mine")) this.harm.push("a human's text erased");
      this.draft = this.draft.slice(0, -keys.chars);
      this.#typed = "";
    } else if (keys.kind === "submit") {
      if (this.#turn) this.harm.push("Enter into a turn");
      if (!sameText(this.draft, this.#typed)) this.harm.push("Enter behind a text that is not ours");
      this.submitted.push(this.draft);
      this.#typed = "";
      this.draft = "";
      this.#turn = true;
    } else {
      if (!this.#turn) this.harm.push("an interrupt without a turn");
      if (++this.#interrupts >= (this.#options.keysToEnd ?? 1)) this.#turn = false;
    }
  }
}
