/**
 * Simulated agents: what they do by themselves, their problems, and their reactions to actions. A key that ends a
 * turn ends it, text at the prompt starts one, text typed into a running turn is queued, Enter in a dialog answers
 * it, a killed agent is gone and a resumed one is a new session of the same agent.
 */

import { ROUSE_MARK } from "../../src/core/judgement/noise.js";
import type { ScreenReading, ToolClass } from "../../src/core/signal.js";
import { MINUTE, SECOND } from "../../src/core/text/time.js";
import { FAULT_NAMES, type Fault, type FaultName, ILLS } from "./problems.js";
import { type Air, type Casting, SimProgram } from "./program.js";
import type { Random } from "./random.js";

/** A period with a problem, as it truly was. */
/** Less than the time after which a silent subagent is suspected to hang. */
const SHOWN_EVERY_S = 60;

export interface Spell {
  agent: string;
  fault: FaultName;
  from: number;
  to: number | null;
  endedBy: "itself" | "human" | "rouse" | null;
}

export interface SimOutcome {
  result: "done" | "refused" | "failed";
  reason: string;
  proven: boolean | null;
}

export class SimAgent extends SimProgram {
  mode: "idle" | "turn" | "dialog" | "gone" = "idle";
  fault: { spell: Spell; fault: Fault; nudges: number } | null = null;
  readonly spells: Spell[] = [];
  limit: { until: number | null; endsAt: number; itself: boolean } | null = null;
  /** Text that was typed into a running turn. */
  queued = false;
  /** No new problem starts. */
  calm = false;

  constructor(casting: Casting, air: Air, random: Random) {
    super(casting, air, random);
    this.start();
    this.goOn();
  }

  /** The next action if nothing is planned. An agent that is stuck or gone waits. */
  protected override goOn(): void {
    if (this.fault !== null || this.mode === "gone") return;
    if (this.mode === "turn") {
      this.turn();
      return;
    }
    this.plan(this.random.between(60, 2700) * SECOND, () => {
      if (this.isSeen && this.random.chance(0.2)) this.type(true);
      this.begin();
    });
  }

  // Its own actions.

  begin(own = false): void {
    if (this.mode === "gone") return;
    this.mode = "turn";
    this.tool = null;
    const source = this.isSeen ? "hook" : "transcript";
    this.emit({ kind: "turn", source, phase: "start", byUser: true });
    const preview = own ? `${ROUSE_MARK} continue` : "do it";
    this.emit({ kind: "message", source: "transcript", role: "user", digest: this.fresh("u"), own, preview });
    this.emit({ kind: "status", source: "title", status: "working" });
    this.show({ busy: true, moving: true, replying: false, composer: "empty" });
    if (!this.casting.sound && this.air.isDown(this.casting.kind)) {
      this.plan(this.random.between(5, 40) * SECOND, () => this.fall("api"));
      return;
    }
    this.turn();
  }

  /** The rest of a turn: a few steps, with the problem somewhere among them. */
  turn(): void {
    const steps = this.random.between(2, 9);
    const sick = this.casting.sound || this.calm || this.fault !== null ? null : this.#catches();
    const at = this.random.between(0, steps - 1);
    for (let step = 0; step < steps; step++) {
      if (sick && step === at) {
        this.plan(this.random.between(5, 40) * SECOND, () => this.fall(sick));
        return;
      }
      this.#step();
    }
    this.plan(this.random.between(5, 40) * SECOND, () => this.end("result"));
  }

