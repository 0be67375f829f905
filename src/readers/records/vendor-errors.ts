/**
 * Maps the errors of model providers to their meaning for the agent.
 *
 * Every program words the same few failures differently, and wraps the provider's body in its own prefix. The rows are
 * tried in order and the first match wins, so their order matters: a text that names its own exception ("not your usage
 * limit") comes before the words it contains, a full context before the 400 that carries it, a plan's limit before the
 * 429 that it comes with. Status codes decide only if the words do not.
 */
import type { InfraClass } from "../../core/signal.js";
import type { ErrorCause } from "../../core/states.js";

export type VendorVerdict =
  | { kind: "limit" }
  | { kind: "error"; cause: ErrorCause }
  /** `isLimit`: if the program gives up on it, the account is limited. */
  | { kind: "retry"; infra: Transient; isLimit?: boolean };

/** Failures that a retry may resolve. */
type Transient = Extract<InfraClass, "rate" | "overload" | "network">;

export interface VendorError {
  status?: number | undefined;
  /** The provider's or the program's own name of the error: `overloaded_error`, `ProviderAuthError`. */
  code?: string | undefined;
  text?: string | undefined;
}

interface VendorRow {
  /** Statuses of this row; a row that also has `words` needs both. */
  status?: (status: number) => boolean;
  /** Tried on code and text, in lower case. */
  words?: RegExp;
  is: VendorVerdict;
}

const limit: VendorVerdict = { kind: "limit" };
const error = (cause: ErrorCause): VendorVerdict => ({ kind: "error", cause });
const retry = (infra: Transient): VendorVerdict => ({ kind: "retry", infra });
const only =
  (...statuses: number[]) =>
  (status: number) =>
    statuses.includes(status);

