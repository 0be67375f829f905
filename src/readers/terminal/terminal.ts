/**
 * Turns terminal bytes into signals.
 *
 * Bytes are only collected as they arrive; everything is read at time boundaries (`check`), never per write, so that
 * chunking has no effect. The facts of the screen count when two checks agree.
 */

import { digest } from "../../core/digest.js";
import { hasMarker } from "../../core/judgement/closing.js";
import type { ScreenState } from "../../core/policy/typing-checks.js";
import type { ScreenReading, Signal, StatusSignal } from "../../core/signal.js";
import type { AgentProfile } from "../../programs/shared/profile.js";
import { type CompiledProfile, compileProfile } from "./compiled.js";
import { ConfirmedReading } from "./confirmed-reading.js";
import { Emulator } from "./emulator.js";
import { explainScreen, type ScreenExplanation } from "./explain.js";
import { endFact, readFacts } from "./facts.js";
import { RepeatedFailures } from "./failure-lines.js";
import { layOut } from "./layout.js";
import { readProgramStatus, statusOf } from "./program-status.js";
import { type ReplyOptions, ReplyReader } from "./reply.js";
import { ResetTimes } from "./reset-times.js";
import type { ScreenRow } from "./row.js";
import { RowClocks } from "./row-clocks.js";
import type { ScreenCheck, ScreenFacts } from "./screen-check.js";
import { type PlacedScreenState, placedScreenState } from "./screen-state.js";
import { footOf } from "./screen-text.js";
import { StaticRows } from "./static-rows.js";

/**
 * The interval between two checks of a terminal. Facts on which two checks agree are reported within a second and a
 * half; checks twice as often found nothing more on the recordings and broke the cost limit relative to the bare emulator.
 */
export const CHECK_MS = 750;

export interface TerminalOptions extends ReplyOptions {
  cols: number;
  rows: number;
  /** IANA zone for clock times that the program prints without one. */
  readonly zone: string;
  /** The profile that reads by structure alone, for screens that do not fit the program's own. */
  readonly structure: AgentProfile;
}

