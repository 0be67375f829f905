/** Adds the statement of one matched row to the facts of a check. */

import { infraOf } from "../../core/judgement/normalise.js";
import type { InfraClass } from "../../core/signal.js";
import type { ErrorCause } from "../../core/states.js";
import { classifyCommand } from "../../programs/shared/commands.js";
import { BoundedMemo } from "../memo.js";
import { infraOfVendor, knownVendorError } from "../records/vendor-errors.js";
import type { Match } from "./layout.js";
import { durationMs, type Numbers, numbersIn, numbersOf } from "./numbers.js";
import type { CompiledRule } from "./row-patterns.js";
import { nameIn } from "./running-tool.js";
import type { ScreenCheck, ScreenFacts } from "./screen-check.js";

/** The delay of the next attempt, after the attempt count. */
const DELAY = /\bin (\d{1,6} ?(?:h|m|s|hours?|minutes?|seconds?)\b)/i;

/** Facts that rows state, all optional. */
export type PartialFacts = Partial<ScreenFacts>;

/** Adds the statement of one matched row. The first row to state a fact wins: rows come lowest region first. */
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

/** A displayed command may be one that never ends by itself. Otherwise the rule gives the class. */
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

/** The numbers of a row that shows work. */
function addNumbers(facts: PartialFacts, { elapsedMs, tokens }: Numbers): void {
  if (elapsedMs !== null) facts.elapsed = elapsedMs / 1000;
  if (tokens !== null) facts.tokens = tokens;
}

/** The same words stay for many checks while a countdown runs beside them. */
const whyRetried = new BoundedMemo<{ infra: InfraClass | undefined }>(64, (said) => ({
  infra: infraOf(said) ?? infraOfVendor(said),
}));

const GAVE_UP: Readonly<Record<InfraClass, ErrorCause>> = {
  rate: "api",
  overload: "api",
  network: "api",
  refused: "unreachable",
  auth: "auth",
};

/** The program's own remark at the end of an error. In the words of a provider the same text addresses the user. */
const TRIES = /\((?:will )?retry(?:ing)? in [\d.]{1,8} ?(?:ms|s|m|h)\w{0,8}\)\s{0,9}$/i;

function stateFailure(facts: PartialFacts, rule: CompiledRule, said: string, check: ScreenCheck): void {
  // The remark contains the words of a rate limit, whatever the error is.
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
  // An error that would be retried during a turn has been given up if it is the last statement of the turn.
  const cause = known?.kind === "error" ? known.cause : known?.kind === "retry" ? GAVE_UP[known.infra] : rule.fallback;
  if (cause) facts.error ??= { cause, text: said.slice(0, 300) };
}

function readLimit(text: string, check: ScreenCheck): NonNullable<ScreenFacts["limit"]> | null {
  const until = check.until(text);
  if (until === undefined) return null;
  const resumesItself = /continuing automatically/i.test(text);
  return { until, ...(resumesItself ? { resumesItself } : {}), text: text.slice(0, 300) };
}

/** Several rows may mention one limit: keep the time of the one that has it, and the promise to continue. */
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
