/** One tmux server: asks it at each tick, adopts what the rules choose, and tells what became of it. */
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
  /** Panes and processes are compared at least so often. */
  discoverMs: number;
  /** Join by control mode where nobody can see it; otherwise one process per tick asks. */
  control: boolean;
  program: string;
  /** Whether this watch is the one for that server: it may have two sockets. */
  owns: (server: string) => boolean;
}

/** So many panes are captured at one tick; more of them take turns. */
const CAPTURES_MAX = 100;
/** However much changes, processes are not listed more often than this. */
const LISTING_MS = 1000;
/** A server that fails is asked again after this, doubled up to the longest. */
const RETRY_MS = 500;
const RETRY_MAX_MS = 8000;
/** Control mode that was refused or lost is tried again after this. */
const CONTROL_AGAIN_MS = 60_000;

type Rows = ReadonlyMap<number, ProcessFact> | null;

export class ServerWatch {
  #poll: PollLink;
  #control: { link: ControlLink; session: string } | null = null;
  #controlAt = 0;
  readonly #options: ServerOptions;
  /** By pane id. */
  readonly #adopted = new Map<string, AdoptedPane>();
  /** Panes whose agent ended while the pane lives on, and the process that the pane had. */
  readonly #left = new Map<string, number>();
  #server: string | null = null;
  #busy: Promise<void> | null = null;
  #stopped = false;
  #lost = false;
  #turn = 0;
  #retryMs = RETRY_MS;
  #askAt = 0;
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

  /** Nobody answers at its socket. */
  get lost(): boolean {
    return this.#lost;
  }

  moveTo(socket: string): void {
    this.socket = socket;
    this.#poll = new PollLink(socket, this.#options.program);
    this.#leaveControl();
    this.#askAt = 0;
    for (const one of this.#adopted.values()) one.moveTo(socket);
  }

  /** Asks once, unless the last question is still open or it is not yet time. */
  tick(now: () => number): Promise<void> {
    if (this.#busy || this.#stopped) return this.#busy ?? Promise.resolve();
    const at = now();
    if (at < this.#askAt || (this.#adopted.size === 0 && at < this.#discoverAt)) return Promise.resolve();
    this.#busy = this.#ask(now)
      // What goes wrong on our own side says nothing about the panes either.
      .catch((error: unknown) => this.#unanswered({ kind: "failed", reason: String(error).slice(0, 200) }, now()))
      .finally(() => {
        this.#busy = null;
      });
    return this.#busy;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#leaveControl();
    await this.#busy;
    for (const one of this.#adopted.values()) one.dispose();
    this.#adopted.clear();
  }

  async #ask(now: () => number): Promise<void> {
    const mark = randomBytes(12).toString("hex");
    const targets = this.#targets();
    if (this.#control && this.#control.link.closed !== null) this.#leaveControl();
    const link = this.#control?.link ?? this.#poll;
    const outcome = await link.run([listPanes(mark), ...targets.map((one) => capturePane(one.pane.id))]);
    if (this.#stopped) return;
    const at = now();
    const listing = outcome.kind === "answer" ? outcome.replies[0] : null;
    if (outcome.kind !== "answer" || typeof listing !== "string") return this.#unanswered(outcome, at);
    this.#retryMs = RETRY_MS;
    this.#lost = false;
    const panes = parsePanes(listing, mark, (id) => this.#adopted.get(id)?.pane.session.id);
    this.#server = panes[0] ? serverKey(panes[0]) : null;
    if (this.#server !== null && !this.#options.owns(this.#server)) {
      this.#discoverAt = at + this.#options.discoverMs;
      return;
    }
    const captured = new Map(targets.map((one, i) => [one.pane.id, outcome.replies[i + 1] ?? null]));
    await this.#check(panes, captured, at);
    await this.#discover(panes, at);
    if (!this.#stopped) await this.#considerControl(panes, at);
  }

  #targets(): AdoptedPane[] {
    const all = [...this.#adopted.values()];
    if (all.length <= CAPTURES_MAX) return all;
    const from = this.#turn % all.length;
    this.#turn = from + CAPTURES_MAX;
    return [...all, ...all].slice(from, from + CAPTURES_MAX);
  }

  /** No answer says nothing about the panes; that nobody is there says it only of those whose processes are dead. */
  async #unanswered(outcome: TmuxAnswer, at: number): Promise<void> {
    this.#leaveControl();
    this.#askAt = at + this.#retryMs;
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
    this.#discoverAt = at + this.#options.discoverMs;
    const nobody = outcome.kind === "no_server";
    this.#lost = nobody;
    const reason = outcome.kind === "failed" ? outcome.reason : "the tmux server does not answer";
    await this.#doubt([...this.#adopted.values()], nobody, reason, at);
  }

  async #doubt(them: readonly AdoptedPane[], nobody: boolean, reason: string, at: number): Promise<void> {
    if (them.length === 0) return;
    const rows = nobody ? await this.#rows() : null;
    for (const one of them) {
      if (nobody && one.isDeadBy(rows)) this.#end(one, at);
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
    await this.#doubt(elsewhere, mayList, "another tmux server stands at its socket", at);
  }

  /** When something in the outline of the server changed, and else at its rhythm. */
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
    if (this.#stopped) return;
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
   * A client more must not show. A session with nobody in it would be listed as attached, be passed over by a plain
   * `tmux attach`, and with some options be kept, ended, or told that it has the focus. With two people in it, tmux
   * would take the size of the latest to come. So control mode is for a session with exactly one client, and left
   * when that one leaves.
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
    if (this.#stopped) link.close();
    else this.#control = { link, session: pane.session.id };
  }

  #leaveControl(): void {
    this.#control?.link.close();
    this.#control = null;
  }
}

/** A user's own command that a client's coming or going would run. */
const CLIENT_HOOK = /^client-[a-z-]{1,40}\[/m;
const OUTLINE_NOTICE = /^(?:sessions-changed|session-renamed|window-(?:add|close|renamed)|unlinked-window-.{1,20})$/;
