/**
 * Removes from a tool result everything that changes from run to run by itself.
 *
 * Two results that are equal after normalising are "the same outcome". Plain numbers, percentages and "3 of 10" stay,
 * because a growing number is progress. Only details of the run itself are removed: times, durations, process and
 * request ids, hashes, temporary paths, attempt counters, "read 3x" footers.
 *
 * Every pattern is linear: literals, one bounded class at a time, no nested quantifiers that could match the same text
 * in two ways. The text is cut before the first pattern runs.
 */
import type { InfraClass } from "../signal.js";

const HALF_MAX = 4096;

type Rule = readonly [pattern: RegExp, mark: string];

const ESCAPES: readonly Rule[] = [
  [/\u001b\[[0-9;:?]{0,32}[A-Za-z]/g, ""],
  [/\u001b\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)?/g, ""],
];

/** Fields that differ in every reply of a healthy service. A bare `id`, `taskId` or `jobId` may be new work. */
const VOLATILE_FIELD =
  "run_?id|\\w{0,24}message_?id|request_?id|session_?id|trace_?id|span_?id|correlation_?id|process_?id|event_?id|receipt_?id|poll_?id|" +
  "nonce|timestamp|" +
  "time|date|ts|at|started_?at|ended_?at|created_?at|updated_?at|duration|duration_?ms|elapsed|elapsed_?ms|pid|cwd";

const WEEKDAY = "mon|tue|wed|thu|fri|sat|sun";
const MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";

/** A name below a temporary folder. */
const SCRATCH: Rule = [/(?:\/private)?(?:\/var\/folders|\/var\/tmp|\/tmp)\/[\w.+@~-]{1,80}/g, "#tmp"];

