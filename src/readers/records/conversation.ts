/** Messages and failures of a conversation as signals, the same for every program. */

import { digest } from "../../core/digest.js";
import { closingOf, hasMarker } from "../../core/judgement/closing.js";
import { ROUSE_MARK } from "../../core/judgement/noise.js";
import type { InfraClass, MessageSignal, Signal } from "../../core/signal.js";
import type { ErrorCause } from "../../core/states.js";
import { redact } from "../../core/text/redact.js";
import { readResetTime } from "../reset-time/reset-time.js";
import { markedCheckpoints } from "./marked-checkpoints.js";
import type { ReaderOptions } from "./record-reader.js";
import { textHead, textTail } from "./text.js";
import type { RecordOrigin } from "./tool-calls.js";
import { classifyVendorError, finalCause, type VendorError } from "./vendor-errors.js";

const TEXT_MAX = 500;
const TEXT_READ_MAX = 2048;
const DEFAULT_ZONE = "UTC";

/** A finished message. The preview is its end, where an agent states its request. */
export function messageSignal(
  origin: RecordOrigin,
  options: ReaderOptions,
  role: "user" | "assistant",
  text: string,
): MessageSignal {
  const { marker = "" } = options;
  return {
    kind: "message",
    ...origin,
    role,
    digest: digest(text),
    ...(role === "assistant" ? { closing: closingOf(text) } : {}),
    preview: textTail(text),
    ...(role === "assistant" ? markFacts(text) : {}),
    ...((role === "user" ? marker !== "" && text.includes(marker) : hasMarker(text, marker)) ? { marker: true } : {}),
    ...(role === "user" ? promptFacts(text) : {}),
  };
}

function markFacts(text: string): Pick<MessageSignal, "checkpoints"> {
  const checkpoints = markedCheckpoints(text);
  return checkpoints.length === 0 ? {} : { checkpoints };
}

/** A longer prompt does not fit into a composer that shows all of it. */
const REQUEST_MAX = 500;

function promptFacts(text: string): Pick<MessageSignal, "own" | "request"> {
  if (text.includes(ROUSE_MARK)) return { own: true };
  const request = text.length > 2 * REQUEST_MAX ? "" : redact(text).replace(/\s+/g, " ").trim();
  return request === "" || request.length > REQUEST_MAX ? {} : { request: textHead(request, REQUEST_MAX) };
}

/** The program gave up on the provider's error: a limit with its reset time, or an error with its cause. */
export function failureSignal(origin: RecordOrigin, options: ReaderOptions, failure: VendorError): Signal {
  const verdict = classifyVendorError(failure);
  const text = failure.text ?? failure.code ?? "";
  if (verdict.kind !== "limit" && !(verdict.kind === "retry" && verdict.isLimit)) {
    return {
      kind: "error",
      ...origin,
      cause: finalCause(verdict),
      final: true,
      digest: digest(text),
      text: textHead(text, TEXT_MAX),
    };
  }
  const until = resetTime(text, origin.at, options);
  return {
    kind: "limit",
    ...origin,
    level: "hit",
    text: textHead(text, TEXT_MAX),
    ...(until === undefined ? {} : { until }),
  };
}

/** Final errors that some programs retry anyway. */
const INFRA_OF: Partial<Record<ErrorCause, InfraClass>> = { unreachable: "refused", auth: "auth" };

/** A longer wait is not a back-off: the account is limited until then. */
const BACKOFF_MAX_MS = 600_000;

/** The program retries by itself. If it waits for the limit of a plan, the signal is that limit. */
export function retrySignal(
  origin: RecordOrigin,
  options: ReaderOptions,
  failure: VendorError,
  plan: { attempt?: number | undefined; nextAt?: number | undefined },
): Signal {
  const verdict = classifyVendorError(failure);
  const text = failure.text ?? "";
  const { attempt, nextAt } = plan;
  if (verdict.kind === "limit" || (nextAt ?? 0) - origin.at > BACKOFF_MAX_MS) {
    const until = nextAt ?? resetTime(text, origin.at, options);
    const when = until === undefined ? {} : { until };
    return { kind: "limit", ...origin, level: "hit", resumesItself: true, text: textHead(text, TEXT_MAX), ...when };
  }
  const infra = verdict.kind === "retry" ? verdict.infra : INFRA_OF[verdict.cause];
  return {
    kind: "retry",
    ...origin,
    text: textHead(text, TEXT_MAX),
    ...(attempt === undefined ? {} : { attempt }),
    ...(nextAt === undefined ? {} : { nextAt }),
    ...(infra ? { infra } : {}),
  };
}

function resetTime(text: string, now: number, { zone = DEFAULT_ZONE }: ReaderOptions): number | undefined {
  return readResetTime(text.slice(0, TEXT_READ_MAX), now, zone)?.until;
}
