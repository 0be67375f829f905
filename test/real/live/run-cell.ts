/** One cell of the live table, once: what rouse reported and did, against the log of the model server. */
import { setTimeout } from "node:timers/promises";
import { until } from "../../support/hosts.js";
import { Care } from "../care.js";
import { clientsOf, kill } from "../case.js";
import type { Installed } from "../clients/install.js";
import type { Way } from "../seats.js";
import { type Load, starve } from "./busy.js";
import type { LiveWay, Report, Situation, SituationName } from "./situations.js";
import { TASK } from "./situations.js";
import { StarvationMeter } from "./starvation.js";

export interface Outcome {
  /** Seconds from the truth to each expected report; null if it never came. */
  delays: (number | null)[];
  /** Whether the request after the recovery contains the task; null if no recovery was awaited or none came. */
  keptTask: boolean | null;
  /** Seconds between the last truth and its report in which the client was ready to run and got no CPU. */
  starvedS: number;
  misses: string[];
  /** What was seen, for a person. */
  story: string;
}

const WAYS: Record<LiveWay, Way> = { spawn: "spawn", run: "run", tmux: "watch" };
/** Reports of a problem or a result: right only if they are expected. */
const LOUD = /^(stuck|error|needs_input|rate_limited|gone|complete)/;
/** Between its own stop and resume, rouse reports `gone` and sends nothing. */
const OWN_STOP = /^Stopped by its recovery plan/;
/** A moment that the server's log and the report may be apart. */
const SLACK_MS = 1000;

export async function runCell(
  installed: Installed,
  name: SituationName,
  way: LiveWay,
  situation: Situation,
  isRecoveryAwaited: boolean,
): Promise<Outcome> {
  const outcome: Outcome = { delays: [], keptTask: null, starvedS: 0, misses: [], story: "" };
  const { script, mood } = situation;
  const one = {
    installed,
    way: WAYS[way],
    scenario: { name: `live ${name}`, script, expects: [], ...(mood ? { mood } : {}) },
  };
  const body = async (care: Care): Promise<void> => {
    try {
      await new Cell(care, situation, outcome).follow(isRecoveryAwaited);
      outcome.story = await care.story();
    } finally {
      // Gemini CLI outlives its pane.
      if (way === "tmux")
        for (const pid of clientsOf(care.home, care.name, installed.folder)) process.kill(pid, "SIGKILL");
    }
  };
  await Care.with(one, body, situation.isPromptless !== true).catch((error: Error) => {
    const [first = "", ...rest] = error.message.split("\n");
    outcome.misses.push(first);
    outcome.story = rest.join("\n");
  });
  return outcome;
}

class Cell {
  readonly #care: Care;
  readonly #situation: Situation;
  readonly #outcome: Outcome;
  readonly #startedAt = Date.now();
  #killedAt: number | null = null;
  #load: Load | null = null;
  #keys: (() => string[]) | null = null;
  readonly #starvation: StarvationMeter;

  constructor(care: Care, situation: Situation, outcome: Outcome) {
    this.#care = care;
    this.#situation = situation;
    this.#outcome = outcome;
    this.#starvation = new StarvationMeter(() => this.#clients());
  }

  async follow(isRecoveryAwaited: boolean): Promise<void> {
    const { does, reports, holdsS, isUntouched, recovers } = this.#situation;
    try {
      if (does === "starve") this.#load = await starve(this.#clients());
      for (const report of reports) {
        if (report.after === "killed") this.#killedAt = await kill(this.#care.home, this.#care.name, this.#folder);
        await this.#reach(report);
        // A process that has ended has no terminal to type into.
        if (isUntouched && this.#keys === null && this.#killedAt === null) this.#keys = await this.#care.keys();
      }
      this.#checkAsked();
      const word = this.#care.seen.now;
      await setTimeout(holdsS * 1000);
      if (holdsS > 0 && this.#care.seen.now !== word) this.#miss(`${word} did not hold: ${this.#now}`);
      if (recovers && isRecoveryAwaited && !this.#outcome.delays.includes(null)) await this.#recover(recovers);
    } finally {
      this.#load?.stop();
      this.#starvation.stop();
    }
    const typed = this.#keys?.() ?? [];
    if (typed.length > 0) this.#miss(`typed: ${JSON.stringify(typed)}`);
    this.#checkTrail();
    await this.#checkMessages();
  }

  get #folder(): string {
    return this.#care.one.installed.folder;
  }

  get #now(): string {
    const { now, view } = this.#care.seen;
    return `${now} (${view?.reasons[0] ?? ""})`;
  }

  #clients(): number[] {
    return clientsOf(this.#care.home, this.#care.name, this.#folder);
  }

  #miss(what: string): void {
    this.#outcome.misses.push(what);
  }