const VOLATILE: readonly Rule[] = [
  [new RegExp(`"(${VOLATILE_FIELD})"\\s{0,4}:\\s{0,4}(?:"[^"\\n]{0,200}"|[0-9.]{1,24})`, "gi"), '"$1":#'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "#uuid"],
  [/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)?/g, "#date"],
  [
    new RegExp(`\\b(?:${WEEKDAY})[a-z]{0,6},? {1,2}(?:\\d{1,2} )?(?:${MONTH})[a-z]{0,6} {1,2}\\d{1,4}\\b`, "gi"),
    "#date",
  ],
  [/(?<![:\w.])\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[ap]m)?\b/gi, "#time"],
  [/\b1[5-9]\d{8}(?:\d{3})?(?:\.\d{1,6})?\b/g, "#time"],
  [/\b\d{1,9}(?:\.\d{1,6})? ?(?:milliseconds?|seconds?|minutes?|hours?|msecs?|secs?|mins?|hrs?)\b/gi, "#for"],
  // Lower case only: `12M` is a size, and a size that grows is progress.
  [/\b\d{1,9}(?:\.\d{1,6})? ?(?:ms|µs|us|ns|s|m|h)\b/g, "#for"],
  [/\b(p?pids?|pgid|process id)([ :=#]{1,3})\d{1,10}\b/gi, "$1$2#"],
  // Timestamps of the kernel log, and the commit of a dropped git stash.
  [/\[ {0,8}\d{1,8}\.\d{3,9}\]/g, "#time"],
  [/(\bstash@\{\d{1,4}\} \()[0-9a-f]{40}\)/g, "$1#)"],
  [/\b(session)([ :=#]{1,3})[\w-]{0,40}\d[\w-]{0,40}/gi, "$1$2#"],
  [
    /\b((?:session|request|req|run|trace|span|correlation|message|container|chunk)[ _-]?id)([ :=#]{1,3})[\w-]{1,80}/gi,
    "$1$2#",
  ],
  [/\b(?:req|msg|call|toolu|chatcmpl|resp|run)_[A-Za-z0-9]{8,64}\b/g, "#id"],
  [/\b(attempt|try|retry|retries|tries)([ :=#]{1,3})\d{1,6}(?: ?(?:\/|of) ?\d{1,6})?/gi, "$1$2#"],
  [/\b\d{1,6}(?:st|nd|rd|th) (attempt|try|retry|time)\b/gi, "# $1"],
  [/\b\d{1,6} ?(?:x|×|times)(?!\w)/gi, "#x"],
  // A bare hash stays: a checksum or a commit that changes is a new outcome.
  [/\bat 0x[0-9a-f]{6,16}\b/gi, "at #hex"],
  SCRATCH,
];

/** The text of a result with run-to-run noise removed and whitespace squeezed; at most some 8 KB, head and tail. */
export function normaliseResult(text: string): string {
  return squeeze(apply(VOLATILE, apply(ESCAPES, cut(text))));
}

/** Fields of a call that do not change its meaning: request ids, times, attempt numbers, scratch files. */
const CALL_NOISE: readonly Rule[] = [
  [
    /"(request_?id|trace_?id|span_?id|correlation_?id|idempotency_?key|nonce|timestamp|ts)"\s{0,4}:\s{0,4}(?:"[^"\n]{0,200}"|[0-9.]{1,24})/gi,
    '"$1":#',
  ],
  [/([?&](?:_|_?ts?|cb|nonce|rand|timestamp|cache_?bust(?:er)?)=)[\w.-]{1,64}/gi, "$1#"],
  [/\b(attempt|try|retry)([ :=#]{1,3})\d{1,6}(?: ?(?:\/|of) ?\d{1,6})?/gi, "$1$2#"],
  SCRATCH,
  [/\\[nt]/g, " "],
  // Different spellings of one path.
  [/(?<=["\s=/])\.\//g, ""],
  [/(?<=["\s=/])[\w-]{1,80}\/\.\.\//g, ""],
  [/\s{1,400}(?=")|(?<=")\s{1,400}/g, ""],
];

/** Normalises a call, given as the text of its canonical arguments. */
export function normaliseCall(text: string): string {
  return squeeze(apply(CALL_NOISE, cut(text)));
}

/** Quotations of the call in its error message. */
const QUOTED: readonly Rule[] = [
  [/"[^"\n]{0,400}"/g, "#arg"],
  [/`[^`\n]{0,400}`/g, "#arg"],
  [/(^|[\s([:=,])'[^'\n]{0,400}'/gm, "$1#arg"],
  [/\b[a-z][a-z0-9+.-]{1,12}:\/\/[^\s)>\]]{1,400}/gi, "#url"],
  [/\b[A-Za-z]:\\[^\s:"*?<>|]{1,300}/g, "#path"],
  [/\b[\w@+-]{1,80}(?:\/[\w.@+-]{1,120}){1,40}/g, "#path"],
  [/(?:~|\.{1,2})?(?:\/[\w.@+-]{1,120}){1,40}\/?/g, "#path"],
  [
    /\b[\w-]{1,80}\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|rb|php|cs|cpp|cc|c|h|hpp|swift|md|json|ya?ml|toml|txt|sh|html|css|sql|lock|log)\b/g,
    "#path",
  ],
  [/#path(?::\d{1,7}){1,2}/g, "#path"],
  [
    /\b(line|lines|column|col|row|offset|position|pos|char|character|index|byte)([ :=#]{1,2})\d{1,9}(?: ?- ?\d{1,9})?/gi,
    "$1$2#",
  ],
  [/\b[Ll]n? ?\d{1,7}, ?[Cc]ol? ?\d{1,5}\b/g, "#at"],
  [/^ {0,8}\d{1,7} ?[|│].{0,400}$/gm, ""],
  // Names that a failing command changes on every attempt: a container, an endpoint.
  [/\b[0-9a-f]{32,64}\b/g, "#hex"],
];

const INFORMATIVE =
  /error|exception|fail|fatal|panic|denied|forbidden|unauthori[sz]ed|cannot|can't|could not|unable|invalid|unknown|unexpected|unsupported|missing|not found|no such|no rule|does not exist|not exist|refused|timed out|timeout|traceback|undefined|must |required|read-only|not permitted|no space left|out of memory/i;
/** A status line of the shell or tool runner that is the same for every failure. */
const EMPTY_WORDS =
  /^(?:<[^>]{0,40}>|exit (?:code|status):? ?-?\d{1,4}|(?:command )?(?:failed|error|exited)(?: with)?(?: exit)?(?: (?:code|status))?:? ?-?\d{0,4}\.?)$/i;
const KEY_LINES_MAX = 3;
const KEY_LINE_MAX = 300;

/**
 * The error alone, so that the same failure with other arguments gives the same key. Empty if the text names no error
 * ("Exit code 1" and nothing else): a search without a match fails that way.
 */
export function errorKey(text: string): string {
  const bare = apply(VOLATILE, apply(ESCAPES, cut(text)));
  // An error that consists of quotations only, such as JSON, is identified by them.
  return keyOf(apply(QUOTED, bare)) || keyOf(bare);
}

function keyOf(text: string): string {
  return text
    .split("\n")
    .map((line) => squeeze(line).slice(0, KEY_LINE_MAX))
    .filter((line) => line !== "" && !EMPTY_WORDS.test(line) && INFORMATIVE.test(line))
    .slice(0, KEY_LINES_MAX)
    .join("\n")
    .toLowerCase();
}

/** First match wins: a refused connection is also a network failure, a 429 may call itself an error of the API. */
const INFRA: readonly (readonly [InfraClass, RegExp])[] = [
  ["refused", /\beconnrefused\b|connection (?:was )?refused|actively refused/i],
  [
    "rate",
    /\b(?:http|status|error|code|api)[^\n]{0,24}\b429\b|\b429\b[^\n]{0,24}(?:too many|rate|error|request)|too many requests|rate[ _-]?limit(?:ed|s)?\b|resource_exhausted|quota (?:was )?exceeded|throttl(?:ed|ing)/i,
  ],
  [
    "overload",
    /\b(?:http|status|error|code|api)[^\n]{0,24}\b(?:50[0234]|52[0-9])\b|\b(?:50[0234]|52[0-9])\b[^\n]{0,16}(?:internal|bad gateway|service|gateway|server|error|overload)|internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|gateway time-?out|overloaded/i,
  ],
  [
    "network",
    /\b(?:econnreset|etimedout|enotfound|eai_again|epipe|ehostunreach|enetunreach|econnaborted)\b|getaddrinfo|socket hang up|fetch failed|network (?:is unreachable|error|timeout)|connection (?:was )?(?:reset|closed|aborted|lost|timed out|error)|could not resolve host|name resolution|tls handshake|stream (?:disconnected|error)|no route to host/i,
  ],
  [
    "auth",
    /\b40[13]\b[^\n]{0,16}(?:unauthori[sz]ed|forbidden|error)|\b(?:http|status|error|code|api)[^\n]{0,24}\b401\b|\bunauthori[sz]ed\b|invalid (?:x-)?api[ -]?key|authentication (?:failed|required|error)|not logged in|token (?:has )?expired|invalid credentials|bad credentials/i,
  ],
];
const INFRA_TEXT_MAX = 1024;

/** The class of external failure that a failed result describes. Only for results that are known to have failed. */
export function infraOf(text: string): InfraClass | undefined {
  const head = text.slice(0, INFRA_TEXT_MAX);
  const tail = text.length > INFRA_TEXT_MAX ? text.slice(-INFRA_TEXT_MAX) : "";
  return INFRA.find(([, words]) => words.test(head) || words.test(tail))?.[0];
}

function cut(text: string): string {
  return text.length <= 2 * HALF_MAX ? text : `${text.slice(0, HALF_MAX)}\n…\n${text.slice(-HALF_MAX)}`;
}

function apply(rules: readonly Rule[], text: string): string {
  return rules.reduce((rest, [pattern, mark]) => rest.replace(pattern, mark), text);
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
