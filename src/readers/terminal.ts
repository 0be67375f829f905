/**
 * Terminal bytes into signals.
 *
 * Bytes are only collected as they come; everything is read at time boundaries (`look`), never per write, so that
 * how the bytes were cut cannot decide anything. A frame can be torn at a boundary: what the screen states counts
 * when two looks agree. The emulator answers nothing to anybody: it has no way back to the program.
 */
import { createRequire } from "node:module";
import type * as Xterm from "@xterm/headless";
import { generic } from "../agents/generic.js";
import type { AgentProfile } from "../agents/profile.js";
import type { ScreenReading, Signal } from "../core/signal.js";
import type { Glance } from "../core/touch.js";
import { readProgramStatus, statusOf } from "./program-status.js";
import { type CompiledProfile, compileProfile } from "./screen/compiled.js";
import { type Facts, readFacts, ScreenMemory } from "./screen/facts.js";
import { type Glimpse, glimpse } from "./screen/glance.js";
import { ResetTimes } from "./screen/reset-times.js";
import { footOf } from "./screen/screen-text.js";
import { TerminalScreen } from "./screen/terminal-screen.js";
import { Ticks } from "./screen/ticks.js";

/** Not by `import`: looking for the names that it exports takes Node.js 20 to 70 ms of a start that is felt. */
const xterm = createRequire(import.meta.url)("@xterm/headless") as typeof Xterm;

/**
 * How often a terminal is to be looked at. What two looks agree on is told within a second and a half; looks twice as
 * often found nothing more on the recordings and cost the reader its place beside the bare emulator.
 */
export const LOOK_MS = 750;

export interface TerminalOptions {
  cols: number;
  rows: number;
  /** IANA zone for clock times that the program prints without one. */
  readonly zone: string;
}

/** Bytes are handed to the emulator at the latest when so many wait, to bound memory under a flood. */
const PENDING_BYTES_MAX = 256 * 1024;
/**
 * A look costs as much as parsing a thousand bytes, and a spinner that turns writes a hundred between two looks. So few
 * wait until more came, until the program rests, or for so many looks at most.
 */
