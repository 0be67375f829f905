/**
 * Watches one tmux server: queries it at each tick, adopts the panes that the rules choose, and reports how they end.
 *
 *   answering -- no answer --> failing (retry after 0.5 s … 8 s) -- answer --> answering
 *   any -- stop --> stopped
 */
import { randomBytes } from "node:crypto";
import { type AdoptContext, AdoptedPane, serverKey } from "./adopted.js";
import { ControlLink } from "./control.js";
import { type AdoptRules, chooseAgents } from "./discover.js";
import { PollLink, type TmuxAnswer } from "./link.js";
import { capturePane, listPanes, type Pane, parsePanes } from "./panes.js";
import type { Processes, ProcessFact } from "./program.js";

export interface ServerOptions extends AdoptContext {
  rules: AdoptRules;
  processes: Processes | null;
  /** Longest time between two comparisons of panes and processes. */
  discoverMs: number;
  /** Use control mode if no user can notice it; otherwise each tick runs one tmux process. */
  control: boolean;
  program: string;
  /** Whether this watch is responsible for that server, which may have two sockets. */
  owns: (server: string) => boolean;
}

/** Panes captured per tick; if there are more, they take turns. */
const CAPTURES_MAX = 100;
/** Shortest time between two listings of the processes. */
const LISTING_MS = 1000;
/** First pause after a failed query; doubles up to the maximum. */
const RETRY_MS = 500;
const RETRY_MAX_MS = 8000;
/** Pause before control mode is tried again after it was refused or lost. */
const CONTROL_AGAIN_MS = 60_000;

type WatchState =
  /** It answered the last query, or was not queried yet. */
  | { kind: "answering" }
  /** `isGone`: nothing listens at its socket. `pauseMs` is the pause after the next failure. */
  | { kind: "failing"; retryAt: number; pauseMs: number; isGone: boolean }
  | { kind: "stopped" };

type Rows = ReadonlyMap<number, ProcessFact> | null;

export class ServerWatch {
  #poll: PollLink;
  #control: { link: ControlLink; session: string } | null = null;
  #controlAt = 0;
  readonly #options: ServerOptions;
  /** By pane id. */
  readonly #adopted = new Map<string, AdoptedPane>();
  /** Panes whose agent ended while the pane still exists, with the process that the pane had. */
  readonly #left = new Map<string, number>();
  #server: string | null = null;
  #state: WatchState = { kind: "answering" };
  /** The query under way: there is at most one. */
  #query: Promise<void> | null = null;
  #turn = 0;
  #discoverAt = 0;
  #listedAt = Number.NEGATIVE_INFINITY;
  #outline = "";

  constructor(
    public socket: string,
    options: ServerOptions,
  ) {
    this.#options = options;
    this.#poll = new PollLink(socket, options.program);
  }

  get adopted(): readonly AdoptedPane[] {
    return [...this.#adopted.values()];
  }

  get server(): string | null {
    return this.#server;
  }

  /** Nothing listens at its socket. */
  get lost(): boolean {
    return this.#state.kind === "failing" && this.#state.isGone;
  }

  get #isStopped(): boolean {
    return this.#state.kind === "stopped";
  }

