import type { Pattern } from "../../agents/pattern.js";
import type { CompiledRule } from "./compiled.js";

/** A rule that fits a row, and what it took out of it. Shared between looks: nobody writes into it. */
export interface Hit {
  rule: CompiledRule;
  groups: Record<string, string>;
}

export interface Asked {
  rules: Readonly<Record<CompiledRule["region"], readonly CompiledRule[]>>;
  noise: readonly Pattern[];
  message: Pattern | null;
}

/**
 * What a profile's patterns say of one row, each asked when its answer is first wanted. Most rows of a look were there
 * at the look before: one row is found again at once, where a memory per pattern took half of the time of a look.
 */
export class RowSays {
  readonly #asked: Asked;
  readonly #row: string;
  #status: readonly Hit[] | null = null;
  #foot: readonly Hit[] | null = null;
  #last: readonly Hit[] | null = null;
  #tool: boolean | null = null;
  #noise: boolean | null = null;
  #message: boolean | null = null;

  constructor(asked: Asked, row: string) {
    this.#asked = asked;
    this.#row = row;
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
    this.#tool ??= this.#asked.rules.last.some((rule) => rule.fact === "tool" && rule.when.test(this.#row));
    return this.#tool;
  }

  /** A rule across the screen, or the program's own noise. */
  get isNoise(): boolean {
    this.#noise ??= RULE.test(this.#row) || this.#asked.noise.some((pattern) => pattern.test(this.#row));
    return this.#noise;
  }

  get isMessage(): boolean {
    this.#message ??= this.#asked.message?.test(this.#row) ?? false;
    return this.#message;
  }

  #hits(region: CompiledRule["region"]): readonly Hit[] {
    const hits: Hit[] = [];
    for (const rule of this.#asked.rules[region]) {
      // Whether it fits is told in a third of the time that its groups take, and most rules fit nothing.
      if (rule.when.test(this.#row)) hits.push({ rule, groups: rule.when.groups(this.#row) ?? {} });
    }
    return hits;
  }
}

const RULE = /^\s*[─━═╌▔▁]{9,}\s*$/;
