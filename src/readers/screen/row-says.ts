import type { Pattern } from "../../agents/pattern.js";
import type { CompiledRule } from "./compiled.js";
import type { Row } from "./row.js";
import type { Forms, RowForm } from "./row-form.js";

/** A rule that fits a row, and what it took out of it. Shared between looks: nobody writes into it. */
export interface Hit {
  rule: CompiledRule;
  groups: Record<string, string>;
}

/** What a profile asks of a row. */
export interface Asked {
  rules: Readonly<Record<CompiledRule["region"], readonly CompiledRule[]>>;
  noise: readonly Pattern[];
  message: Pattern | null;
  queued: Pattern | null;
  version: Pattern | null;
  composer: {
    first: Pattern;
    not: Pattern | null;
    top: Pattern | null;
    bottom: Pattern | null;
    more: Pattern | null;
    placeholders: readonly Pattern[];
  };
  forms: Forms;
}

/**
 * What a profile's patterns say of one row, each asked when its answer is first wanted and kept with the row: most rows of
 * a look were there at the look before.
 */
export class RowSays {
  readonly asked: Asked;
  readonly #text: string;
  #status: readonly Hit[] | undefined;
  #foot: readonly Hit[] | undefined;
  #last: readonly Hit[] | undefined;
  #isTool: boolean | undefined;
  #isNoise: boolean | undefined;
  #message: string | null | undefined;
  #isMessage: boolean | undefined;
  #isQueued: boolean | undefined;
  #version: string | null | undefined;
  #isFirst: boolean | undefined;
  #draft: string | null | undefined;
  #isTop: boolean | undefined;
  #isBottom: boolean | undefined;
  #isMore: boolean | undefined;
  #form: RowForm | undefined;
  /** The rule whose groups were last asked for, and the groups. */
  #rule: CompiledRule | undefined;
  #groups: Record<string, string> | null = null;

  constructor(asked: Asked, { text }: Row) {
    this.asked = asked;
    this.#text = text;
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
    this.#isTool ??= this.asked.rules.last.some((rule) => rule.fact === "tool" && rule.when.test(this.#text));
    return this.#isTool;
  }

  /** A rule across the screen, or the program's own noise. */
  get isNoise(): boolean {
    this.#isNoise ??= RULE.test(this.#text) || this.asked.noise.some((pattern) => pattern.test(this.#text));
    return this.#isNoise;
  }

  /** The first row of a message of the agent. */
  get isMessage(): boolean {
    this.#isMessage ??= this.#fits(this.asked.message);
    return this.#isMessage;
  }

  /** What a message's first row says; null where it is none. */
  get message(): string | null {
    if (this.#message === undefined)
      this.#message = this.isMessage ? (this.asked.message?.groups(this.#text)?.text ?? null) : null;
    return this.#message;
  }

  /** What a human typed while the turn ran. */
  get isQueued(): boolean {
    this.#isQueued ??= this.#fits(this.asked.queued);
    return this.#isQueued;
  }

  /** The program's version, where the row names it. */
  get version(): string | null {
    if (this.#version === undefined)
      this.#version = this.#fits(this.asked.version) ? (this.asked.version?.groups(this.#text)?.version ?? null) : null;
    return this.#version;
  }

  /** May it be a composer's first row? */
  get isFirst(): boolean {
    this.#isFirst ??= this.#fits(this.asked.composer.first);
    return this.#isFirst;
  }

  /** What is typed in it, as a composer's first row; null where it is none. */
  get draft(): string | null {
    if (this.#draft === undefined) this.#draft = this.#draftIn();
    return this.#draft;
  }

  get isTop(): boolean {
    this.#isTop ??= this.#fits(this.asked.composer.top);
    return this.#isTop;
  }

  get isBottom(): boolean {
    this.#isBottom ??= this.#fits(this.asked.composer.bottom);
    return this.#isBottom;
  }

  /** May it be a later row of a draft? */
  get isMore(): boolean {
    this.#isMore ??= this.#fits(this.asked.composer.more);
    return this.#isMore;
  }

  /** What this rule takes out of it; null where it does not fit. */
  groupsOf(rule: CompiledRule): Record<string, string> | null {
    if (this.#rule !== rule) {
      this.#rule = rule;
      this.#groups = rule.when.groups(this.#text);
    }
    return this.#groups;
  }

  /** What of it decides where things stand. */
  get form(): RowForm {
    this.#form ??= this.asked.forms.of(this.#text);
    return this.#form;
  }

  #fits(pattern: Pattern | null): boolean {
    return pattern?.test(this.#text) ?? false;
  }

  #draftIn(): string | null {
    const { first, not, placeholders } = this.asked.composer;
    if (!this.isFirst || this.#fits(not)) return null;
    const draft = (first.groups(this.#text)?.draft ?? "").trim();
    return placeholders.some((p) => p.test(draft)) ? "" : draft;
  }

  #hits(region: CompiledRule["region"]): readonly Hit[] {
    const hits: Hit[] = [];
    for (const rule of this.asked.rules[region]) {
      // Whether it fits is told in a third of the time that its groups take, and most rules fit nothing.
      if (rule.when.test(this.#text)) hits.push({ rule, groups: rule.when.groups(this.#text) ?? {} });
    }
    return hits;
  }
}

const RULE = /^\s*[─━═╌▔▁]{9,}\s*$/;