const WORTH_BYTES = 2000;
const WAIT_LOOKS_MAX = 3;
/** Bytes arriving is life, not progress: said once per so many milliseconds. */
const OUTPUT_EVERY_MS = 5000;
/** A spinner in a title turns ten times a second, and looks are two seconds apart. */
const TITLES_MAX = 64;
/** A spinner that last moved longer ago than this has stopped. */
const MOTION_MS = 3000;
/** How shells and interpreters end the row on which they wait for a command. */
const PROMPT_SIGN = /[$#%>❯›»]$/;
/** Facts that are yes, no or a word. */
const FLAGS = [
  "busy",
  "composer",
  "structural",
  "compacting",
  "background",
  "ended",
  "interrupted",
  "closing",
] as const satisfies readonly (keyof Facts)[];
/** What a program's status means for whoever wants to type. */
const WORDS: Readonly<Record<string, Glance["says"]>> = {
  working: "working",
  blocked: "blocked",
  idle: "idle",
  done: "idle",
  error: "idle",
};

export class TerminalReader {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #screen: TerminalScreen;
  readonly #compiled: CompiledProfile;
  readonly #options: TerminalOptions;
  readonly #resetTimes: ResetTimes;
  readonly #ticks = new Ticks();
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Of the pending bytes, those since the last look; and how many looks the others have waited for. */
  #freshBytes = 0;
  #waited = 0;
  #outputBytes = 0;
  #outputAt = Number.NEGATIVE_INFINITY;
  #statuses: string[] = [];
  /** The program's last word of itself by OSC 7501. */
  #programStatus: string | null = null;
  #title: string | null = null;
  /** Those since the last look: a turn may begin and end between two. */
  #titles: string[] = [];
  #titleStatus: string | null = null;
  #dirty = false;
  /** Rows that changed since the last look. */
  #changed: string[] = [];
  #movedAt = Number.NEGATIVE_INFINITY;
  readonly #memory: ScreenMemory;
  #structuralMemory: ScreenMemory | null = null;
  #facts: Facts | null = null;
  #key = "";
  /** What two looks agreed on, and the look before. */
  #settled = "";
  #before = "";
  #agreed: Facts | null = null;
  #said: { key: string; reply: string; tokens: number | undefined; moving: boolean } | null = null;
  /** Whether the look before found a reply or a counter that had not been said. */
  #wasNews = false;
  #version: string | null = null;

  constructor(profile: AgentProfile, options: TerminalOptions) {
    this.#compiled = compileProfile(profile);
    this.#memory = new ScreenMemory(this.#compiled);
    this.#options = options;
    this.#resetTimes = new ResetTimes(options);
    this.#terminal = new xterm.Terminal({
      cols: clamp(options.cols, 2, 1000),
      rows: clamp(options.rows, 2, 500),
      scrollback: 0,
      allowProposedApi: true,
      // It writes what it cannot parse to standard error, bytes and all.
      logLevel: "off",
    });
    this.#screen = new TerminalScreen(this.#terminal);
    this.#terminal.onTitleChange((title) => {
      this.#title = title.slice(0, 400);
      if (this.#titles.length < TITLES_MAX) this.#titles.push(this.#title);
    });
    this.#terminal.parser.registerOscHandler(7501, (data) => {
      if (this.#statuses.length < 64) this.#statuses.push(data.slice(0, 2000));
      this.#programStatus = statusOf(data.slice(0, 2000)) ?? this.#programStatus;
      return true;
    });
  }

  write(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#freshBytes += bytes.length;
    this.#outputBytes += bytes.length;
    if (this.#pendingBytes > PENDING_BYTES_MAX) this.#flush();
  }

  /** A whole screen at once: nothing of it is still to come, so the next look reads it. */
  paint(bytes: Uint8Array): void {
    this.write(bytes);
    this.#flush();
  }

  resize(cols: number, rows: number): void {
    this.#flush();
    this.#terminal.resize(clamp(cols, 2, 1000), clamp(rows, 2, 500));
    this.#screen.touch();
    this.#dirty = true;
  }

  /** Where the cursor stands after everything that was written, counted from 1 as terminals do. */
  cursor(): { row: number; column: number } {
    this.#flush();
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY + 1, column: Math.min(cursorX + 1, this.#terminal.cols) };
  }

  /** What stands there now, whatever the look before said. Changes nothing of what the next look tells. */
  glimpse(at: number): Glimpse {
    this.#readRows();
    const { compiled, facts } = this.#readScreen(at);
    return glimpse(compiled, this.#screen, facts, this.#says());
  }

  /** A time boundary: reads what came since the last one. */
  look(at: number): Signal[] {
    const signals: Signal[] = [];
    if (this.#outputBytes > 0 && at - this.#outputAt >= OUTPUT_EVERY_MS) {
      signals.push({ kind: "output", at, source: "screen", bytes: this.#outputBytes });
      this.#outputBytes = 0;
      this.#outputAt = at;
    }
    const isDue = this.#isDue();
    this.#freshBytes = 0;
    if (!isDue) return signals;
    this.#flush();
    if (this.#statuses.length > 0) {
      for (const data of this.#statuses.splice(0)) signals.push(...readProgramStatus(data, at, this.#options));
    }
    this.#lookAtTitle(at, signals);
    this.#lookAtScreen(at, signals);
    return signals;
  }

  /** The last look: what stands there counts, although no other will agree. */
  lastLook(at: number): Signal[] {
    this.#flush();
    return [...this.look(at), ...this.look(at)];
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #isDue(): boolean {
    const isResting = this.#freshBytes === 0;
    // What the look before found and nothing has confirmed is looked at again at once.
    const isOpen = this.#key !== this.#settled || this.#wasNews;
    if (isResting || isOpen || this.#pendingBytes >= WORTH_BYTES) return true;
    this.#waited++;
    return this.#waited >= WAIT_LOOKS_MAX;
  }

  #flush(): void {
    this.#freshBytes = 0;
    this.#waited = 0;
    if (this.#pendingBytes === 0) return;
    const bytes =
      this.#pending.length === 1 ? (this.#pending[0] as Uint8Array) : joined(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#dirty = true;
    // An empty input marks the next write as an answer to a user, which the emulator parses at once instead of in a
    // timer. Without it each look would wait a millisecond for its timer, which is half of the time of a replay.
    this.#terminal.input("", true);
    this.#terminal.write(bytes);
  }

  #lookAtTitle(at: number, signals: Signal[]): void {
    if (this.#titles.length === 0) return;
    // Beyond so many, only the last one counts.
    if (this.#titles.length === TITLES_MAX) this.#titles.push(this.#title as string);
    for (const title of this.#titles.splice(0)) {
      const status = this.#compiled.titles.find((t) => t.when.test(title))?.status ?? "clear";
      if (status === this.#titleStatus) continue;
      this.#titleStatus = status;
      signals.push({ kind: "status", at, source: "title", status });
    }
  }

  #says(): Glance["says"] {
    const status = this.#programStatus;
    if (status !== null && status !== "clear") return WORDS[status] ?? null;
    return this.#compiled.titles.find((t) => t.when.test(this.#title ?? ""))?.status ?? null;
  }

  #readRows(): void {
    this.#flush();
    if (this.#dirty) this.#changed.push(...this.#screen.read());
    this.#dirty = false;
  }

  #lookAtScreen(at: number, signals: Signal[]): void {
    this.#readRows();
    const changed = this.#changed.splice(0);
    if (changed.length > 0) {
      this.#movedAt = at;
      this.#ticks.look(changed, at, this.#screen.rows);
      const { facts } = this.#readScreen(at);
      if (!this.#facts || !isAlike(this.#facts, facts)) this.#key = stable(facts);
      this.#facts = facts;
      this.#lookForVersion(changed, at, signals);
    }
    if (!this.#facts) return;
    if (this.#key === this.#before && this.#key !== this.#settled) {
      this.#settled = this.#key;
      this.#agreed = this.#facts;
    }
    this.#before = this.#key;
    if (!this.#agreed) return;
    const seen = this.#facts;
    const agrees = this.#key === this.#settled;
    const tokens = agrees ? seen.tokens : (seen.tokens ?? this.#agreed.tokens);
    const moving = at - this.#movedAt < MOTION_MS;
    const said = this.#said;
    const isNews = said !== null && (said.reply !== seen.reply || said.tokens !== tokens);
    // A frame that is torn at this look is whole at the next. Qwen Code paints its whole history anew every 40 s; half
    // of it is a reply that nobody ever saw, and counted as news it kept a dead stream alive.
    const isFirst = isNews && !this.#wasNews;
    this.#wasNews = isNews;
    if (said && (isFirst || !isNews) && said.moving === moving && said.key === this.#settled) return;
    const facts: Facts = agrees ? seen : { ...this.#agreed, reply: seen.reply, ...progress(seen) };
    const reading: ScreenReading = { ...facts, moving, ...(isFirst ? { reply: said.reply } : {}) };
    if (isFirst) {
      if (said.tokens === undefined) delete reading.tokens;
      else reading.tokens = said.tokens;
    }
    this.#said = { key: this.#settled, reply: reading.reply, tokens: isFirst ? said.tokens : tokens, moving };
    signals.push({ kind: "screen", at, source: "screen", reading });
  }

  /** By the program's profile; by structure alone where the screen does not fit it. */
  #readScreen(at: number): { compiled: CompiledProfile; facts: Facts } {
    const look = {
      at,
      until: (text: string) => this.#resetTimes.until(text, at),
      ticking: (row: string) => this.#ticks.ticking(row, at),
      inherits: (row: string, above: number) => this.#ticks.inherits(row, above, at),
      clockStands: (above: number) => this.#ticks.stands(above, at),
    };
    const facts = readFacts(this.#compiled, this.#screen, look, this.#memory);
    if (this.#compiled.profile.id === generic.id) {
      const caret = facts.composer === "hidden" ? this.#caret() : null;
      return { compiled: this.#compiled, facts: caret ? { ...facts, caret } : facts };
    }
    if (facts.composer !== "hidden" || facts.dialog || facts.busy !== null) return { compiled: this.#compiled, facts };
    const structure = compileProfile(generic);
    this.#structuralMemory ??= new ScreenMemory(structure);
    const seen = readFacts(structure, this.#screen, look, this.#structuralMemory);
    return { compiled: structure, facts: { ...seen, structural: true } };
  }

  /** What the cursor stands behind, on the lowest row with text; null where it stands elsewhere. */
  #caret(): ScreenReading["caret"] | null {
    const { rows } = this.#screen;
    const foot = footOf(rows);
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    const text = (rows[foot] ?? "").trimEnd();
    if (foot < 0 || cursorY !== foot || cursorX < text.length) return null;
    return PROMPT_SIGN.test(text) ? "sign" : "text";
  }

  #lookForVersion(rows: readonly string[], at: number, signals: Signal[]): void {
    if (this.#version !== null || !this.#compiled.version) return;
    for (const row of rows) {
      const version = this.#compiled.version.groups(row)?.version;
      if (!version) continue;
      this.#version = version;
      signals.push({ kind: "session", at, source: "screen", version });
      return;
    }
  }
}

/** Everything that a look states but for what moves by nature, as a text to compare. */
function stable(facts: Facts): string {
  const { dialog, error, retry, limit } = facts;
  const flags = FLAGS.map((name) => facts[name]);
  return JSON.stringify([
    flags,
    facts.tool?.class,
    dialog,
    error,
    retry && [retry.attempt, retry.max, retry.infra],
    limit && [limit.until, limit.resumesItself],
  ]);
}

/** Do two looks state the same without words? Then their texts to compare are the same, and need not be written. */
function isAlike(a: Facts, b: Facts): boolean {
  for (const facts of [a, b]) if (facts.dialog || facts.error || facts.retry || facts.limit) return false;
  for (const name of FLAGS) if (a[name] !== b[name]) return false;
  return a.tool?.class === b.tool?.class;
}

function progress(facts: Facts): Partial<Facts> {
  return {
    ...(facts.tokens === undefined ? {} : { tokens: facts.tokens }),
    ...(facts.elapsed === undefined ? {} : { elapsed: facts.elapsed }),
  };
}

/** What comes between two looks is joined here and parsed at once, so one place serves all readers. */
const joint = new Uint8Array(64 * 1024);

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = bytes <= joint.length ? joint.subarray(0, bytes) : new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const clamp = (n: number, low: number, high: number): number => Math.max(low, Math.min(high, Math.floor(n) || low));