  moveTo(socket: string): void {
    this.socket = socket;
    this.#poll = new PollLink(socket, this.#options.program);
    this.#leaveControl();
    if (this.#state.kind === "failing") this.#state = { ...this.#state, retryAt: 0 };
    for (const one of this.#adopted.values()) one.moveTo(socket);
  }

  /** Queries the server once, unless a query is under way or it is too early. */
  tick(now: () => number): Promise<void> {
    if (this.#query || this.#isStopped) return this.#query ?? Promise.resolve();
    if (!this.#isDue(now())) return Promise.resolve();
    this.#query = this.#ask(now)
      // An error on our side says nothing about the panes either.
      .catch((error: unknown) => this.#unanswered({ kind: "failed", reason: String(error).slice(0, 200) }, now()))
      .finally(() => {
        this.#query = null;
      });
    return this.#query;
  }

  #isDue(at: number): boolean {
    if (this.#state.kind === "failing" && at < this.#state.retryAt) return false;
    return this.#adopted.size > 0 || at >= this.#discoverAt;
  }

  async stop(): Promise<void> {
    this.#state = { kind: "stopped" };
    this.#leaveControl();
    await this.#query;
    for (const one of this.#adopted.values()) one.dispose();
    this.#adopted.clear();
  }

  async #ask(now: () => number): Promise<void> {
    const mark = randomBytes(12).toString("hex");
    const targets = this.#targets();
    if (this.#control && this.#control.link.closed !== null) this.#leaveControl();
    const link = this.#control?.link ?? this.#poll;
    const outcome = await link.run([listPanes(mark), ...targets.map((one) => capturePane(one.pane.id))]);
    if (this.#isStopped) return;
    const at = now();
    const listing = outcome.kind === "answer" ? outcome.replies[0] : null;
    if (outcome.kind !== "answer" || typeof listing !== "string") return this.#unanswered(outcome, at);
    this.#state = { kind: "answering" };
    const panes = parsePanes(listing, mark, (id) => this.#adopted.get(id)?.pane.session.id);
    this.#server = panes[0] ? serverKey(panes[0]) : null;
    if (this.#server !== null && !this.#options.owns(this.#server)) {
      this.#discoverAt = at + this.#options.discoverMs;
      return;
    }
    const captured = new Map(targets.map((one, i) => [one.pane.id, outcome.replies[i + 1] ?? null]));
    await this.#check(panes, captured, at);
    await this.#discover(panes, at);
    if (!this.#isStopped) await this.#considerControl(panes, at);
  }

  #targets(): AdoptedPane[] {
    const all = [...this.#adopted.values()];
    if (all.length <= CAPTURES_MAX) return all;
    const from = this.#turn % all.length;
    this.#turn = from + CAPTURES_MAX;
    return [...all, ...all].slice(from, from + CAPTURES_MAX);
  }

  /** A missing answer does not end a pane. A missing server ends only the panes whose processes are dead. */
  async #unanswered(outcome: TmuxAnswer, at: number): Promise<void> {
    this.#leaveControl();
    this.#discoverAt = at + this.#options.discoverMs;
    const isGone = outcome.kind === "no_server";
    if (!this.#isStopped) this.#state = this.#failing(isGone, at);
    const reason = outcome.kind === "failed" ? outcome.reason : "the tmux server does not answer";
    await this.#doubt([...this.#adopted.values()], isGone, reason, at);
  }

  #failing(isGone: boolean, at: number): WatchState {
    const pauseMs = this.#state.kind === "failing" ? this.#state.pauseMs : RETRY_MS;
    return { kind: "failing", retryAt: at + pauseMs, pauseMs: Math.min(pauseMs * 2, RETRY_MAX_MS), isGone };
  }

  async #doubt(them: readonly AdoptedPane[], isGone: boolean, reason: string, at: number): Promise<void> {
    if (them.length === 0) return;
    const rows = isGone ? await this.#rows() : null;
    for (const one of them) {
      if (isGone && one.isDeadBy(rows)) this.#end(one, at);
      else one.doubt(reason);
    }
  }

  async #check(panes: readonly Pane[], captured: ReadonlyMap<string, string | null>, at: number): Promise<void> {
    const byId = new Map(panes.map((pane) => [pane.id, pane]));
    const elsewhere: AdoptedPane[] = [];
    for (const one of this.#adopted.values()) {
      const pane = byId.get(one.pane.id);
      if (serverKey(one.pane) !== this.#server) elsewhere.push(one);
      else if (!pane || pane.pid !== one.pane.pid) this.#end(one, at);
      else if (pane.own) this.#release(one);
      else {
        one.see(pane, captured.get(pane.id) ?? null, at);
        if (pane.dead && one.isSettled(at)) this.#end(one, at, { code: pane.deadStatus, signal: pane.deadSignal });
      }
    }
    for (const [id, pid] of this.#left) if (byId.get(id)?.pid !== pid) this.#left.delete(id);
    const mayList = at - this.#listedAt >= LISTING_MS;
    await this.#doubt(elsewhere, mayList, "another tmux server listens at its socket", at);
  }

  /** Compares panes and processes when the outline of the server changed, and at its interval. */
  async #discover(panes: readonly Pane[], at: number): Promise<void> {
    const outline = JSON.stringify(
      panes.map(({ id, pid, dead, command, name, kind, tags, session, window }) => [
        id,
        pid,
        dead,
        command,
        name,
        kind,
        tags,
        session.name,
        window.name,
      ]),
    );
    const due = at >= this.#discoverAt || outline !== this.#outline;
    if (!due || at - this.#listedAt < LISTING_MS) return;
    this.#outline = outline;
    this.#listedAt = at;
    this.#discoverAt = at + this.#options.discoverMs;
    const rows = await this.#rows();
    if (this.#isStopped) return;
    for (const one of this.#adopted.values()) {
      if (!one.isEndedBy(rows)) continue;
      this.#left.set(one.pane.id, one.pane.pid);
      this.#end(one, at);
    }
    const { rules, processes } = this.#options;
    for (const candidate of chooseAgents(panes, rows, processes, rules)) {
      const { pane, program } = candidate;
      const known = this.#adopted.get(pane.id);
      if (known) known.recognise(candidate, at);
      else if (program || !this.#left.has(pane.id)) {
        this.#adopted.set(pane.id, new AdoptedPane(candidate, this.socket, this.#options, at));
      }
    }
  }

  #end(one: AdoptedPane, at: number, status?: { code: number | null; signal: number | null }): void {
    this.#adopted.delete(one.pane.id);
    one.end(at, status);
  }

  #release(one: AdoptedPane): void {
    this.#adopted.delete(one.pane.id);
    one.dispose();
  }

  async #rows(): Promise<Rows> {
    const table = await this.#options.processes?.table().catch(() => null);
    return table?.rows ?? null;
  }

  /**
   * An additional client must not be noticeable. A session without a client would be listed as attached, a plain
   * `tmux attach` would skip it, and some options would keep it, end it, or report that it has the focus. With two
   * clients, tmux would take the size of the latest one. So control mode is used for a session with exactly one client,
   * and left when that client leaves.
   */
  async #considerControl(panes: readonly Pane[], at: number): Promise<void> {
    const joined = this.#control;
    if (joined) {
      const others = panes.find((pane) => pane.session.id === joined.session)?.session.attached ?? 0;
      if (others !== 2 || this.#adopted.size === 0) this.#leaveControl();
      return;
    }
    if (!this.#options.control || this.#adopted.size === 0 || at < this.#controlAt) return;
    const pane = panes.find((one) => one.session.attached === 1 && !one.shows);
    if (!pane || panes.some((one) => one.shows)) return;
    this.#controlAt = at + CONTROL_AGAIN_MS;
    const hooks = await this.#poll.run([
      ["show-hooks", "-g"],
      ["show-hooks", "-t", pane.session.id],
    ]);
    if (hooks.kind !== "answer" || hooks.replies.some((reply) => reply === null || CLIENT_HOOK.test(reply))) return;
    const link = await ControlLink.open(
      this.socket,
      pane.session.id,
      (name) => {
        if (OUTLINE_NOTICE.test(name)) this.#discoverAt = 0;
      },
      this.#options.program,
    );
    if (!link) return;
    if (this.#isStopped) link.close();
    else this.#control = { link, session: pane.session.id };
  }

  #leaveControl(): void {
    this.#control?.link.close();
    this.#control = null;
  }
}

/** A command of the user that would run when a client attaches or detaches. */
const CLIENT_HOOK = /^client-[a-z-]{1,40}\[/m;
const OUTLINE_NOTICE = /^(?:sessions-changed|session-renamed|window-(?:add|close|renamed)|unlinked-window-.{1,20})$/;
