/** `rouse top`: all agents on one screen, kept up to date, with one key per action. */
import { rousePaths } from "../../config/paths.js";
import { canDraw, isColoured } from "../text/paint.js";
import { followEvents, readAgents } from "./feed.js";
import { frameOf } from "./frame.js";
import { readKeys, type Typed } from "./keys.js";
import { emptyModel, type Input, type Page, putAgent, selectedAgent, type TopModel } from "./model.js";
import { press, type Wish } from "./press.js";
import { TopTerminal } from "./terminal.js";

/** Ages grow. */
const REDRAW_MS = 1000;
/** Facts without an event of their own: last activity, current tool, tokens, the strips. */
const REFRESH_MS = 10_000;
/** Several events become one reading. */
const SOON_MS = 300;
const LOGS_MS = 2000;

type Actions = typeof import("./actions.js");

const complain = (text: string, code: number): number => {
  process.stderr.write(`rouse: ${text}\n`);
  return code;
};

/** Returns the exit code if it cannot start; otherwise the process ends with the view. */
export async function runTop(args: readonly string[]): Promise<number> {
  if (args.length > 0)
    return complain(
      `top takes no arguments; got ${JSON.stringify(args[0]?.slice(0, 80))} (see \`rouse top --help\`)`,
      2,
    );
  if (!process.stdin.isTTY || !canDraw(process.stdout))
    return complain("top needs an interactive terminal; use `rouse status`, or in scripts `rouse status --json`", 1);
  const socket = rousePaths().daemonSocket;
  const first = await readAgents(socket);
  if (first.kind === "down")
    return complain(
      "no daemon is running; start it with `rouse up`, or start an agent with `rouse run` or `rouse spawn`",
      69,
    );
  if (first.kind === "starting") return complain("the daemon is starting and reads its journal; try again", 75);
  const { kind: _, ...read } = first;
  new Top(socket, { ...emptyModel(isColoured(process.stdout)), ...read }).open();
  return new Promise(() => {});
}

class Top {
  readonly #socket: string;
  readonly #terminal: TopTerminal;
  #model: TopModel;
  #isReading = false;
  #isBusy = false;

