/** What one row that a rule fits states, written down among the facts of a look. */

import { infraOf } from "../../core/judgement/normalise.js";
import type { InfraClass } from "../../core/signal.js";
import type { ErrorCause } from "../../core/states.js";
import { classifyCommand } from "../../programs/shared/commands.js";
import { BoundedMemo } from "../memo.js";
import { knownVendorError } from "../records/vendor-errors.js";
import type { Match } from "./layout.js";
import { durationMs, type Numbers, numbersIn, numbersOf } from "./numbers.js";
import type { CompiledRule } from "./row-patterns.js";
import { nameIn } from "./running-tool.js";
import type { ScreenCheck, ScreenFacts } from "./screen-check.js";

/** After the count of the tries, when the next one comes. */
const DELAY = /\bin (\d{1,6} ?(?:h|m|s|hours?|minutes?|seconds?)\b)/i;

/** Facts that rows state, none of which needs to be there before. */
export type PartialFacts = Partial<ScreenFacts>;

/** Writes down what one matched row states. The first row to state a fact wins: rows come lowest region first. */
export function stateRow(
  facts: PartialFacts,
  { rule, groups, text, row }: Match,
  check: ScreenCheck,
  below = "",
): void {
  switch (rule.fact) {
    case "busy":
      facts.busy = true;
      if (rule.retriesSilently) facts.retriesSilently = true;
      addNumbers(facts, row ? numbersOf(row) : numbersIn(text));
      return;
    case "retry": {
      facts.busy = true;
      const said = groups.text ?? text;
      const infra = facts.retry?.infra ?? rule.infra ?? whyRetried.of(said).infra;
      const limit = readLimit(below === "" ? said : `${said} ${below}`, check);
      if (limit && limit.until !== undefined && limit.until - check.at > 10 * 60_000) facts.limit ??= limit;
      const delay = groups.delay ?? DELAY.exec(said)?.[1];
      const delayMs = delay ? durationMs(delay) : null;
      facts.retry = {
        ...facts.retry,
        ...(groups.attempt ? { attempt: Number(groups.attempt) } : {}),
        ...(groups.max ? { max: Number(groups.max) } : {}),
        ...(delayMs !== null ? { delayMs } : {}),
        ...(infra ? { infra } : {}),
        text: facts.retry ? `${facts.retry.text} · ${said}`.slice(0, 300) : said.slice(0, 300),
      };
      return;
    }
    case "limit":
      facts.limit = mergeLimit(
        facts.limit,
        readLimit(groups.text ?? text, check) ?? { text: (groups.text ?? text).slice(0, 300) },
      );
      return;
    case "failure":
      stateFailure(facts, rule, groups.text ?? text, check);
      return;
    case "tool":
      facts.tool ??= toolOf(rule, groups);
      return;
    case "compacting":
      facts.compacting = true;
      facts.busy = true;
      return;
    case "background":
      facts.background = Math.min(Number(groups.count ?? 1) || 0, 999);
      return;
    case "ended":
    case "interrupted":
      facts[rule.fact] = true;
      return;
  }
}

/** A command that is shown as such may be one that never ends by itself. Of the rest the rule says what it is. */
function toolOf(
  rule: CompiledRule,
  { command, subject = command }: Record<string, string>,
): NonNullable<ScreenFacts["tool"]> {
  const isEndless = command !== undefined && classifyCommand(nameIn(command)).class === "endless";
  return {
    class: isEndless ? "endless" : (rule.class ?? "other"),
    ...(subject ? { subject: nameIn(subject).slice(0, 120) } : {}),
  };
}

/** The numbers of a row that says that it works. */
function addNumbers(facts: PartialFacts, { elapsedMs, tokens }: Numbers): void {
  if (elapsedMs !== null) facts.elapsed = elapsedMs / 1000;
  if (tokens !== null) facts.tokens = tokens;
}

/** The same words stand there for many looks while a countdown runs beside them. */
const whyRetried = new BoundedMemo<{ infra: InfraClass | undefined }>(64, (said) => ({
  infra: infraOf(said) ?? infraOfVendor(said),
}));

/** Why it retries, in a provider's own words that name no code. */
function infraOfVendor(text: string): InfraClass | undefined {
  const known = knownVendorError({ text });
  if (known?.kind === "retry") return known.infra;
  if (known?.kind !== "error") return undefined;
  return known.cause === "unreachable" ? "refused" : known.cause === "auth" ? "auth" : undefined;
}

const GAVE_UP: Readonly<Record<InfraClass, ErrorCause>> = {
  rate: "api",
  overload: "api",
  network: "api",
  refused: "unreachable",
  auth: "auth",
};

/** The program's own remark at the end of an error. In the words of a provider the same is meant for a human. */
const TRIES = /\((?:will )?retry(?:ing)? in [\d.]{1,8} ?(?:ms|s|m|h)\w{0,8}\)\s{0,9}$/i;

function stateFailure(facts: PartialFacts, rule: CompiledRule, said: string, check: ScreenCheck): void {
  // The remark has the words of a rate, whatever it is about.
  const known = knownVendorError({ text: said.replace(TRIES, "") });
  if (known?.kind === "limit") {
    facts.limit = mergeLimit(facts.limit, readLimit(said, check) ?? { text: said.slice(0, 300) });
    return;
  }
  if (known?.kind === "retry" && TRIES.test(said)) {
    facts.busy = true;
    facts.retry ??= { infra: known.infra, text: said.slice(0, 300) };
    return;
  }
  // What would be tried again while a turn runs has been given up when it stands as the turn's last word.
  const cause = known?.kind === "error" ? known.cause : known?.kind === "retry" ? GAVE_UP[known.infra] : rule.fallback;
  if (cause) facts.error ??= { cause, text: said.slice(0, 300) };
}

function readLimit(text: string, check: ScreenCheck): NonNullable<ScreenFacts["limit"]> | null {
  const until = check.until(text);
  if (until === undefined) return null;
  const resumesItself = /continuing automatically/i.test(text);
  return { until, ...(resumesItself ? { resumesItself } : {}), text: text.slice(0, 300) };
}

/** Several rows may speak of one limit: keep the time of whichever has one, and the promise to go on. */
function mergeLimit(a: ScreenFacts["limit"], b: NonNullable<ScreenFacts["limit"]>): NonNullable<ScreenFacts["limit"]> {
  if (!a) return b;
  const until = a.until ?? b.until;
  return {
    ...b,
    ...a,
    ...(until === undefined ? {} : { until }),
    ...(a.resumesItself || b.resumesItself ? { resumesItself: true } : {}),
  };
}