  #truth({ after, reply = 0, nth }: Report): number | null {
    if (after === "started") return this.#startedAt;
    if (after === "killed") return this.#killedAt;
    const all = this.#care.server.actions.filter(({ did, request }) => did === after && request >= reply);
    return (nth === undefined ? all.at(-1) : all[nth - 1])?.at ?? null;
  }

  async #reach(report: Report): Promise<void> {
    const { seen } = this.#care;
    const isLate = (): boolean => {
      const from = this.#truth(report);
      // The clocks of rouse stretch by the same time.
      return from !== null && Date.now() - from - this.#starvation.msSince(from) > report.withinS * 1000;
    };
    const isSaid = (): boolean => report.says.test(seen.now) && this.#truth(report) !== null;
    await until("a report", () => isSaid() || isLate(), 10 * 60_000).catch(() => {});
    const from = this.#truth(report);
    const said = seen.trail.at(-1);
    if (from !== null) this.#outcome.starvedS = this.#starvation.msSince(from) / 1000;
    const isRight = from !== null && said !== undefined && report.says.test(said.word);
    this.#outcome.delays.push(isRight ? Math.max(0, (said.at - from) / 1000) : null);
    if (isRight) return;
    const what =
      from === null
        ? `the model never came to ${report.after}`
        : `${report.says.source} was not reported within ${report.withinS} s`;
    this.#miss(`${what}: ${this.#now}`);
  }

  async #recover({ reply, withinS }: { reply: number; withinS: number }): Promise<void> {
    const { server, seen } = this.#care;
    const isAsked = (): boolean => server.conversation[reply] !== undefined;
    await until("a recovery", isAsked, withinS * 1000).catch(() => {});
    const request = server.conversation[reply];
    if (request === undefined) {
      this.#miss(`no recovery within ${withinS} s: ${this.#now}`);
      return;
    }
    this.#outcome.keptTask = TASK.every((words) => request.includes(words));
    if (!this.#outcome.keptTask) this.#miss("the request after the recovery does not contain the task");
    const last = this.#situation.completesAt ?? reply;
    const isOver = (): boolean => server.lastOf("end", last) !== null && seen.now === "complete";
    await until("the end", isOver, 120_000).catch(() => this.#miss(`not complete after the recovery: ${this.#now}`));
  }

  #checkAsked(): void {
    const { view } = this.#care.seen;
    if (!this.#situation.asksUser || view === null || this.#outcome.delays.includes(null)) return;
    const { move, question, healthy } = view;
    if (move !== "you" || !question || healthy)
      this.#miss(`the user is not asked: move ${move}, question ${question}, ${healthy ? "healthy" : "unhealthy"}`);
  }

  /** Every report of a problem or a result must be an expected one, and no earlier than the truth. */
  #checkTrail(): void {
    const { seen, server } = this.#care;
    const { reports, completesAt } = this.#situation;
    const endedAt = completesAt === undefined ? null : server.lastOf("end", completesAt);
    for (const { word, at, s, why } of seen.trail) {
      if (!LOUD.test(word) || OWN_STOP.test(why)) continue;
      const isEarly = word === "complete" && (endedAt === null || at < endedAt - SLACK_MS);
      const isExpected = word === "complete" ? completesAt !== undefined : reports.some(({ says }) => says.test(word));
      if (isEarly || !isExpected) this.#miss(`false ${word} at ${s.toFixed(0)} s: ${why}`);
    }
  }

  async #checkMessages(): Promise<void> {
    const { completesAt, sends } = this.#situation;
    const endedAt = completesAt === undefined ? null : this.#care.server.lastOf("end", completesAt);
    const all = await this.#care.messages();
    if (sends !== undefined) {
      const report = this.#situation.reports.at(-1) as Report;
      const message = all.find(({ msg_type }) => msg_type === sends);
      const s = message ? (Date.parse(message.at) - (this.#truth(report) ?? 0)) / 1000 : null;
      if (s === null) this.#miss(`${sends} was not sent`);
      else if (s > report.withinS) this.#miss(`${sends} was sent after ${s.toFixed(0)} s`);
    }
    const sent = all.filter(({ msg_type }) => msg_type === "worker.complete");
    const early = sent.filter(({ at }) => endedAt === null || Date.parse(at) < endedAt - SLACK_MS);
    if (early.length > 0) this.#miss("worker.complete was sent before the work ended");
    if (sent.length > 1) this.#miss(`worker.complete was sent ${sent.length} times`);
  }
}