  constructor(socket: string, model: TopModel) {
    this.#socket = socket;
    this.#model = model;
    this.#terminal = new TopTerminal(
      (text) => this.#take(readKeys(text)),
      () => this.#draw(),
    );
  }

  open(): void {
    this.#terminal.enter();
    this.#draw();
    followEvents(this.#socket, {
      opened: () => this.#readSoon(),
      agent: (view) => {
        // An agent that ended may no longer be listed.
        if (view.ended_at !== null) this.#readSoon();
        this.#change(putAgent(this.#model, view));
      },
      changed: () => this.#readSoon(),
      closed: () => this.#change({ goneAt: this.#model.goneAt ?? Date.now() }),
    });
    setInterval(() => this.#draw(), REDRAW_MS);
    setInterval(() => this.#readSoon(), REFRESH_MS);
    setInterval(() => this.#followLogs(), LOGS_MS);
  }

  #change(some: Partial<TopModel>): void {
    this.#model = { ...this.#model, ...some };
    this.#draw();
  }

  #draw(): void {
    this.#terminal.show(frameOf(this.#model, this.#terminal.size, Date.now()));
  }

  #readSoon(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    setTimeout(() => {
      void readAgents(this.#socket)
        .catch(() => ({ kind: "down" as const }))
        .then((read) => {
          this.#isReading = false;
          if (read.kind !== "read") return;
          const { kind: _, ...facts } = read;
          this.#change({ ...facts, goneAt: null });
        });
    }, SOON_MS);
  }

  #take(typed: readonly Typed[]): void {
    for (const one of typed) {
      const { model, wish } = press(this.#model, one, this.#terminal.size, Date.now());
      this.#model = model;
      if (wish) this.#fulfil(wish);
    }
    this.#draw();
  }

  #fulfil(wish: Wish): void {
    switch (wish.do) {
      case "quit":
        process.exit(wish.code);
        break;
      case "suspend":
        this.#terminal.suspend();
        break;
      case "redraw":
        this.#terminal.forget();
        break;
      default:
        this.#run(WORK[wish.do], (actions) => this.#perform(actions, wish));
    }
  }

  /** The text to show; null if something else shows the result. */
  async #perform(actions: Actions, wish: Exclude<Wish, { do: "quit" | "suspend" | "redraw" }>): Promise<string | null> {
    const { agent } = wish;
    switch (wish.do) {
      case "why":
        return this.#open({
          kind: "why",
          about: agent,
          title: `${agent}: why`,
          offset: 0,
          lines: await actions.whyLines(agent),
        });
      case "logs":
        // Negative offsets count from the end.
        return this.#open({
          kind: "logs",
          about: agent,
          title: `${agent}: recent output`,
          offset: -1,
          lines: await actions.logLines(agent),
        });
      case "go":
        return actions.goTo(agent, (run) => this.#suspended(run));
      case "attach":
        return actions.attach(agent, (run) => this.#suspended(run));
      case "ack":
        return actions.acknowledge(agent);
      case "silence":
        return actions.silence(agent, wish.text);
      case "answer":
        return actions.answer(agent, wish.text);
      case "recover":
        return (await actions.recovery(agent, false)).text;
      case "ask_answer": {
        const view = selectedAgent(this.#model);
        const objection = view && actions.answerObjection(view);
        if (objection) throw new Error(objection);
        return this.#ask({ kind: "answer", label: `Type to ${agent}:`, text: "", about: agent });
      }
      case "ask_recover": {
        const { text, isPossible } = await actions.recovery(agent, true);
        if (!isPossible) return text;
        return this.#ask({
          kind: "recover",
          label: `${text.replace(/\.$/, "")}. Recover now? (y/n)`,
          text: "",
          about: agent,
        });
      }
    }
  }

  #open(page: Page): null {
    this.#change({ page });
    return null;
  }

  #ask(input: Input): null {
    this.#change({ input });
    return null;
  }

  /** The page of recent output is read again while it is open. */
  #followLogs(): void {
    const { page } = this.#model;
    if (page?.kind !== "logs" || page.about === null || this.#isBusy) return;
    const { about } = page;
    void import("./actions.js")
      .then((actions) => actions.logLines(about))
      .then((lines) => {
        const now = this.#model.page;
        if (now?.kind === "logs" && now.about === about) this.#change({ page: { ...now, lines } });
      })
      .catch(() => {
        // The agent has ended, or the daemon is down: the last output stays.
      });
  }

  #say(text: string, isBad = false): void {
    this.#change({ notice: { text, isBad, at: Date.now() } });
  }

  /** One action at a time. Its result is shown. */
  #run(doing: string, action: (actions: Actions) => Promise<string | null>): void {
    if (this.#isBusy) {
      this.#say("The last action is still running.");
      return;
    }
    this.#isBusy = true;
    this.#say(doing);
    void import("./actions.js")
      .then(action)
      .then(
        (text) => (text === null ? this.#change({ notice: null }) : this.#say(text)),
        (error: unknown) => this.#say((error as Error).message, true),
      )
      .finally(() => {
        this.#isBusy = false;
        this.#readSoon();
      });
  }

  /** Gives the terminal to another program. */
  #suspended(run: () => number): number {
    this.#terminal.leave();
    try {
      return run();
    } finally {
      this.#terminal.enter();
      this.#draw();
    }
  }
}

/** Shown until the result is there. */
const WORK = {
  why: "Reading the evidence…",
  logs: "Reading its output…",
  go: "Going there…",
  attach: "Opening its terminal…",
  ack: "Acknowledging…",
  silence: "Silencing…",
  answer: "Typing: waiting until the agent is ready, then checking that it accepts the text…",
  recover: "Recovering…",
  ask_answer: "…",
  ask_recover: "Asking what a recovery would do…",
} as const satisfies Record<Exclude<Wish["do"], "quit" | "suspend" | "redraw">, string>;
