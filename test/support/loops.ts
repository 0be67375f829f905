/** The daemon's loop over a real journal in a temporary folder, under a clock that the test moves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSession } from "../../src/core/agent.js";
import type { Signal } from "../../src/core/signal.js";
import type { Moment } from "../../src/daemon/clock.js";
import { Loop } from "../../src/daemon/loop.js";
import { type SessionView, viewOf } from "../../src/daemon/view.js";
import type { Watched } from "../../src/daemon/watched.js";
import { type Journal, openJournal } from "../../src/store/journal.js";
import { type ClockModel, HandClock } from "./hand-clock.js";
import { sessionOf } from "./sessions.js";
import { START, screen } from "./steps.js";

export type Untimed<T> = T extends Signal ? Omit<T, "at"> : never;

export const agent = (fields: Partial<AgentSession> = {}): AgentSession =>
  sessionOf({ name: "api", kind: "claude-code", command: ["claude"], pid: 7, pidStart: "boot:1", ...fields });

/** A turn runs, the spinner moves and a text is being written. */
export const WORKING: readonly Untimed<Signal>[] = [
  { kind: "status", source: "title", status: "working" },
  screen({ busy: true, moving: true, replying: true, reply: "first words" }),
];

/** All that is known of the last look is when it was. */
export const lookedAt = (now: number): Moment => ({ now, wall: now, uptime: null });

export const HOUR_MS = 3_600_000;
/** Longer than any silence of a reply that is healthy. */
export const SILENT_S = 130;

export const news = (n: number): Untimed<Signal>[] => [
  screen({ busy: true, moving: true, replying: true, reply: `words ${n}` }),
];

export class TestLoop {
  readonly hand: HandClock;
  /** `name state/cause` at every change. */
  readonly changes: string[] = [];
  readonly #folder: string = mkdtempSync(join(tmpdir(), "rouse-loop-"));
  readonly #sent = new Map<string, number>();
  #looked: Moment | null = null;
  journal!: Journal;
  loop!: Loop;

  /** With one agent, `api`, whose session `s1` is at work. */
  static async working(model: ClockModel = "linux"): Promise<TestLoop> {
    const test = new TestLoop(model);
    test.loop.register(agent());
    await test.send("s1", WORKING);
    return test;
  }

  constructor(model: ClockModel = "linux") {
    this.hand = new HandClock(START, model);
    this.start();
  }

  /** As the daemon does at its start, after an end of any kind; with the last look, where it is known. */
  start(looked: Moment | null = null): void {
    this.journal?.close();
    this.journal = openJournal(join(this.#folder, "state", "journal.db"), { commitWithinMs: 1 }).journal;
    this.loop = new Loop(this.journal, this.hand.clock);
    this.loop.restore(looked);
    this.loop.onTick = () => {
      this.#looked = this.hand.clock.moment;
    };
    const last = new Map(this.loop.sessions().map(({ session, assessment }) => [session.session, said(assessment)]));
    this.loop.follower = {
      judged: ({ session, assessment }) => {
        const now = said(assessment);
        if (now !== (last.get(session.session) ?? "starting")) this.changes.push(`${session.name} ${now}`);
        last.set(session.session, now);
      },
      gap: () => {},
      renamed: () => {},
      tick: () => {},
      forget: () => {},
    };
  }

  /** The daemon is killed, and after a while there is another. */
  restart(meanwhile: () => void = () => {}): void {
    meanwhile();
    this.hand.anew();
    this.start(this.#looked);
  }

  close(): void {
    this.loop.stop();
    this.journal.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** As a host sends them: numbered, and with the time of the wall clock; of now, where they have none. */
  async send(session: string, signals: readonly Untimed<Signal>[]): Promise<number | null> {
    const from = (this.#sent.get(session) ?? 0) + 1;
    this.#sent.set(session, from + signals.length - 1);
    return this.loop.ingest(
      session,
      from,
      signals.map((signal) => ({ at: this.hand.wall, ...signal }) as Signal),
    );
  }

  /** Awake for so long, with a tick every second; hosts are heard of all the time, unless they are silent. */
  run(seconds: number, hosts: "beating" | "silent" = "beating"): void {
    for (let second = 0; second < seconds; second++) {
      this.hand.pass(1000);
      if (hosts === "beating") for (const { session } of this.loop.sessions()) this.loop.hear(session.session, "host");
      this.loop.tick();
    }
  }

  /** What is said of `api` to people. */
  view(): SessionView {
    return viewOf(this.loop.find("api") as Watched, this.loop.now());
  }

  says(name = "api"): string {
    const watched = this.loop.find(name);
    return watched ? said(watched.assessment) : "nobody";
  }
}

const said = ({ state, cause }: { state: string; cause: string | null }): string =>
  cause === null ? state : `${state}/${cause}`;
