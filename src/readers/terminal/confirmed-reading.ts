/**
 * Turns the facts of successive checks into reported facts. A frame can be torn at a check, so a state counts when two
 * checks agree, and a reply or a counter when two checks found it new. Nothing is reported twice.
 */
import type { ScreenReading } from "../../core/signal.js";
import type { ScreenFacts } from "./screen-check.js";

/**
 * A spinner that last moved longer ago than this, three checks, has stopped. Four gave the same result, a second later.
 */
const MOTION_MS = 2200;

export class ConfirmedReading {
  #movedAt = Number.NEGATIVE_INFINITY;
  #seen: ScreenFacts | null = null;
  /** The facts of the last check, of the check before, and the last confirmed ones; of equal facts always the first. */
  #key: ScreenFacts | null = null;
  #before: ScreenFacts | null = null;
  #settled: ScreenFacts | null = null;
  #agreed: ScreenFacts | null = null;
  #said: { key: ScreenFacts | null; reply: string; tokens: number | undefined; moving: boolean } | null = null;
  /** Did the previous check find a reply or a counter that was not yet reported? */
  #hadChanged = false;

  /** Did the last check find a new state that no other check has confirmed? */
  get isUnsettled(): boolean {
    return this.#key !== this.#settled;
  }

  /** The same, or a reply or a counter that is new. */
  get isOpen(): boolean {
    return this.isUnsettled || this.#hadChanged;
  }

  /** Would the next check report anything if the screen does not change? */
  isAtRest(at: number): boolean {
    const moving = at - this.#movedAt < MOTION_MS;
    return this.#said === null ? this.#seen === null : !this.isOpen && this.#said.moving === moving;
  }

  /** The screen changed since the previous check and now states this. */
  see(facts: ScreenFacts, at: number): void {
    this.#movedAt = at;
    if (!isAlike(this.#key, facts)) {
      if (isAlike(this.#settled, facts)) this.#key = this.#settled;
      else this.#key = isAlike(this.#before, facts) ? this.#before : facts;
    }
    this.#seen = facts;
  }

  /** The next check reports the confirmed facts again. */
  repeat(): void {
    this.#said = null;
  }

  /** The facts to report after a check; null if there are none. */
  say(at: number): ScreenReading | null {
    const seen = this.#seen;
    if (!seen) return null;
    if (this.#key === this.#before && this.#key !== this.#settled) {
      this.#settled = this.#key;
      this.#agreed = seen;
    }
    this.#before = this.#key;
    if (!this.#agreed) return null;
    const agrees = this.#key === this.#settled;
    const tokens = agrees ? seen.tokens : (seen.tokens ?? this.#agreed.tokens);
    const moving = at - this.#movedAt < MOTION_MS;
    const said = this.#said;
    const hasChanged = said !== null && (said.reply !== seen.reply || said.tokens !== tokens);
    // A frame that is torn at this check is complete at the next. Some programs repaint their whole history (Qwen Code
    // every 40 s); half of it counted as a new reply, and as progress of a dead stream.
    const isFirst = hasChanged && !this.#hadChanged;
    this.#hadChanged = hasChanged;
    if (said && (isFirst || !hasChanged) && said.moving === moving && said.key === this.#settled) return null;
    const facts: ScreenFacts = agrees ? seen : { ...this.#agreed, reply: seen.reply, ...progress(seen) };
    const reading: ScreenReading = { ...facts, moving };
    if (isFirst) {
      reading.reply = said.reply;
      if (said.tokens === undefined) delete reading.tokens;
      else reading.tokens = said.tokens;
    }
    this.#said = { key: this.#settled, reply: reading.reply, tokens: isFirst ? said.tokens : tokens, moving };
    return reading;
  }
}

/** Do two checks state the same, apart from parts that always move? */
function isAlike(a: ScreenFacts | null, b: ScreenFacts): boolean {
  return (
    a !== null &&
    a.busy === b.busy &&
    a.composer === b.composer &&
    a.structural === b.structural &&
    a.compacting === b.compacting &&
    a.background === b.background &&
    a.ended === b.ended &&
    a.interrupted === b.interrupted &&
    a.closing === b.closing &&
    a.marker === b.marker &&
    a.marked === b.marked &&
    a.failure?.text === b.failure?.text &&
    a.repeats?.times === b.repeats?.times &&
    (a.tool === b.tool || a.tool?.class === b.tool?.class) &&
    (a.dialog === b.dialog || isSameDialog(a.dialog, b.dialog)) &&
    (a.error === b.error || isSameError(a.error, b.error)) &&
    (a.retry === b.retry || isSameRetry(a.retry, b.retry)) &&
    (a.limit === b.limit || isSameLimit(a.limit, b.limit))
  );
}

const isSameDialog = (a: ScreenFacts["dialog"], b: ScreenFacts["dialog"]): boolean =>
  a !== undefined && b !== undefined && a.prompt === b.prompt && a.question === b.question && a.limit === b.limit;

const isSameError = (a: ScreenFacts["error"], b: ScreenFacts["error"]): boolean =>
  a !== undefined && b !== undefined && a.cause === b.cause && a.text === b.text;

const isSameRetry = (a: ScreenFacts["retry"], b: ScreenFacts["retry"]): boolean =>
  a !== undefined && b !== undefined && a.attempt === b.attempt && a.max === b.max && a.infra === b.infra;

const isSameLimit = (a: ScreenFacts["limit"], b: ScreenFacts["limit"]): boolean =>
  a !== undefined && b !== undefined && a.until === b.until && a.resumesItself === b.resumesItself;

function progress(facts: ScreenFacts): Partial<ScreenFacts> {
  return {
    ...(facts.tokens === undefined ? {} : { tokens: facts.tokens }),
    ...(facts.elapsed === undefined ? {} : { elapsed: facts.elapsed }),
  };
}
