/**
 * What a profile's patterns say of one row, each asked when its answer is first wanted and kept with the row: most rows of
 * a check were there at the check before, and to ask RE2 again for each takes most of the time of a check.
 */
import type { CompiledRule, RowPatterns, RowRegion } from "./row-patterns.js";

/** A rule that fits a row, and what it took out of it. Shared between looks: nobody writes into it. */
export interface RuleHit {
  rule: CompiledRule;
  groups: Record<string, string>;
}

type RowPattern = Exclude<keyof RowPatterns, "rules">;

export class RowSays {
  readonly asked: RowPatterns;
  readonly #text: string;
  readonly #fitting: { [question in RowPattern]?: boolean } = {};
  readonly #hits: { [region in RowRegion]?: readonly RuleHit[] } = {};
  #message: string | null | undefined;
  #version: string | null | undefined;
  #draft: string | null | undefined;

  constructor(asked: RowPatterns, text: string) {
    this.asked = asked;
    this.#text = text;
  }

  get status(): readonly RuleHit[] {
    return this.#hitsIn("status");
  }

  get foot(): readonly RuleHit[] {
    return this.#hitsIn("foot");
  }

  get last(): readonly RuleHit[] {
    return this.#hitsIn("last");
  }

  /** A tool's own row. */
  get isTool(): boolean {
    return this.#fits("tool");
  }

  /** A rule across the screen, or the program's own noise. */
  get isNoise(): boolean {
    return this.#fits("noise");
  }

  /** The first row of a message of the agent. */
  get isMessage(): boolean {
    return this.#fits("message");
  }

  /** What a message's first row says; null where it is none. */
  get message(): string | null {
    if (this.#message === undefined) this.#message = this.#group("message", "text");
    return this.#message;
  }

  /** What a human typed while the turn ran. */
  get isQueued(): boolean {
    return this.#fits("queued");
  }

  /** The program's version, where the row names it. */
  get version(): string | null {
    if (this.#version === undefined) this.#version = this.#group("version", "version");
    return this.#version;
  }

  /** May it be a composer's first row? */
  get isFirst(): boolean {
    return this.#fits("first");
  }

  /** What is typed in it, as a composer's first row; null where it is none. */
  get draft(): string | null {
    if (this.#draft === undefined) this.#draft = this.#draftIn();
    return this.#draft;
  }

  get isTop(): boolean {
    return this.#fits("top");
  }

  get isBottom(): boolean {
    return this.#fits("bottom");
  }

  /** May it be a later row of a draft? */
  get isMore(): boolean {
    return this.#fits("more");
  }

  #fits(question: RowPattern): boolean {
    this.#fitting[question] ??= this.asked[question].some((one) => one.test(this.#text));
    return this.#fitting[question];
  }

  #group(question: RowPattern, name: string): string | null {
    return this.#fits(question) ? (this.asked[question][0]?.groups(this.#text)?.[name] ?? null) : null;
  }

  #draftIn(): string | null {
    if (!this.isFirst || this.#fits("not")) return null;
    const draft = (this.#group("first", "draft") ?? "").trim();
    return this.asked.placeholders.some((p) => p.test(draft)) ? "" : draft;
  }

  #hitsIn(region: RowRegion): readonly RuleHit[] {
    this.#hits[region] ??= this.asked.rules[region]
      .filter(({ when }) => when.test(this.#text))
      .map((rule) => ({ rule, groups: rule.when.groups(this.#text) ?? {} }));
    return this.#hits[region];
  }
}
