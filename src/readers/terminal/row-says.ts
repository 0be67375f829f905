/**
 * The matches of a profile's patterns in one row, each computed on first use and cached with the row: most rows of a
 * check were on the screen at the check before, and running RE2 again for each takes most of the time of a check.
 */
import type { CompiledRule, RowPatterns, RowRegion } from "./row-patterns.js";

/** A rule that matches a row, with its groups. Shared between checks: do not modify. */
export interface RuleHit {
  rule: CompiledRule;
  groups: Record<string, string>;
}

/**
 * Only a terminal that is wider has longer rows. Five hundred rows of a thousand characters took 0.1 s, which an agent's
 * output must not cost at once.
 */
const MATCHED_MAX = 400;

type RowPattern = Exclude<keyof RowPatterns, "rules">;

export class RowSays {
  readonly asked: RowPatterns;
  readonly #text: string;
  /** The part that decides whether a pattern matches. */
  readonly #head: string;
  readonly #fitting: { [question in RowPattern]?: boolean } = {};
  readonly #hits: { [region in RowRegion]?: readonly RuleHit[] } = {};
  #message: string | null | undefined;
  #version: string | null | undefined;
  #draft: string | null | undefined;

  constructor(asked: RowPatterns, text: string) {
    this.asked = asked;
    this.#text = text;
    this.#head = text.slice(0, MATCHED_MAX);
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

  /** The row of a tool. */
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

  /** The text of a message's first row; null if it is not one. */
  get message(): string | null {
    if (this.#message === undefined) this.#message = this.#group("message", "text");
    return this.#message;
  }

  /** Text that a user typed during the turn. */
  get isQueued(): boolean {
    return this.#fits("queued");
  }

  /** The program's version, if the row names it. */
  get version(): string | null {
    if (this.#version === undefined) this.#version = this.#group("version", "version");
    return this.#version;
  }

  /** Can it be a composer's first row? */
  get isFirst(): boolean {
    return this.#fits("first");
  }

  /** The draft in it as a composer's first row; null if it is not one. */
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

  /** Can it be a later row of a draft? */
  get isMore(): boolean {
    return this.#fits("more");
  }

  #fits(question: RowPattern): boolean {
    this.#fitting[question] ??= this.asked[question].some((one) => one.test(this.#head));
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
      .filter(({ when }) => when.test(this.#head))
      .map((rule) => ({ rule, groups: rule.when.groups(this.#text) ?? {} }));
    return this.#hits[region];
  }
}
