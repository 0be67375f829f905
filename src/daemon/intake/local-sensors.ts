/**
 * The daemon's own sensors: tmux panes, running agent programs and their transcripts, process trees, workspaces. Hosts send
 * the signals of their terminals; all other signals come from here and join the same sessions.
 *
 * Sensors only read. A sensor that fails is skipped until the next check: it never stops the loop, and an agent never counts
 * as dead because of it.
 */
import { setTimeout } from "node:timers/promises";
import type { Config } from "../../config/keys.js";
import type { ScreenSettings } from "../../config/screen-settings.js";
import { type AgentSession, isAdopted } from "../../core/agent.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { partOf } from "../../programs/part.js";
import { programFor } from "../../programs/registry.js";
import type { ProfileOverride } from "../../programs/shared/profile.js";
import type { ReadDatabase } from "../../programs/transcript.js";
import type { ReadContext } from "../../readers/records/record-reader.js";
import { Accounts } from "../../sensors/process/account.js";
import { AgentFinder, type FoundAgent } from "../../sensors/process/find-agents.js";
import { readArgv, readExe, readProcTable } from "../../sensors/process/proc.js";
import { identityOf, ProcessSensor } from "../../sensors/process/process-sensor.js";
import { typedAt } from "../../sensors/process/typed-at.js";
import type { PaneReading } from "../../sensors/tmux/adopted.js";
import { TmuxWatcher } from "../../sensors/tmux/watcher.js";
import { SessionFileSensor } from "../../sensors/transcript/session-file.js";
import { Transcripts } from "../../sensors/transcript/transcripts.js";
import { WorkspaceFolders } from "../../sensors/workspace/folder.js";
import { WorkspaceSensor } from "../../sensors/workspace/workspace-sensor.js";
import { quitSignal } from "../../terminal/leave.js";
import type { RecordedEnd } from "../../terminal/registry.js";
import type { Loop } from "../loop.js";
import { Positions } from "./positions.js";
import {
  childEnded,
  childStarted,
  createSources,
  hasChanged,
  isChildOf,
  type SessionSources,
  sessionOf,
} from "./session-sources.js";
import { SignalBacklog } from "./signal-backlog.js";
import { runKey, type WatchRules } from "./watch-rules.js";

export interface LocalSensorsOptions {
  rules: WatchRules;
  /** Worker tags in the configuration of a pane's working folder. */
  tagsIn: (folder: string) => readonly string[];
  /** RE2 on names of tmux sessions and windows; null for none. */
  pattern: string | null;
  /** The user's current profiles. */
  profiles: () => readonly ProfileOverride[];
  readContext: ReadContext;
  /** A session with the name that a user gave it. */
  named?: (session: AgentSession) => AgentSession;
  /** For panes. */
  screen?: ScreenSettings;
  /** File with the read position of each transcript. */
  positionsFile: string;
  /** The end of a session as its host recorded it; null if there is no record. */
  endOf: (session: string) => RecordedEnd | null;
  /** Sessions of hosts that ended since then, except those with a skipped id. */
  endedSince: (since: number, isSkipped: (session: string) => boolean) => AgentSession[];
  /** Which files and commits of a workspace count as work. */
  workspace: Config["workspace"];
  /** rouse's own folders, which sensors ignore. */
  ownFolders: readonly string[];
  /** Key of the account digests. */
  accountKey: string;
  /** Opens a database of another program, read-only. */
  openDatabase: (path: string) => ReadDatabase;
}

const TICK_MS = 2000;
/** Read interval for programs that write without pause. */
const READ_EVERY_MS = 100;
const SAMPLE_EVERY_MS = 10_000;
/** Time for a host or a pane to report the end of a missing process. */
const UNCLAIMED_MS = 20_000;
const LOOKBACK_MAX_MS = 3600_000;
/** Time for a host to report an end itself. */
const REPORT_MS = 5000;
/** A host that ended before the daemon answered is reported if it ended this recently. */
const UNREPORTED_MAX_MS = 600_000;
const SEARCH_EVERY_MS = 30_000;
const UNRECORDED: RecordedEnd = { code: null, signal: null, leftBy: null };

