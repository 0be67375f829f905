/**
 * Terminal bytes into signals.
 *
 * Bytes are only collected as they come; everything is read at time boundaries (`look`), never per write, so that how the
 * bytes were cut cannot decide anything. What the screen states counts when two looks agree.
 */

import type { ScreenState } from "../../core/policy/typing-checks.js";
import type { ScreenReading, Signal } from "../../core/signal.js";
import type { AgentProfile } from "../../programs/shared/profile.js";
import { type CompiledProfile, compileProfile } from "./compiled.js";
import { ConfirmedReading } from "./confirmed-reading.js";
import { Emulator } from "./emulator.js";
import { explainScreen, type ScreenExplanation } from "./explain.js";
import { readFacts } from "./facts.js";
import { layOut } from "./layout.js";
import { readProgramStatus, statusOf } from "./program-status.js";
import { ReplyReader } from "./reply.js";
import { ResetTimes } from "./reset-times.js";
import type { ScreenRow } from "./row.js";
import { RowClocks } from "./row-clocks.js";
import type { ScreenCheck, ScreenFacts } from "./screen-check.js";
import { type PlacedScreenState, placedScreenState } from "./screen-state.js";
import { footOf } from "./screen-text.js";
import { StaticRows } from "./static-rows.js";

/**
 * How often a terminal is to be looked at. What two looks agree on is told within a second and a half; looks twice as
 * often found nothing more on the recordings and cost the reader its place beside the bare emulator.
 */
export const CHECK_MS = 750;

export interface TerminalOptions {
  cols: number;
  rows: number;
  /** IANA zone for clock times that the program prints without one. */
  readonly zone: string;
  /** The profile that reads by structure alone, for screens that do not fit the program's own. */
  readonly structure: AgentProfile;
}

