/** Watches agents that already run in tmux, on all servers of this user. Read-only: it types and changes nothing. */

import { localZone } from "../../config/local-zone.js";
import type { ScreenSettings } from "../../config/screen-settings.js";
import type { AgentSession } from "../../core/agent.js";
import { isReservedName } from "../../core/reserved.js";
import { compilePattern } from "../../programs/shared/pattern.js";
import { CHECK_MS } from "../../readers/terminal/terminal.js";
import type { PaneReading } from "./adopted.js";
import { type AdoptRules, findSockets } from "./discover.js";
import type { Processes } from "./program.js";
import { type ServerOptions, ServerWatch } from "./server-watch.js";

export interface TmuxWatcherOptions {
  rules: AdoptRules;
  onSeen: (seen: PaneReading) => void;
  processes?: Processes | null;
  /** Sockets besides those in tmux's own folder: paths, or names as for `tmux -L`. */
  sockets?: readonly string[];
  env?: Readonly<Record<string, string | undefined>>;
  zone?: string;
  screen?: ScreenSettings;
  checkMs?: number;
  discoverMs?: number;
  control?: boolean;
  program?: string;
  now?: () => number;
}

const DISCOVER_MS = 5000;

export class TmuxWatcher {
  readonly #options: TmuxWatcherOptions;
  readonly #servers = new Map<string, ServerWatch>();
  readonly #now: () => number;
  #timer: NodeJS.Timeout | null = null;
  #searchAt = 0;
  #searching: Promise<void> | null = null;

  /** Throws if the pattern is invalid. */
  constructor(options: TmuxWatcherOptions) {
    if (options.rules.pattern !== null) compilePattern(options.rules.pattern);
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The adopted panes that still exist. */
  get sessions(): AgentSession[] {
    return [...this.#servers.values()].flatMap((server) => server.adopted.map((one) => one.session));
  }

  start(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.#tick(), this.#options.checkMs ?? CHECK_MS);
    this.#tick();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#searching;
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
    this.#servers.clear();
  }

  #tick(): void {
    const at = this.#now();
    if (at >= this.#searchAt && !this.#searching) {
      this.#searchAt = at + (this.#options.discoverMs ?? DISCOVER_MS);
      this.#searching = this.#search().finally(() => {
        this.#searching = null;
      });
    }
    for (const server of this.#servers.values()) void server.tick(this.#now);
  }

  async #search(): Promise<void> {
    const sockets = await findSockets(this.#options.sockets, this.#options.env);
    if (!this.#timer) return;
    for (const [path, server] of this.#servers) {
      if (sockets.includes(path) || server.adopted.length > 0) continue;
      this.#servers.delete(path);
      void server.stop();
    }
    for (const path of sockets) {
      if (this.#servers.has(path)) continue;
      const server: ServerWatch = new ServerWatch(
        path,
        this.#serverOptions((key) => this.#owns(key, server)),
      );
      this.#servers.set(path, server);
      void server.tick(this.#now);
    }
  }

  /** The first watch to reach a server keeps it; if its socket is gone, it moves to the path of the asking one. */
  #owns(key: string, asking: ServerWatch): boolean {
    const other = [...this.#servers.values()].find((server) => server !== asking && server.server === key);
    if (!other) return true;
    if (!other.lost) return false;
    this.#servers.delete(other.socket);
    this.#servers.set(asking.socket, other);
    other.moveTo(asking.socket);
    void asking.stop();
    return false;
  }

  #serverOptions(owns: (server: string) => boolean): ServerOptions {
    const { rules, processes = null, onSeen, zone, screen, discoverMs, control, program } = this.#options;
    return {
      rules,
      processes,
      owns,
      profiles: rules.profiles,
      emit: onSeen,
      zone: zone ?? localZone(),
      ...(screen === undefined ? {} : { screen }),
      discoverMs: discoverMs ?? DISCOVER_MS,
      control: control ?? true,
      program: program ?? "tmux",
      nameFor: (wish, pane, session) => this.#nameFor(wish, pane, session),
    };
  }

  #nameFor(wish: string, pane: string, session: string): string {
    const taken = new Set(this.sessions.filter((one) => one.id !== session).map((one) => one.name));
    const numbered = `${wish}-${pane.slice(1)}`;
    if (!taken.has(wish) && !isReservedName(wish)) return wish;
    return taken.has(numbered) ? `${numbered}-${session.slice(-4)}` : numbered;
  }
}