export class LocalSensors {
  readonly #loop: Loop;
  #options: LocalSensorsOptions;
  readonly #processes = new ProcessSensor();
  readonly #finder: AgentFinder;
  readonly #transcripts = new Transcripts({ onChange: () => void this.#readSoon() });
  readonly #sources = new Map<string, SessionSources>();
  readonly #positions: Positions;
  readonly #folders: WorkspaceFolders;
  /** Failed checks of single agents. */
  failures = 0;
  #tmux: TmuxWatcher;
  #timer: NodeJS.Timeout | null = null;
  #checking: Promise<void> | null = null;
  #reading: Promise<void> | null = null;
  /** There were writes since the last reading started. */
  #unread = false;
  readonly #backlog: SignalBacklog;
  /** Sessions whose exit was taken from the record of their host. */
  readonly #reported = new Set<string>();
  #searchedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(loop: Loop, options: LocalSensorsOptions) {
    this.#loop = loop;
    this.#options = options;
    this.#backlog = new SignalBacklog((session, signals) => loop.ingest(session, null, signals));
    this.#finder = new AgentFinder(new Accounts(options.accountKey));
    this.#positions = new Positions(options.positionsFile, this.#transcripts, (session) =>
      loop.state.sessions.has(session),
    );
    this.#folders = new WorkspaceFolders({ exclude: options.ownFolders });
    this.#tmux = this.#watchTmux();
  }

  start(): void {
    this.#isStopped = false;
    this.#tmux.start();
    this.#timer ??= setInterval(() => this.#soon(), TICK_MS);
    this.#soon();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#tmux.stop();
    await Promise.all([this.#checking, this.#reading]);
    if (this.#backlog.isDone) this.#positions.keep(Number.POSITIVE_INFINITY);
    await this.#transcripts.close();
  }

  /** Path of a session's transcript; null if none was found. */
  transcriptOf(session: string): string | null {
    return this.#sources.get(session)?.transcript ?? null;
  }

  /** Digest of the account that a session uses; null if unknown. */
  accountOf(session: string): string | null {
    return this.#sources.get(session)?.account ?? null;
  }

  /** Replaces the watch rules. */
  async watch(rules: WatchRules): Promise<void> {
    this.#options = { ...this.#options, rules };
    await this.#tmux.stop();
    this.#tmux = this.#watchTmux();
    this.start();
  }

  /** Stops watching these agents, which keep running; the rules except them. */
  async unwatch(rules: WatchRules, agents: readonly AgentSession[]): Promise<void> {
    await this.watch(rules);
    const at = this.#loop.now();
    for (const agent of agents) {
      this.#loop.register({ ...agent, endedAt: at });
      this.#loop.apply({ kind: "forgotten", at, agent: agent.name });
    }
  }

  #isExcepted(key: string): boolean {
    return this.#options.rules.except?.includes(key) === true;
  }

  #watchTmux(): TmuxWatcher {
    const { rules, tagsIn, pattern, profiles, readContext: place, screen } = this.#options;
    return new TmuxWatcher({
      rules: { ...rules, tagsIn, pattern, profiles },
      zone: place.zone,
      ...(screen === undefined ? {} : { screen }),
      processes: { table: readProcTable, argv: readArgv, exe: readExe },
      onSeen: (seen) => this.#seen(seen),
    });
  }

  /** Overlapping checks share one run. */
  #soon(): void {
    this.#checking ??= this.#check()
      .catch(() => {
        // Retried at the next check; a failed check says nothing about any agent.
      })
      .finally(() => {
        this.#checking = null;
      });
  }

  /** Reads new records at once: a full check may take seconds with many agents. One at a time. */
  #readSoon(): Promise<void> {
    this.#unread = true;
    this.#reading ??= this.#read()
      .catch(() => {
        // Retried at the next reading.
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  /** Reads the program's own state first, so that no transcript is older, and the reason for a turn's end is known with the end. */
  async #read(): Promise<void> {
    while (this.#unread && !this.#isStopped) {
      this.#unread = false;
      for (const [session, { sessionFile }] of this.#sources)
        if (sessionFile) await this.#backlog.add(session, await sessionFile.read(this.#loop.now()));
      for (const { session, signals } of await this.#transcripts.tick(this.#loop.now()))
        await this.#backlog.add(session, signals);
      // Saved only after the signals were passed on: a daemon that stops in between would skip them.
      if (this.#backlog.isDone) this.#positions.keep(this.#loop.now());
      if (this.#unread) await setTimeout(READ_EVERY_MS);
    }
  }

  async #check(): Promise<void> {
    const at = this.#loop.now();
    await this.#backlog.reportAgain();
    await this.#processes.refresh(at);
    const { table } = this.#processes;
    const found = table ? await this.#finder.find(table) : [];
    for (const agent of found) await this.#guarded(this.#follow(agent));
    if (table) for (const [session, sources] of this.#sources) await this.#followEnd(session, sources, found, at);
    // Ends are reported before workspaces are read: on a busy machine git takes seconds for each. All ends are
    // reported together, so that one transaction stores the result of one check.
    await Promise.all(
      this.#loop
        .sessions()
        .map((judge) =>
          this.#guarded(judge.session.endedAt === null ? this.#sense(judge.session, at) : this.#closeEnded(judge, at)),
        ),
    );
    await this.#guarded(this.#addUnreported(at));
    await this.#checkAtWork(at);
    this.#folders.keepOnly(new Set(this.#loop.sessions().map(({ session }) => session.workspace)));
    // Not awaited: it continues as long as a program writes without pause.
    void this.#readSoon();
  }

  /** A sensor that fails for one agent does not affect the others. */
  async #guarded(sense: Promise<void>): Promise<void> {
    await sense.catch(() => {
      this.failures++;
    });
  }

  /** Adds a running program to the session of its terminal, or creates a session for it. */
  async #follow(agent: FoundAgent): Promise<void> {
    const pids = [agent.pid, ...agent.innerPids];
    const known = this.#loop
      .sessions()
      .map((judge) => judge.session)
      .find((s) => s.endedAt === null && (s.id === agent.session || (s.pid !== null && pids.includes(s.pid))));
    if (!known && !(this.#options.rules.programs && agent.located && agent.session === null)) return;
    if (!known && pids.some((pid) => this.#isExcepted(`${pid} ${identityOf(pid)}`))) return;
    const session = known ?? (await this.#sessionFor(agent));
    if (!known) this.#loop.register(session);
    const sources = this.#sourcesOf(session);
    if (session.origin === "transcript") sources.tty = agent.tty;
    if (isChildOf(session, agent)) await this.#followChild(session.id, sources, agent);
    sources.account = agent.account ?? sources.account;
    const { located } = agent;
    if (!located) return;
    sources.sessionFile ??= SessionFileSensor.of({ ...agent, configFolder: located.configFolder });
    if (located.transcript && sources.transcript === located.transcript && located.isNamed)
      sources.namedAt = this.#loop.now();
    if (located.transcript && sources.transcript !== located.transcript) {
      const isNew = sources.transcript === null;
      sources.transcript = located.transcript;
      this.#positions.follow(session.id);
      const resume = this.#positions.of(session.id, located.transcript);
      const options = {
        kind: agent.kind,
        path: located.transcript,
        root: located.root,
        startedAt: session.startedAt,
        ...this.#options.readContext,
        ...(located.commandLimitMs === undefined ? {} : { commandLimitMs: located.commandLimitMs }),
        ...(resume ? { resume } : {}),
      };
      await (isNew
        ? this.#transcripts.add(session.id, options)
        : this.#transcripts.follow(session.id, located.transcript, sources.namedAt));
      sources.namedAt = null;
    }
    const transcripts = partOf(programFor(agent.kind).transcript);
    const load = transcripts && partOf(transcripts.database);
    if (load && located.database && sources.transcript === null) {
      const { readContext: where, openDatabase: open } = this.#options;
      const { path } = located.database;
      sources.transcript = path;
      this.#positions.follow(session.id);
      const resume = this.#positions.of(session.id, path);
      await this.#transcripts.addDatabase(session.id, agent.kind, {
        load,
        place: located.database,
        open,
        ...where,
        ...(resume ? { resume } : {}),
      });
    }
  }

  /** A session of the program's own supervisor stays the same agent when that starts another process for it. */
  async #sessionFor(agent: FoundAgent): Promise<AgentSession> {
    const id = agent.located?.supervisedAs;
    if (id === undefined) return sessionOf(agent);
    const before = this.#loop
      .sessions()
      .findLast(({ session, evidence }) => session.kind === agent.kind && evidence.supervisor?.id === id)?.session;
    if (before?.endedAt === null && before.pid !== null && identityOf(before.pid) !== before.pidStart)
      await this.#end(before, this.#loop.now());
    const session = sessionOf(agent, id);
    const name = before?.name ?? session.name;
    const isTaken = this.#loop.find(name)?.session.endedAt === null;
    return isTaken ? sessionOf(agent) : { ...session, name };
  }

  /** A script runs an agent: from now on its records are about that agent. */
  async #followChild(session: string, sources: SessionSources, { kind, pid, start }: FoundAgent): Promise<void> {
    if (sources.child?.pid === pid && sources.child.start === start) return;
    // The next one may be another program, with another reader.
    if (sources.childKind !== kind) sources.transcript = null;
    sources.childKind = kind;
    sources.child = { pid, start };
    await this.#backlog.add(session, childStarted(kind, this.#loop.now()));
  }

  async #followEnd(session: string, sources: SessionSources, found: readonly FoundAgent[], at: number): Promise<void> {
    const { child } = sources;
    if (child === null || found.some(({ pid, start }) => pid === child.pid && start === child.start)) return;
    sources.child = null;
    await this.#backlog.add(session, childEnded(at));
  }

  async #sense(session: AgentSession, at: number): Promise<void> {
    const sources = this.#sourcesOf(session);
    sources.typedAt = typedAt(sources.tty, session.startedAt) ?? sources.typedAt;
    if (session.pid === null) return;
    // Its supervisor may start the next process before the next sample.
    const isMissing = sources.sessionFile?.supervisedAs && this.#processes.table?.rows.has(session.pid) === false;
    if (isMissing || at - sources.sampledAt >= SAMPLE_EVERY_MS) await this.#sample(session, session.pid, sources, at);
  }

  /** One folder after the other, without waiting for storage. */
  async #checkAtWork(at: number): Promise<void> {
    const reported: Promise<void>[] = [];
    for (const { session } of this.#loop.sessions()) {
      if (session.endedAt !== null) continue;
      const checking = this.#checkAtWorkOf(session, at).then((signals) => {
        if (signals.length > 0) reported.push(this.#backlog.add(session.id, signals));
      });
      await this.#guarded(checking);
    }
    await Promise.all(reported);
  }

  async #checkAtWorkOf(session: AgentSession, at: number): Promise<Signal[]> {
    if (session.workspace === null) return [];
    const sources = this.#sourcesOf(session);
    // Work from before the start of the session is not its own.
    const lookbackMs = Math.max(0, Math.min(at - session.startedAt, LOOKBACK_MAX_MS));
    sources.workspace ??= new WorkspaceSensor({
      folder: this.#folders.at(session.workspace),
      authors: this.#options.workspace.commit_words.map((word) => word.replaceAll("{name}", session.name)),
      lookbackMs,
      names: [session.name, session.id],
    });
    return sources.workspace.isDue(at) ? sources.workspace.check(at) : [];
  }

  async #sample(session: AgentSession, pid: number, sources: SessionSources, at: number): Promise<void> {
    const target = { pid, start: session.pidStart };
    const sample = this.#processes.sample(target, at);
    const starved = this.#processes.starvation(target, at);
    sources.sampledAt = at;
    if (starved) await this.#backlog.add(session.id, [starved]);
    if (hasChanged(sources.sample, sample)) await this.#backlog.add(session.id, [sample]);
    else if (sample.alive) this.#loop.recordLiveness(session.id, "sensor", at);
    sources.sample = sample;
    if (sample.alive !== false) sources.deadAt = null;
    else sources.deadAt ??= at;
    // Host and pane report an end with its exit code. If neither does, the missing process counts as the end.
    const patience = session.origin === "transcript" ? 0 : UNCLAIMED_MS;
    if (sources.deadAt === null) return;
    // A host that ended with its agent may not have reached the daemon, but may have recorded the end.
    const recorded = this.#options.endOf(session.id);
    if (recorded) await this.#end(session, at, recorded);
    else if (at - sources.deadAt >= patience) await this.#end(session, at);
  }

  /** Takes in a reading of a tmux pane. */
  #seen({ session, signals, liveness, blind }: PaneReading): void {
    if (this.#isExcepted(runKey(session))) return;
    const known = this.#loop.find(session.id);
    if (!known || JSON.stringify(known.session) !== JSON.stringify(this.#options.named?.(session) ?? session))
      this.#loop.register(session);
    if (!known) this.#absorb(session);
    if (blind !== null || liveness === "unknown")
      this.#loop.take({ kind: "unreadable", session: session.id, reason: blind ?? "its pane could not be read" });
    else this.#loop.recordLiveness(session.id, "pane");
    void this.#backlog.add(session.id, signals);
  }

  /** The same process was found by its transcript first: that session ends silently, and this one continues. */
  #absorb(pane: AgentSession): void {
    for (const { session } of this.#loop.sessions()) {
      if (
        session.origin !== "transcript" ||
        session.endedAt !== null ||
        session.pid === null ||
        session.pid !== pane.pid
      )
        continue;
      this.#loop.register({ ...session, endedAt: this.#loop.now() });
    }
  }

  async #end(session: AgentSession, at: number, recorded: RecordedEnd = UNRECORDED): Promise<void> {
    const { leftBy, ...exit } = recorded;
    const typed = this.#sourcesOf(session).typedAt;
    const known = {
      ...exit,
      ...(typed === null ? {} : { typedAt: typed }),
      ...(isAdopted(session) ? { adopted: true as const } : {}),
    };
    const quit = leftBy === null ? [] : [quitSignal(leftBy, at)];
    const { sessionFile } = this.#sourcesOf(session);
    // What the supervisor wrote at the end explains it.
    const last = sessionFile?.supervisedAs ? await sessionFile.read(at) : [];
    await this.#backlog.add(session.id, [...last, ...quit, { kind: "exit", at, source: "process", ...known }]);
    this.#loop.register({ ...session, endedAt: at });
  }

  /** A host that ends may reach the daemon with the end of its session and not with the exit of its agent. */
  async #closeEnded(judge: SessionJudge, at: number): Promise<void> {
    const { session, evidence, judgingError, assessment } = judge;
    const { id, endedAt } = session;
    const isMissing = evidence.exit === null && judgingError === null && !isAdopted(session);
    if (isMissing && endedAt !== null && at - endedAt >= REPORT_MS && !this.#reported.has(id)) {
      this.#reported.add(id);
      const recorded = this.#options.endOf(id);
      if (recorded) await this.#end(session, endedAt, recorded);
    }
    const isInHand = assessment.supervisor !== undefined && this.#loop.find(session.name) === judge;
    await this.#forget(id, isInHand);
  }

  /** A host whose agent ended while the daemon was starting did not reach it at all. */
  async #addUnreported(at: number): Promise<void> {
    if (at - this.#searchedAt < SEARCH_EVERY_MS) return;
    this.#searchedAt = at;
    const isKnown = (id: string): boolean => this.#reported.has(id) || this.#loop.state.sessions.has(id);
    for (const session of this.#options.endedSince(at - UNREPORTED_MAX_MS, isKnown)) {
      this.#reported.add(session.id);
      this.#loop.register(session);
      await this.#end(session, session.endedAt ?? at, this.#options.endOf(session.id) ?? UNRECORDED);
    }
  }

  #sourcesOf(session: AgentSession): SessionSources {
    const known = this.#sources.get(session.id);
    if (known) return known;
    const made = createSources();
    this.#sources.set(session.id, made);
    return made;
  }

  /** While its supervisor has it in hand, only the state file is still read. */
  async #forget(session: string, isInHand: boolean): Promise<void> {
    const sources = this.#sources.get(session);
    if (!sources) return;
    if (isInHand) this.#sources.set(session, { ...createSources(), sessionFile: sources.sessionFile });
    else this.#sources.delete(session);
    this.#positions.forget(session);
    await this.#transcripts.remove(session);
  }
}