/** Bytes arriving is life, not progress: said once per so many milliseconds. */
const OUTPUT_EVERY_MS = 5000;
/** A spinner in a title turns several times a second: one that stood for so long has stopped. */
const TITLE_STATIC_MS = 4000;
/** How shells and interpreters end the row on which they wait for a command. */
const PROMPT_SIGN = /[$#%>❯›»]$/;
/** What a program's status means for whoever wants to type. */
const WORDS: Readonly<Record<string, ScreenState["says"]>> = {
  working: "working",
  blocked: "blocked",
  idle: "idle",
  done: "idle",
  error: "idle",
};

export class TerminalReader {
  readonly #emulator: Emulator;
  readonly #compiled: CompiledProfile;
  readonly #options: TerminalOptions;
  readonly #resetTimes: ResetTimes;
  readonly #ticks = new RowClocks();
  readonly #settling = new ConfirmedReading();
  readonly #staticRows = new StaticRows();
  readonly #signs = new Set<string>();
  readonly #replies: ReplyReader;
  readonly #check: ScreenCheck;
  /** The same for a reading by structure alone. */
  readonly #structuralCheck: ScreenCheck;
  #structuralReplies: ReplyReader | null = null;
  #outputBytes = 0;
  #outputAt = Number.NEGATIVE_INFINITY;
  /** The program's last word of itself by OSC 7501. */
  #programStatus: string | null = null;
  #titleStatus: string | null = null;
  #titledAt = Number.NEGATIVE_INFINITY;
  /** The screen, read by structure, stands at its prompt below what stopped it. */
  #hasGivenUp = false;
  /** The last look knew no more than structure. */
  #isByStructure = true;
  #version: string | null = null;
  /** What the last check read, for `explain`. */
  #checked: { compiled: CompiledProfile; facts: ScreenFacts } | null = null;

  constructor(profile: AgentProfile, options: TerminalOptions) {
    this.#compiled = compileProfile(profile);
    this.#replies = new ReplyReader(this.#compiled);
    this.#options = options;
    this.#resetTimes = new ResetTimes(options);
    this.#check = this.#checkBy({});
    this.#structuralCheck = this.#checkBy({
      stood: (rows, top) => this.#staticRows.see(rows, top),
      signs: this.#signs,
    });
    this.#emulator = new Emulator(options, (data) => {
      this.#programStatus = statusOf(data) ?? this.#programStatus;
    });
  }

  write(bytes: Uint8Array): void {
    this.#outputBytes += bytes.length;
    this.#emulator.write(bytes);
  }

  /** A whole screen at once: nothing of it is still to come, so the next look reads it. */
  paint(bytes: Uint8Array): void {
    this.write(bytes);
    this.#emulator.flush();
  }

  resize(cols: number, rows: number): void {
    this.#emulator.resize(cols, rows);
  }

  /** Where the cursor stands after everything that was written, counted from 1 as terminals do. */
  cursor(): { row: number; column: number } {
    this.#emulator.flush();
    const { x, y, cols } = this.#emulator.cursor;
    return { row: y + 1, column: Math.min(x + 1, cols) };
  }

  /** What stands there now, whatever the look before said. Changes nothing of what the next look tells. */
  placedScreenState(at: number): PlacedScreenState {
    this.#emulator.readRows();
    const { compiled, facts } = this.#readScreen(at);
    return placedScreenState(compiled, this.#emulator.screen, facts, this.#says());
  }

  /** The last check in its parts. Changes nothing of what the next one says. */
  explain(): ScreenExplanation | null {
    if (!this.#checked) return null;
    const { compiled, facts } = this.#checked;
    const { screen } = this.#emulator;
    const { stood: _, ...check } =
      compiled === this.#compiled && !this.#isByStructure ? this.#check : this.#structuralCheck;
    const layout = layOut(compiled, screen, { ...check, signs: new Set(this.#signs) });
    return explainScreen(compiled, screen, layout, facts);
  }

  /** A time boundary: reads what came since the last one. */
  check(at: number): Signal[] {
    const signals: Signal[] = [];
    if (this.#outputBytes > 0 && at - this.#outputAt >= OUTPUT_EVERY_MS) {
      signals.push({ kind: "output", at, source: "screen", bytes: this.#outputBytes });
      this.#outputBytes = 0;
      this.#outputAt = at;
    }
    this.#checkAtStoodTitle(at, signals);
    if (this.#emulator.isAtRest && this.#settling.isAtRest(at)) return signals;
    if (!this.#emulator.isDue(this.#isHurried())) return signals;
    this.#emulator.readRows();
    for (const data of this.#emulator.takeStatuses()) signals.push(...readProgramStatus(data, at, this.#options));
    this.#checkAtTitles(at, signals);
    this.#checkAtScreen(at, signals);
    return signals;
  }

  /**
   * Is the next look due at once? Another state is confirmed as soon as can be. That a reply or a counter has grown is no
   * hurry where a profile says that the agent works; by structure alone, each look is a witness of what turns and runs.
   */
  #isHurried(): boolean {
    return this.#isByStructure ? this.#settling.isOpen : this.#settling.isUnsettled;
  }

  /** The last look: what stands there counts, although no other will agree. */
  lastCheck(at: number): Signal[] {
    this.#emulator.flush();
    return [...this.check(at), ...this.check(at)];
  }

  dispose(): void {
    this.#emulator.dispose();
  }

  /** Some leave the title as it was when an error ended the turn: the screen says so, and its spinner turns no more. */
  #checkAtStoodTitle(at: number, signals: Signal[]): void {
    if (!this.#hasGivenUp || this.#titleStatus !== "working" || at - this.#titledAt < TITLE_STATIC_MS) return;
    this.#titleStatus = "clear";
    signals.push({ kind: "status", at, source: "title", status: "clear" });
  }

  #checkAtTitles(at: number, signals: Signal[]): void {
    for (const title of this.#emulator.takeTitles()) {
      this.#titledAt = at;
      const status = this.#compiled.statusOfTitle(title) ?? "clear";
      if (status === this.#titleStatus) continue;
      this.#titleStatus = status;
      signals.push({ kind: "status", at, source: "title", status });
    }
  }

  #says(): ScreenState["says"] {
    const status = this.#programStatus;
    if (status !== null && status !== "clear") return WORDS[status] ?? null;
    return this.#compiled.statusOfTitle(this.#emulator.title);
  }

  #checkAtScreen(at: number, signals: Signal[]): void {
    const changed = this.#emulator.takeChanged();
    if (changed.length > 0) {
      this.#ticks.check(changed, at, this.#emulator.screen.rows);
      const { compiled, facts } = this.#readScreen(at);
      this.#checked = { compiled, facts };
      this.#isByStructure = compiled.profile.structural === true;
      this.#hasGivenUp = this.#compiled.profile.structural === true && hasGivenUp(facts);
      this.#settling.see(facts, at);
      this.#checkForVersion(changed, at, signals);
    }
    const reading = this.#settling.say(at);
    if (reading) signals.push({ kind: "screen", at, source: "screen", reading });
  }

  /** By the program's profile; by structure alone where the screen does not fit it. */
  #readScreen(at: number): { compiled: CompiledProfile; facts: ScreenFacts } {
    this.#check.at = this.#structuralCheck.at = at;
    if (this.#compiled.profile.structural) {
      const facts = readFacts(this.#compiled, this.#emulator.screen, this.#structuralCheck, this.#replies);
      const caret = facts.composer === "hidden" ? this.#caret() : null;
      return { compiled: this.#compiled, facts: caret ? { ...facts, caret } : facts };
    }
    const facts = readFacts(this.#compiled, this.#emulator.screen, this.#check, this.#replies);
    if (facts.composer !== "hidden" || facts.dialog || facts.busy !== null) return { compiled: this.#compiled, facts };
    const structure = compileProfile(this.#options.structure);
    this.#structuralReplies ??= new ReplyReader(structure);
    const seen = readFacts(structure, this.#emulator.screen, this.#structuralCheck, this.#structuralReplies);
    return { compiled: structure, facts: { ...seen, structural: true } };
  }

  /** What the looks before know of rows, at the moment `at` of the look that is taken. */
  #checkBy(more: Pick<ScreenCheck, "stood" | "signs">): ScreenCheck {
    const check: ScreenCheck = {
      at: Number.NEGATIVE_INFINITY,
      until: (text) => this.#resetTimes.until(text, check.at),
      ticking: (row) => this.#ticks.ticking(row, check.at),
      ran: (row) => this.#ticks.ran(row, check.at),
      turning: (row) => this.#ticks.turning(row, check.at),
      isStatic: (row) => this.#staticRows.isStatic(row),
      inherits: (row, above) => this.#ticks.inherits(row, above, check.at),
      clockStands: (above) => this.#ticks.stands(above, check.at),
      ...more,
    };
    return check;
  }

  /** What the cursor stands behind, on the lowest row with text; null where it stands elsewhere. */
  #caret(): ScreenReading["caret"] | null {
    const { rows } = this.#emulator.screen;
    const foot = footOf(rows);
    const { x, y } = this.#emulator.cursor;
    const text = (rows[foot]?.text ?? "").trimEnd();
    if (foot < 0 || y !== foot || x < text.length) return null;
    return PROMPT_SIGN.test(text) ? "sign" : "text";
  }

  #checkForVersion(rows: readonly ScreenRow[], at: number, signals: Signal[]): void {
    if (this.#version !== null || this.#compiled.profile.versionRow === null) return;
    for (const row of rows) {
      const { version } = this.#compiled.says(row);
      if (!version) continue;
      this.#version = version;
      signals.push({ kind: "session", at, source: "screen", version });
      return;
    }
  }
}

const hasGivenUp = ({ busy, composer, error, limit }: ScreenFacts): boolean =>
  busy === false && composer !== "hidden" && (error !== undefined || limit !== undefined);