  #catches(): FaultName | null {
    if (!this.random.chance(0.17)) return null;
    const names = FAULT_NAMES.filter(
      (name) => (this.isSeen || ILLS[name].unseen) && !(this.casting.bare && ILLS[name].record),
    );
    return this.random.pick(names);
  }

  #step(): void {
    const { random } = this;
    const kind = random.next();
    if (kind < 0.5) this.plan(random.between(8, 60) * SECOND, () => this.write());
    else if (kind < 0.94) this.#useTool();
    else if (kind < 0.97) this.#retries();
    else this.#compacts();
  }

  /** Mostly short; builds, tests, subagents and sleeps of up to two hours are slow and healthy. */
  #useTool(): void {
    const { random } = this;
    const [cls, most] = random.pick<[ToolClass, number]>([
      ["instant", 3],
      ["edit", 3],
      ["edit", 3],
      ["shell", 120],
      ["shell", 900],
      ["test", 1300],
      ["build", 1300],
      ["subagent", 4000],
      ["sleep", 6000],
    ]);
    const seconds = random.chance(0.15) ? random.between(1, most) : random.between(1, Math.min(most, 60));
    this.plan(random.between(4, 50) * SECOND, () => this.open(cls));
    // The work of a subagent shows on the screen.
    const shown = cls === "subagent" ? Math.floor(seconds / SHOWN_EVERY_S) : 0;
    for (let n = 0; n < shown; n++) this.plan(SHOWN_EVERY_S * SECOND, () => this.reply());
    this.plan((seconds - shown * SHOWN_EVERY_S) * SECOND, () => {
      this.close(this.fresh("o"));
      if (cls === "edit") this.emit({ kind: "file", source: "workspace", path: "src/a.ts", digest: this.fresh("f") });
      if (cls === "edit" && random.chance(0.3))
        this.emit({ kind: "commit", source: "workspace", id: this.fresh("c"), subject: "more" });
    });
  }

  #retries(): void {
    const tries = this.random.between(1, 4);
    for (let attempt = 1; attempt <= tries; attempt++) this.plan(20 * SECOND, () => this.retry(attempt, 20));
    this.plan(20 * SECOND, () => this.write());
  }

  #compacts(): void {
    this.plan(5 * SECOND, () => this.emit({ kind: "compaction", source: "transcript", phase: "start" }));
    this.plan(this.random.between(40, 500) * SECOND, () => {
      this.emit({ kind: "compaction", source: "transcript", phase: "end" });
      this.write();
    });
  }

  end(closing: "result" | "promise" | "question"): void {
    const text = closing === "result" ? "All tests pass." : closing === "promise" ? "Now I will do it." : "Which one?";
    this.reply();
    this.emit({
      kind: "message",
      source: "transcript",
      role: "assistant",
      digest: this.fresh("m"),
      closing,
      preview: `${text.slice(0, -1)} ${this.secret}${text.slice(-1)}`,
    });
    this.rest({ closing, ended: true });
  }

  /** The turn ends. */
  rest(shown: Partial<ScreenReading> = {}): void {
    this.mode = "idle";
    this.tool = null;
    this.emit({ kind: "turn", source: this.isSeen ? "hook" : "transcript", phase: "end" });
    this.emit({ kind: "status", source: "title", status: "idle" });
    this.show({ busy: false, moving: false, composer: "empty", ...shown });
  }

  // Problems and their ends.

  fall(name: FaultName): void {
    if (this.mode === "gone") return;
    this.drop();
    const spell: Spell = this.fault?.spell ?? {
      agent: this.name,
      fault: name,
      from: this.now,
      to: null,
      endedBy: null,
    };
    if (!this.fault) this.spells.push(spell);
    spell.fault = name;
    this.fault = { spell, fault: ILLS[name], nudges: this.fault?.nudges ?? 0 };
    ILLS[name].begin(this);
    const comes = this.fault?.fault.human ?? null;
    if (comes && this.casting.origin !== "transcript")
      this.plan(this.random.between(...comes) * MINUTE, () => this.visit());
  }

  cure(by: "itself" | "human" | "rouse"): void {
    if (!this.fault) return;
    this.fault.spell.to = this.now;
    this.fault.spell.endedBy = by;
    this.fault = null;
    this.limit = null;
    this.drop();
  }

  /** A user comes and fixes it. */
  visit(): void {
    if (!this.fault) return;
    if (this.mode !== "gone") this.type(true);
    if (this.mode === "dialog") {
      this.cure("human");
      this.mode = "turn";
      this.emit({ kind: "prompt", source: "hook", open: false });
      this.show({ busy: true, moving: true, composer: "empty" });
      this.plan(10 * SECOND, () => this.write());
      return;
    }
    this.cure("human");
    if (this.mode === "gone") this.revive();
    else this.begin();
  }

  ask(asked: string): void {
    const question = `${asked} ${this.secret}`;
    this.mode = "dialog";
    this.emit({ kind: "prompt", source: "hook", open: true, prompt: "permission", question });
    this.show({ dialog: { prompt: "permission", question }, busy: false, moving: false, composer: "hidden" });
  }

  die(code: number | null, signal: number | null): void {
    this.mode = "gone";
    this.queued = false;
    this.emit({ kind: "exit", source: "process", code, signal });
    this.session = { ...this.session, endedAt: this.wall };
    this.air.register(this.session);
  }

  revive(): void {
    this.session = this.newSession();
    this.mode = "idle";
    this.start();
    this.begin();
  }

  // Actions of others on it. Each returns what the actor would see.

  interrupt(): SimOutcome {
    if (this.mode !== "turn") return { result: "refused", reason: "no turn is running", proven: null };
    this.#keys({ interrupts: true });
    if (this.fault?.fault.cannotReceive) return { result: "failed", reason: "the turn goes on", proven: false };
    this.drop();
    this.mode = "idle";
    this.tool = null;
    this.emit({ kind: "turn", source: "transcript", phase: "interrupted" });
    this.emit({ kind: "turn", source: "hook", phase: "end" });
    this.emit({ kind: "status", source: "title", status: "idle" });
    this.show({ busy: false, moving: false, composer: "empty", interrupted: true });
    if (this.queued) this.#taken();
    else if (!this.fault) this.goOn();
    return { result: "done", reason: "the turn ended", proven: true };
  }

  nudge(): SimOutcome {
    if (this.mode === "turn") {
      this.#keys({ submits: true });
      this.queued = true;
      return { result: "done", reason: "queued", proven: false };
    }
    if (this.mode === "dialog") {
      // Enter accepts whatever is shown: rouse must never do this.
      this.#keys({ submits: true });
      this.cure("rouse");
      this.mode = "turn";
      this.show({ busy: true, moving: true, composer: "empty" });
      return { result: "done", reason: "answered", proven: true };
    }
    if (this.mode === "gone") return { result: "refused", reason: "nobody is there", proven: null };
    this.#keys({ submits: true });
    this.#taken();
    return { result: "done", reason: "a turn started", proven: true };
  }

  /** It reads the typed text: continues, or has the same problem again. */
  #taken(): void {
    this.queued = false;
    const { fault } = this;
    this.drop();
    if (fault) {
      fault.nudges++;
      if (!fault.fault.fixes(this, fault.nudges)) {
        const { fault: name } = fault.spell;
        this.mode = "turn";
        this.emit({ kind: "turn", source: this.isSeen ? "hook" : "transcript", phase: "start", byUser: true });
        this.emit({ kind: "status", source: "title", status: "working" });
        this.show({ busy: true, moving: true, replying: false });
        this.plan(4 * SECOND, () => this.fall(name));
        return;
      }
      this.cure("rouse");
    }
    this.begin(true);
  }

  stop(): SimOutcome {
    if (this.mode === "gone") return { result: "refused", reason: "it is gone already", proven: null };
    this.drop();
    this.die(null, 15);
    return { result: "done", reason: "the process is gone", proven: true };
  }

  resume(): SimOutcome {
    if (this.mode !== "gone") return { result: "refused", reason: "the old session is still running", proven: null };
    this.drop();
    this.cure("rouse");
    this.revive();
    return { result: "done", reason: "it runs again", proven: null };
  }

  endChild(): SimOutcome {
    if (this.tool === null) return { result: "refused", reason: "no command is running", proven: null };
    this.drop();
    this.close(this.fresh("o"), false);
    this.cure("rouse");
    this.plan(10 * SECOND, () => this.write());
    return { result: "done", reason: "the command is gone", proven: true };
  }

  #keys(keys: { submits?: boolean; interrupts?: boolean }): void {
    this.emit({ kind: "input", source: "observer", by: "rouse", bytes: 9, ...keys });
  }
}