/** Alternatives are literals, gaps are bounded: each pattern is linear in the 2 KB it may see. */
const ROWS: VendorRow[] = [
  { words: /not your usage limit|temporarily limiting requests/, is: retry("rate") },
  { words: /\benospc\b|no space left on device|disk quota exceeded/, is: error("disk_full") },
  {
    words:
      /violat\w{0,5} .{0,40}polic|usage policy|content[_ ]?policy|content[_ ]?filter|prohibited[_ ]content|(?:blocked|flagged|refused) .{0,40}(?:safety|polic)|finish_?reason\W{1,4}safety|cyber_?policy|response stopped due to .{0,24}(?:safety|recitation|forbidden|prohibited|sensitive)/,
    is: error("policy_refusal"),
  },
  { words: /tokens?[ _]per[ _]min|requests?[ _]per[ _]min|\((?:tpm|rpm)\)/, is: retry("rate") },
  {
    words:
      /prompt is too long|(?:conversation|input) (?:is )?too long|context[_ -]?(?:length|window|limit|overflow)|maximum context|out of room|input token count .{0,60}exceed|input tokens? exceed|max_tokens. exceed|request_too_large/,
    is: error("context_full"),
  },
  {
    words:
      /tool_use.{0,3} (?:ids?|blocks?)|tool_use_id|tool_call_id.{0,60}(?:not found|missing|did not have)|no tool (?:call|output) found|tool_calls.{0,3} must be followed|function response parts|function call turn|thinking.{0,3} blocks?|invalid .{0,3}signature|exceeds? .{0,30}dimension|must include at least one parts/,
    is: error("poisoned_context"),
  },
  { status: only(400), words: /(?:messages|contents|input)[.[]\d/, is: error("poisoned_context") },
  { words: /per[_ -]?day|daily .{0,24}(?:limit|quota)/, is: limit },
  // A quota that resets within seconds is a throttle, whatever its name.
  {
    words:
      /(?:reset|retry|try again)\w{0,3} (?:after|in) (?:\d{1,3}(?:\.\d{1,9})? ?s|\d{1,6}ms)|retrydelay\W{1,5}\d{1,3}[.s]/,
    is: retry("rate"),
  },
  // The other half of this text, "check your plan and billing details", also appears for an empty account.
  { words: /quota exceeded for metric/, is: limit },
  {
    words:
      /\bresets? (?:at|on|after|in) |\bresets .{0,20}\d|will reset |limits? to reset|resets?_?(?:at\b|in_)|regain access/,
    is: limit,
  },
  {
    words:
      /credit balance|insufficient[_ ](?:quota|credit|fund|balance)|out of credit|payment required|(?:check|update) your .{0,20}billing|billing[_ ](?:error|hard|not|disabled)|billing details|spending limit|add (?:funds|credits)|余额不足|欠费/,
    is: error("billing"),
  },
  { status: only(402), is: error("billing") },
  // Some providers refuse an empty account like a wrong key.
  { status: only(403), words: /credit|额度|余额/, is: error("billing") },
  {
    words:
      /usage[_ ]limit|hit your .{0,20}limit|reached your .{0,40}(?:limit|quota)|(?:session|daily|weekly|monthly|hour|plan) (?:usage )?limit|exhausted your .{0,20}(?:quota|capacity)|quota[_ ]exceeded|(?:have no|out of) quota|try again in .{0,12}(?:hour|day)|try again at \d|使用上限|限额将在|额度已用(?:完|尽)/,
    is: limit,
  },
  {
    words:
      /invalid .{0,4}api.?key|api.?key .{0,12}(?:invalid|not valid|missing|expired|not found|required)|incorrect api.?key|invalid_?authentication|authentication[_ ]?(?:error|failed)|autherror|unauthori[sz]ed|unauthenticated|token .{0,12}expired|login expired|session expired|not logged in|run \/login|(?:could not be|failed to) refresh|sign in again|loadapikey/,
    is: error("auth"),
  },
  { status: only(401, 403), is: error("auth") },
  { words: /permission_denied|permission_error/, is: error("auth") },
  { status: only(413), is: error("context_full") },
  {
    words: /rate limit reached|^1302\b|"code":\s?"?1302\b|算力限制|速率限制|请求频率/,
    is: { kind: "retry", infra: "rate", isLimit: true },
  },
  { words: /rate.?limit|too many requests|resource_?exhausted|resource has been exhausted|throttl/, is: retry("rate") },
  {
    words:
      /overloaded|no capacity|at capacity|high demand|temporarily unavailable|service unavailable|internal server error|server_?error|bad gateway|gateway time|too hot right now/,
    is: retry("overload"),
  },
  { status: only(429), is: retry("rate") },
  { status: (status) => status >= 500 && status <= 599, is: retry("overload") },
  { words: /error sending request|waiting for network/, is: error("unreachable") },
  {
    words:
      /\b(?:econnreset|etimedout|epipe|econnaborted)\b|und_err|socket hang ?up|connection (?:reset|lost|closed)|premature close|mid-(?:stream|response)|stream (?:disconnected|idle|closed)|timed? ?out|idle timeout/,
    is: retry("network"),
  },
  {
    words:
      /\b(?:econnrefused|enotfound|eai_again|enetunreach|ehostunreach)\b|connection ?refused|getaddrinfo|resolve host|network is unreachable|failedtoopensocket|unable to connect|cannot connect|could not connect|connection failed/,
    is: error("unreachable"),
  },
  { words: /fetch failed|connection error|network error/, is: retry("network") },
];

const TEXT_MAX = 2048;
const STATUS_IN_TEXT = /(?:^|\b(?:error|status|code|http)\b[^a-z0-9]{0,6})([45]\d\d)(?!\d)/;

/** The meaning of a provider's error. Unknown words and statuses are an `api` error. */
export function classifyVendorError(given: VendorError): VendorVerdict {
  return knownVendorError(given) ?? error("api");
}

/** The same, but null for unknown words: for text that is not known to be an error. */
export function knownVendorError({ status, code, text }: VendorError): VendorVerdict | null {
  const words = `${code ?? ""} ${text ?? ""}`.slice(0, TEXT_MAX).toLowerCase().trim();
  const known = status ?? Number(STATUS_IN_TEXT.exec(words)?.[1] ?? 0);
  const row = ROWS.find((row) => (row.status?.(known) ?? true) && (row.words?.test(words) ?? true));
  return row?.is ?? null;
}

/** The reason of a retry, in a provider's own words without a code. */
export function infraOfVendor(text: string): InfraClass | undefined {
  const known = knownVendorError({ text });
  if (known?.kind === "retry") return known.infra;
  if (known?.kind !== "error") return undefined;
  return known.cause === "unreachable" ? "refused" : known.cause === "auth" ? "auth" : undefined;
}

/** The cause after the program gave up: an error that could have been retried is then an error like any other. */
export function finalCause(verdict: Exclude<VendorVerdict, { kind: "limit" }>): ErrorCause {
  return verdict.kind === "error" ? verdict.cause : "api";
}
