import { type Pattern, type Spans, textsAt } from "../../programs/shared/pattern.js";
import type { CompiledRule } from "./compiled.js";
import type { Row } from "./row.js";

/** A rule that fits a row, and what it took out of it. Shared between looks: nobody writes into it. */
export interface Hit {
  rule: CompiledRule;
  groups: Record<string, string>;
}

type Region = "status" | "foot" | "last";

/** A question to a row that is answered with yes where one of its patterns fits. */
export class Question {
  /** Its place among the questions of a profile: an answer is kept as one bit. */
  readonly bit: number;
  readonly patterns: readonly Pattern[];
  readonly tellsDigits: boolean;

  constructor(n: number, patterns: readonly Pattern[]) {
    this.bit = 1 << n;
    this.patterns = patterns;
    this.tellsDigits = patterns.some((pattern) => pattern.tellsDigits);
  }

  fits(text: string): boolean {
    for (const pattern of this.patterns) if (pattern.test(text)) return true;
    return false;
  }
}

/** What a profile asks of a row. */
export interface Asked {
  rules: Readonly<Record<Region, readonly CompiledRule[]>>;
  tool: Question;
  noise: Question;
  message: Question;
  queued: Question;
  version: Question;
  first: Question;
  not: Question;
  top: Question;
  bottom: Question;
  more: Question;
  placeholders: readonly Pattern[];
}

/**
 * What a profile's patterns say of one row, each asked when its answer is first wanted and kept with the row: most rows of
 * a look were there at the look before. Of a row that counts, each look finds another text; a pattern that does not tell
 * one digit from another is asked of it with its digits masked, which is the same for many looks.
 */
export class RowSays {
  readonly asked: Asked;
  readonly #row: Row;
  /** What is said of the masked row; null where the row is its own. */
  readonly #masked: RowSays | null;
  /** The questions that were answered, and those with yes. */
  #answered = 0;
  #yes = 0;
  #status: readonly Hit[] | undefined;
  #foot: readonly Hit[] | undefined;
  #last: readonly Hit[] | undefined;
  #message: string | null | undefined;
  #version: string | null | undefined;
  #draft: string | null | undefined;
  /** The rule whose places were last asked for, and the places. */
  #rule: CompiledRule | undefined;
  #spans: Spans | null = null;

  constructor(asked: Asked, row: Row, masked: RowSays | null) {
    this.asked = asked;
    this.#row = row;
    this.#masked = masked;
  }

  get status(): readonly Hit[] {
    this.#status ??= this.#hits("status");
    return this.#status;
  }

  get foot(): readonly Hit[] {
    this.#foot ??= this.#hits("foot");
    return this.#foot;
  }

  get last(): readonly Hit[] {
    this.#last ??= this.#hits("last");
    return this.#last;
  }

  /** A tool's own row. */
  get isTool(): boolean {
    return this.#fits(this.asked.tool);
  }

  /** A rule across the screen, or the program's own noise. */
  get isNoise(): boolean {
    return this.#fits(this.asked.noise);
  }

  /** The first row of a message of the agent. */
  get isMessage(): boolean {
    return this.#fits(this.asked.message);
  }

  /** What a message's first row says; null where it is none. */
  get message(): string | null {
    if (this.#message === undefined) this.#message = this.#group(this.asked.message, "text");
    return this.#message;
  }

  /** What a human typed while the turn ran. */
  get isQueued(): boolean {
    return this.#fits(this.asked.queued);
  }

  /** The program's version, where the row names it. */
  get version(): string | null {
    if (this.#version === undefined) this.#version = this.#group(this.asked.version, "version");
    return this.#version;
  }

  /** May it be a composer's first row? */
  get isFirst(): boolean {
    return this.#fits(this.asked.first);
  }

  /** What is typed in it, as a composer's first row; null where it is none. */
  get draft(): string | null {
    if (this.#draft === undefined) this.#draft = this.#draftIn();
    return this.#draft;
  }

  get isTop(): boolean {
    return this.#fits(this.asked.top);
  }

  get isBottom(): boolean {
    return this.#fits(this.asked.bottom);
  }

  /** May it be a later row of a draft? */
  get isMore(): boolean {
    return this.#fits(this.asked.more);
  }

  /** What this rule takes out of it; null where it does not fit. */
  groupsOf(rule: CompiledRule): Record<string, string> | null {
    return textsAt(this.#spansOf(rule), this.#row.text);
  }

  #fits(question: Question): boolean {
    const { bit } = question;
    if ((this.#answered & bit) === 0) {
      this.#answered |= bit;
      const isYes =
        this.#masked && !question.tellsDigits ? this.#masked.#fits(question) : question.fits(this.#row.text);
      if (isYes) this.#yes |= bit;
    }
    return (this.#yes & bit) !== 0;
  }

  #group(question: Question, name: string): string | null {
    return this.#fits(question) ? (question.patterns[0]?.groups(this.#row.text)?.[name] ?? null) : null;
  }

  #draftIn(): string | null {
    const { first, not, placeholders } = this.asked;
    if (!this.isFirst || this.#fits(not)) return null;
    const draft = (this.#group(first, "draft") ?? "").trim();
    return placeholders.some((p) => p.test(draft)) ? "" : draft;
  }

  /** Finding places takes ten times as long as telling that a row fits; those of the masked row are the same. */
  #spansOf(rule: CompiledRule): Spans | null {
    if (this.#masked && !rule.when.tellsDigits) return this.#masked.#spansOf(rule);
    if (this.#rule !== rule) {
      this.#rule = rule;
      this.#spans = rule.when.spans(this.#row.text);
    }
    return this.#spans;
  }

  #hits(region: Region): readonly Hit[] {
    const hits: Hit[] = [];
    for (const rule of this.asked.rules[region]) {
      if (this.#isHit(region, rule)) hits.push({ rule, groups: this.groupsOf(rule) ?? {} });
    }
    return hits;
  }

  #isHit(region: Region, rule: CompiledRule): boolean {
    if (!this.#masked || rule.when.tellsDigits) return rule.when.test(this.#row.text);
    return this.#masked.#hitsIn(region).some((hit) => hit.rule === rule);
  }

  #hitsIn(region: Region): readonly Hit[] {
    return region === "status" ? this.status : region === "foot" ? this.foot : this.last;
  }
}
