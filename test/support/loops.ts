/** The daemon's loop over a real journal in a temporary folder, under a clock that the test moves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSession } from "../../src/core/agent.js";
import { createNodeState, type StepRules } from "../../src/core/node-state.js";
import type { SessionJudge } from "../../src/core/session-judge.js";
import type { Signal } from "../../src/core/signal.js";
import { OBSERVE_ONLY } from "../../src/core/step-rules.js";
import type { Effects } from "../../src/daemon/action-runner.js";
import { AlertOutbox } from "../../src/daemon/alert-outbox.js";
import { Loop } from "../../src/daemon/loop.js";
import type { DaemonClock, Moment } from "../../src/daemon/self/clock.js";
import { type SessionView, viewOf } from "../../src/daemon/views/view.js";
import { profileFor, traitsOf } from "../../src/programs/registry.js";
import type { IncidentStore } from "../../src/store/incident-table.js";
import { type Journal, openJournal } from "../../src/store/journal.js";
import { type ClockModel, HandClock } from "./hand-clock.js";
import { sessionOf } from "./sessions.js";
import { START, screen } from "./steps.js";

export type Untimed<T> = T extends Signal ? Omit<T, "at"> : never;

export const agent = (fields: Partial<AgentSession> = {}): AgentSession =>
  sessionOf({ name: "api", kind: "claude-code", command: ["claude"], pid: 7, pidStart: "boot:1", ...fields });

/** A turn is running, the spinner moves and text is being written. */
export const WORKING: readonly Untimed<Signal>[] = [
  { kind: "status", source: "title", status: "working" },
  screen({ busy: true, moving: true, replying: true, reply: "first words" }),
];

/** Only the time of the last observation is known. */
export const checkedAt = (now: number): Moment => ({ now, wall: now, uptime: null });

export const HOUR_MS = 3_600_000;
/** Longer than any silence in a healthy reply. */
export const SILENT_S = 130;

export const news = (n: number): Untimed<Signal>[] => [
  screen({ busy: true, moving: true, replying: true, reply: `words ${n}` }),
];

/** Judges by the traits of the agent's program, acts on nothing and sends nothing. */
export const testRules = (): StepRules => ({
  ...OBSERVE_ONLY,
  settingsFor: ({ kind }) => ({ traits: traitsOf(profileFor(kind)) }),
});

/** The loop over a journal, with the incidents and notices that are stored in it. */
export function loopOver(
  journal: Journal,
  clock: DaemonClock,
  rules: StepRules,
  more: Partial<{ carryOut: Effects["carryOut"]; send: () => void; alerts: AlertOutbox }> = {},
): Loop {
  const notices = {
    sent: journal.messages.sentEdges(),
    alerts: new Map(journal.outbox.states().map((state) => [state.subject, state])),
  };
  return new Loop({
    journal,
    clock,
    state: createNodeState(rules, journal.incidentState.load(), notices),
    carryOut: more.carryOut ?? (() => Promise.reject(new Error("nothing is carried out here"))),
    alerts: more.alerts ?? new AlertOutbox(journal.outbox),
    send: more.send ?? (() => {}),
    receiver: "orchestrator",
    release: "test",
    onRegister: () => {},
  });
}

export class TestLoop {
  readonly hand: HandClock;
  /** `name state/cause` at every change. */
  readonly changes: string[] = [];
  readonly #folder: string = mkdtempSync(join(tmpdir(), "rouse-loop-"));
  readonly journalPath: string = join(this.#folder, "state", "journal.db");
  readonly #sent = new Map<string, number>();
  #checked: Moment | null = null;
  journal!: Journal;
  loop!: Loop;
  alerts!: AlertOutbox;
  /** Signals that the last start read. */
  restored = 0;
  /** A change by a test applies from the next step on. */
  readonly stepRules: StepRules = testRules();
  carryOut: Effects["carryOut"] | null = null;
  /** Replaces the stored incidents. */
  store: IncidentStore | null = null;
  /** Sends alerts after each tick. */
  sendAlerts: () => void = () => {};

  /** With one agent, `api`, whose session `s1` is working. */
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

  /** Starts like the daemon, after an end of any kind; with the last observation, if it is known. */
  start(checked: Moment | null = null): void {
    this.journal?.close();
    this.journal = openJournal(this.journalPath, { commitWithinMs: 1 }).journal;
    const journal = withStore(this.journal, () => this.store);
    this.alerts = new AlertOutbox(this.journal.outbox);
    this.loop = loopOver(journal, this.hand.clock, this.stepRules, {
      alerts: this.alerts,
      carryOut: (action, session) =>
        this.carryOut?.(action, session) ?? Promise.reject(new Error("nothing is carried out here")),
      send: () => this.sendAlerts(),
    });
    const restoring = this.loop.restoring(checked);
    let next = restoring.next();
    while (!next.done) next = restoring.next();
    this.restored = next.value;
    this.loop.subscribe((event) => {
      if (event.kind === "tick") this.#checked = this.hand.clock.moment;
      if (event.kind !== "assessed") return;
      const { session, assessment } = event.judge;
      this.changes.push(`${session.name} ${said(assessment)}`);
    });
  }

  /** The daemon is killed, and after a while another one starts. */
  restart(meanwhile: () => void = () => {}): void {
    meanwhile();
    this.hand.again();
    this.start(this.#checked);
  }

  close(): void {
    this.journal.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** As a host sends them: numbered, and with the time of the wall clock unless they have their own. */
  async send(session: string, signals: readonly Untimed<Signal>[]): Promise<number | null> {
    const from = (this.#sent.get(session) ?? 0) + 1;
    this.#sent.set(session, from + signals.length - 1);
    return this.loop.ingest(
      session,
      from,
      signals.map((signal) => ({ at: this.hand.wall, ...signal }) as Signal),
    );
  }

  /** Runs awake time, with a tick every second; hosts send heartbeats unless they are silent. */
  run(seconds: number, hosts: "beating" | "silent" = "beating"): void {
    for (let second = 0; second < seconds; second++) {
      this.hand.pass(1000);
      if (hosts === "beating")
        for (const { session } of this.loop.sessions()) this.loop.recordLiveness(session.id, "host");
      this.loop.tick();
    }
  }

  /** The view of `api`. */
  view(): SessionView {
    return viewOf(this.loop.find("api") as SessionJudge, this.loop.now(), this.loop.incidents);
  }

  says(name = "api"): string {
    const judge = this.loop.find(name);
    return judge ? said(judge.assessment) : "nobody";
  }
}

const said = ({ state, cause }: { state: string; cause: string | null }): string =>
  cause === null ? state : `${state}/${cause}`;

/** The same journal, with other incidents if a store for them is set. */
const withStore = (journal: Journal, store: () => IncidentStore | null): Journal =>
  new Proxy(journal, {
    get: (target, name) => {
      if (name === "incidentState") return store() ?? target.incidentState;
      const found: unknown = Reflect.get(target, name, target);
      return typeof found === "function" ? found.bind(target) : found;
    },
  });