/** Arriving bytes show liveness, not progress: reported once per this many milliseconds. */
const OUTPUT_EVERY_MS = 5000;
/** A spinner in a title turns several times a second: after this long without a change it has stopped. */
const TITLE_STATIC_MS = 4000;
/** Last character of the prompt row of shells and interpreters. */
const PROMPT_SIGN = /[$#%>❯›»]$/;
/** Last character of a line behind which an answer may be typed. */
const QUESTION_SIGN = /[:?：？]$/;
const LINE_ROWS_MAX = 4;
/** A shorter line may be a label. */
const SENTENCE_WORDS = 4;
/** Does the line end within a sentence, so that more of it has to come? */
const isCut = (line: string): boolean =>
  /[\p{L}\p{N},]$/u.test(line) && (line.match(/\p{L}{2,}/gu)?.length ?? 0) >= SENTENCE_WORDS;
/** Meaning of a program's status for typing. */
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
  readonly #failures = new RepeatedFailures();
  readonly #replies: ReplyReader;
  readonly #check: ScreenCheck;
  /** The same for a reading by structure alone. */
  readonly #structuralCheck: ScreenCheck;
  #structuralReplies: ReplyReader | null = null;
  #outputBytes = 0;
  #outputAt = Number.NEGATIVE_INFINITY;
  /** The program's last own status report by OSC 7501, and the report as it was written. */
  #programReport: { status: string; data: string } | null = null;
  /** What the last title states, and when that title came. */
  #titled: { status: StatusSignal["status"]; at: number } | null = null;
  /** The screen, read by structure, shows its prompt below the cause of its stop. */
  #hasGivenUp = false;
  /** It printed the completion marker; the line may have scrolled away. */
  #hasMarked = false;
  /** The last check was by structure only. */
  #isByStructure = true;
  #version: string | null = null;
  /** The last reported reading. */
  #reading: ScreenReading | null = null;
  /** The result of the last check, for `explain`. */
  #checked: { compiled: CompiledProfile; facts: ScreenFacts } | null = null;

  constructor(profile: AgentProfile, options: TerminalOptions) {
    this.#compiled = compileProfile(profile);
    this.#replies = new ReplyReader(this.#compiled, options);
    this.#options = options;
    this.#resetTimes = new ResetTimes(options);
    this.#check = this.#checkBy({});
    this.#structuralCheck = this.#checkBy({
      recordRows: (rows, top) => this.#staticRows.see(rows, top),
      signs: this.#signs,
      caret: () => (this.#emulator.printed?.isPrinter ? this.#emulator.cursor : null),
    });
    this.#emulator = new Emulator(options, profile.structural === true, (data) => {
      const status = statusOf(data);
      if (status !== null) this.#programReport = { status, data };
    });
  }

  write(bytes: Uint8Array): void {
    this.#outputBytes += bytes.length;
    this.#emulator.write(bytes);
  }

  /** A complete screen: the next check reads it without waiting for more. */
  paint(bytes: Uint8Array): void {
    this.write(bytes);
    this.#emulator.flush();
  }

  resize(cols: number, rows: number): void {
    this.#emulator.resize(cols, rows);
  }

  /** The position of the cursor after all writes, counted from 1 as terminals do. */
  cursor(): { row: number; column: number } {
    this.#emulator.settle();
    const { x, y, cols } = this.#emulator.cursor;
    return { row: y + 1, column: Math.min(x + 1, cols) };
  }

  /** The text of the screen's rows as they are now. Does not affect the next check. */
  screenRows(): string[] {
    this.#emulator.readRows();
    const { screen } = this.#emulator;
    return Array.from({ length: screen.rows.length }, (_, y) => screen.rows[y]?.text ?? "");
  }

  /** The current screen, independent of the previous check. Does not affect the next check. */
  placedScreenState(at: number): PlacedScreenState {
    this.#emulator.readRows();
    const { compiled, facts } = this.#readScreen(at);
    return placedScreenState(compiled, this.#emulator.screen, facts, this.#says(), this.#signs);
  }

  /** The last check in its parts. Does not affect the next check. */
  explain(): ScreenExplanation | null {
    if (!this.#checked) return null;
    const { compiled, facts } = this.#checked;
    const { screen } = this.#emulator;
    const { recordRows: _, ...check } =
      compiled === this.#compiled && !this.#isByStructure ? this.#check : this.#structuralCheck;
    const layout = layOut(compiled, screen, { ...check, signs: new Set(this.#signs) });
    return explainScreen(compiled, screen, layout, facts);
  }

  /** A time boundary: reads the output since the last one. */
  check(at: number): Signal[] {
    const signals = this.#checkAt(at);
    this.#emulator.refill();
    return signals;
  }

  #checkAt(at: number): Signal[] {
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
    const lines = this.#emulator.printed?.take() ?? [];
    this.#hasMarked ||= lines.some((line) => hasMarker(line, this.#replies.marker));
    this.#checkAtScreen(at, signals);
    this.#checkAtLines(lines, at, signals);
    return signals;
  }

  /**
   * Is the next check due at once? A new state is confirmed as soon as possible. Growth of a reply or a counter is not
   * urgent if a profile shows that the agent works; by structure alone, each check is evidence of spinners and clocks.
   */
  #isHurried(): boolean {
    return this.#isByStructure ? this.#settling.isOpen : this.#settling.isUnsettled;
  }

  /** Everything that earlier checks reported and that still holds, for a reader that has lost it. The next check reports the screen. */
  repeat(at: number): Signal[] {
    this.#settling.repeat();
    const signals: Signal[] = [];
    if (this.#version !== null) signals.push({ kind: "session", at, source: "screen", version: this.#version });
    if (Number.isFinite(this.#outputAt))
      signals.push({ kind: "output", at: this.#outputAt, source: "screen", bytes: 0 });
    if (this.#programReport !== null) signals.push(...readProgramStatus(this.#programReport.data, at, this.#options));
    if (this.#titled !== null) signals.push({ kind: "status", at, source: "title", status: this.#titled.status });
    return signals;
  }

  /** The final check: its facts count without confirmation. */
  lastCheck(at: number): Signal[] {
    this.#emulator.flush();
    const signals = [...this.check(at), ...this.check(at)];
    const last = this.#reading;
    if (last === null || this.#compiled.profile.structural !== true) return signals;
    const { failure } = endFact(last, this.#emulator.screen, this.#structuralCheck);
    if (failure) signals.push({ kind: "screen", at, source: "screen", reading: { ...last, failure } });
    return signals;
  }

  dispose(): void {
    this.#emulator.dispose();
  }

  /**
   * Some programs leave the title unchanged after an error ended the turn: the screen shows the error, and its spinner
   * has stopped.
   */
  #checkAtStoodTitle(at: number, signals: Signal[]): void {
    if (!this.#hasGivenUp || this.#titled?.status !== "working" || at - this.#titled.at < TITLE_STATIC_MS) return;
    this.#titled.status = "clear";
    signals.push({ kind: "status", at, source: "title", status: "clear" });
  }

  #checkAtTitles(at: number, signals: Signal[]): void {
    for (const title of this.#emulator.takeTitles()) {
      const status = this.#compiled.statusOfTitle(title) ?? "clear";
      const isSame = status === this.#titled?.status;
      this.#titled = { status, at };
      if (isSame) continue;
      signals.push({ kind: "status", at, source: "title", status });
    }
  }

  #says(): ScreenState["says"] {
    const status = this.#programReport?.status ?? "clear";
    if (status !== "clear") return WORDS[status] ?? null;
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
    if (!reading) return;
    this.#reading = reading;
    signals.push({ kind: "screen", at, source: "screen", reading });
  }

  /** A failure that comes again with nothing new before it: a provider's is a retry, in whatever words. */
  #checkAtLines(lines: readonly string[], at: number, signals: Signal[]): void {
    for (const { key, text: line, infra } of this.#failures.take(lines, at)) {
      const text = line.slice(0, 300);
      if (infra) signals.push({ kind: "retry", at, source: "screen", infra, text });
      else
        signals.push({
          kind: "error",
          at,
          source: "screen",
          cause: "exit_code",
          final: false,
          digest: digest(key),
          text,
        });
    }
  }

  /** By the program's profile; by structure alone if the screen does not match it. */
  #readScreen(at: number): { compiled: CompiledProfile; facts: ScreenFacts } {
    this.#check.at = this.#structuralCheck.at = at;
    if (this.#compiled.profile.structural) {
      const facts = readFacts(this.#compiled, this.#emulator.screen, this.#structuralCheck, this.#replies);
      const caret = facts.composer === "hidden" ? this.#caret() : {};
      const prints = this.#emulator.printed?.isPrinter === true;
      const isMarked = facts.marked === true || this.#hasMarked;
      const all = { ...facts, ...caret, ...(prints && { prints }), ...(isMarked && { marked: true }) };
      return { compiled: this.#compiled, facts: all };
    }
    const facts = readFacts(this.#compiled, this.#emulator.screen, this.#check, this.#replies);
    if (facts.composer !== "hidden" || facts.dialog || facts.busy !== null) return { compiled: this.#compiled, facts };
    const structure = compileProfile(this.#options.structure);
    this.#structuralReplies ??= new ReplyReader(structure, this.#options);
    const seen = readFacts(structure, this.#emulator.screen, this.#structuralCheck, this.#structuralReplies);
    return { compiled: structure, facts: { ...seen, structural: true } };
  }

  /** The knowledge of previous checks about rows, at the time `at` of the current check. */
  #checkBy(more: Pick<ScreenCheck, "recordRows" | "signs" | "caret">): ScreenCheck {
    const check: ScreenCheck = {
      at: Number.NEGATIVE_INFINITY,
      until: (text) => this.#resetTimes.until(text, check.at),
      ticking: (row) => this.#ticks.ticking(row, check.at),
      ran: (row) => this.#ticks.ran(row, check.at),
      turning: (row) => this.#ticks.turning(row, check.at),
      isStatic: (row) => this.#staticRows.isStatic(row),
      inherits: (row, above) => this.#ticks.inherits(row, above, check.at),
      recordClock: (above) => this.#ticks.recordClock(above, check.at),
      ...more,
    };
    return check;
  }

  /** What is before the cursor, on the lowest row with text; nothing if the cursor is elsewhere. */
  #caret(): Pick<ScreenReading, "caret" | "cut"> {
    const { rows } = this.#emulator.screen;
    const foot = footOf(rows);
    const { x, y } = this.#emulator.cursor;
    const text = (rows[foot]?.text ?? "").trimEnd();
    if (foot < 0 || y !== foot || x < text.length) return {};
    if (PROMPT_SIGN.test(text)) return { caret: "sign" };
    if (QUESTION_SIGN.test(text)) return { caret: "question" };
    // A space leaves room for an answer.
    return { caret: "text", ...(x === text.length && isCut(this.#lineAt(foot)) && { cut: true }) };
  }

  /** The end of a line that may take several rows. */
  #lineAt(foot: number): string {
    const { screen } = this.#emulator;
    let top = foot;
    while (top > 0 && foot - top < LINE_ROWS_MAX && screen.isWrapped(top)) top--;
    return screen.rows
      .slice(top, foot + 1)
      .map(({ text }) => text)
      .join("");
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
