/**
 * What a single frame without chrome can state, as data: a few rows that a human copied from a terminal.
 *
 * A live screen has regions, colours and time; a fragment has none of them, so its rules are kept apart and no live
 * rule is loosened for its sake. What is left is shape: a program's own statement begins its row (behind a glyph of the
 * program) and goes on the way that program goes on. The same words inside a sentence, a diff, code, a table, a log or a
 * test's name are somebody's talk about it. Alarms need the whole shape; states that disturb nobody need less.
 *
 * `when` is RE2, tried on a statement: glyph and frame removed, wrapped rows joined by a space, typographic quotes and
 * dots made plain. Rules are tried in order, the first match wins.
 */
import { CRASHES, FAILURES } from "./fragment-failures.js";
import type { FragmentRule } from "./fragment-rule.js";

const SPAN = "(?:\\d+(?:\\.\\d+)? ?(?:ms|[dhms])\\b ?)+";
/** What may follow the words of a limit: nothing, a reset, or one of the sentences by which programs go on. */
const LIMIT_TAIL =
  "(?:[.!]?$|[.!]? ?[·|(\\[⚡-] ?.*|[.!] .*\\b(?:resets? (?:in|at|on)|try again|upgrade|administrator|overages?)\\b.*|[.,;:]? (?:resets?|your (?:limit|usage|quota|plan)|it will reset|access resets|try again|please (?:try|wait|upgrade|check)|upgrade|visit|to (?:get|continue|increase)|for .{1,60}?[.·]|switch|you (?:can|will)|start|purchase|get |or (?:try|wait)|see |/|send|wait|try ).*)";

/** How a row may begin before it says what is the matter. */
const HEAD = "(?:(?:\\w{0,40}error|warning|sorry|oops|notice)[:,!]? )?";
/** What a limit may be of. Not the context, the turns or the tries: those are no account's. */
const LIMITED =
  "(?:(?:[\\w.]+[ -])?(?:5|five)[- ]hours?|daily|weekly|monthly|hourly|session|usage|opus(?: \\d)?|sonnet|model|requests?|messages?|plan|free|premium|rate|quota|individual|personal|team|organi[sz]ation|account|workspace|project|api|user|trial|subscription|credits?|spend(?:ing)?|chat)";

/** States that disturb nobody, above all that the program works on by itself. Tried first on the lowest rows. */
const QUIET: FragmentRule[] = [
  // Named before the limits whose words they contain.
  { says: "notice", when: "(?i)^(?:approaching|nearing|close to) .{0,40}limit" },
  {
    says: "notice",
    when: "(?i)^(?:heads up|warning|note)?[,:! ]*you(?:'ve| have) used (?:over |about |up )?\\d{1,3}% of your",
  },
  { says: "notice", when: "(?i)limit reached,? (?:now using|switched to|using|falling back)" },
  { says: "notice", when: "(?i)^(?:you(?:'re| are) )?now using (?:extra usage|usage credits|overage)" },
  {
    says: "notice",
    when: "(?i)^(?:less than|only) \\d{1,3}% .{0,40}(?:left|remaining)|^\\d{1,3}% .{0,40}(?:left|remaining|used)\\b",
  },
  { says: "notice", when: "(?i)^context (?:low|left)\\b" },
  { says: "notice", when: "(?i)^(?:please|suggested) retry (?:in|after) [\\d.]+ ?\\w{0,12}\\W{0,3}$" },
  { says: "busy", when: "(?i)^usage limit (?:has )?reset\\b" },
  {
    says: "prompt",
    prompt: "input",
    when: "(?i)^(?:interrupted|conversation interrupted)\\b.{0,12}(?:what should|tell the model)|^interrupted by user$",
  },
  { says: "notice", when: "(?i)^interrupted before the model replied" },
  {
    says: "interrupted",
    when: "(?i)^(?:interrupted$|conversation interrupted|request cancelled|\\[request interrupted|operation cancelled|aborted by user)",
  },
  {
    says: "panel",
    when: "(?i)\\b\\d{1,3}(?:\\.\\d+)?% .{0,40}\\bresets?\\b|^resets? .{3,60}$|^\\d: \\w+ +\\d: \\w+ .{0,40}\\d: dismiss",
  },
];

const LIMITS: FragmentRule[] = [
  {
    says: "limit",
    when: `(?i)^${HEAD}you(?:'ve| have)? (?:hit|reached|exceeded|exhausted|used up|run out of|used all(?: of)?) (?:your|the) (?:[\\w.'-]+ ){0,4}?(?:limits?|quota|allowance|capacity|usage|credits)(?: on this model| for [\\w.-]+(?: requests)?)?${LIMIT_TAIL}`,
  },
  {
    says: "limit",
    when: `(?i)^${HEAD}(?:your |the )?(?:claude (?:ai )?|copilot |github copilot |(?-i:(?:[A-Z][\\w.]* ){1,2}))?${LIMITED}(?: (?:weekly|usage|request|message|rate|tier|daily|monthly|plan|session))* (?:limit|quota|allowance) (?:has been |is |was )?(?:reached|hit|exceeded|exhausted|used up)${LIMIT_TAIL}`,
  },
  { says: "limit", when: "(?i)^(?:claude (?:ai )?)?usage limit reached ?\\| ?\\d{10}" },
  { says: "limit", when: "(?i)^usage limit reached for [\\w./ -]{1,60}\\." },
  {
    says: "limit",
    when: "(?i)^you(?:'re| are) out of (?:extra |free |included )?(?:usage|messages|requests|quota)\\b(?:$|[.!]? ?·|[.!] )",
  },
  { says: "limit", when: "(?i)^your (?:[\\w-]+ ){0,2}?(?:limits?|quota|usage)s? will (?:reset|renew|refresh)\\b" },
  { says: "limit", when: "(?i)^you (?:will|can) (?:regain access|try again) (?:on|at|in|after) " },
  { says: "limit", when: "(?i)^you have reached your specified api usage limits" },
  {
    says: "limit",
    when: "(?i)^(?:sorry,? )?you(?:'ve| have)? (?:been |are )?(?:being )?rate[- ]limited[.,;:!]? (?:please|try|retry|resets)",
  },
  { says: "limit", when: "(?i)^(?:sorry,? )?you(?:'ve| have) (?:hit|reached|exceeded) a rate limit that\\b" },
  { says: "limit", when: "(?i)^(?:error: )?(?:connecterror: )?\\[resource_exhausted\\]" },
  { says: "limit", when: "(?i)^(?:[\\w-]+ ){0,3}quota exceeded(?:$|[:.] )" },
  {
    says: "limit",
    when: "(?i)^(?:the )?usage limit has been reached|^limit reached\\b.{0,4}\\b(?:resets?|contact)\\b",
  },
  { says: "limit", when: "(?i)^(?:\\d+ ?hour|weekly|monthly|free) usage (?:limit reached|exceeded)\\b" },
  { says: "limit", when: "(?i)^(?:stop and )?wait for (?:the )?limits? to reset" },
];

const PROMPTS: FragmentRule[] = [
  { says: "prompt", prompt: "permission", when: "(?i)^\\w{2,20} needs your (?:permission|approval)\\b" },
  { says: "prompt", prompt: "input", when: "(?i)^\\w{2,20} is waiting for your (?:input|response|answer|reply)\\b" },
  {
    says: "prompt",
    prompt: "trust",
    when: "(?i)^(?:do you trust (?:the (?:files|contents)|this folder)|is this a project you created or one you trust|workspace trust required|trust this folder\\?)",
  },
  {
    says: "prompt",
    prompt: "permission",
    when: "(?i)^do you want to (?:proceed|make this edit|create|allow|run|delete|overwrite|use|apply|execute)\\b.{0,160}\\?$",
  },
  {
    says: "prompt",
    prompt: "permission",
    when: "(?i)^would you like to (?:run the following command|make the following edits|grant|apply|allow)\\b.{0,160}\\?",
  },
  {
    says: "prompt",
    prompt: "permission",
    when: "(?i)^(?:apply this change\\?|allow execution of\\b.{0,200}\\?|△? ?permission required\\b|waiting for (?:user )?(?:confirmation|approval)|allow once +allow always)",
  },
  { says: "prompt", prompt: "plan", when: "(?i)^(?:would you like to proceed\\?|ready to code\\?|exit plan mode\\?)$" },
  { says: "prompt", prompt: "confirmation", when: "(?i)^a potential loop was detected" },
  {
    says: "prompt",
    prompt: "input",
    when: "(?i)^(?:press )?enter to (?:select|confirm|submit(?: answer)?)\\b.{0,60}\\besc\\b",
  },
  {
    says: "prompt",
    prompt: "confirmation",
    when: "(?i)\\(y\\)es/\\(n\\)o.{0,60}:? *$|[\\[(]y(?:es)?/n(?:o)?(?:/\\w)*[\\])][?: ]*$",
  },
  {
    says: "prompt",
    prompt: "confirmation",
    when: "(?i)^(?:up/down|arrows?|use arrow keys|↑ ?/? ?↓).{0,24}\\benter\\b.{0,12}\\b(?:select|confirm|submit|choose)\\b",
  },
  {
    says: "prompt",
    prompt: "permission",
    when: "(?i)^(?:enter|type|press) .?y(?:es)?.? (?:to|for) (?:run|allow|approve|confirm|continue|proceed|accept|execute|apply)\\b[^:]{0,120}:?$",
  },
  {
    says: "prompt",
    prompt: "permission",
    when: "(?i)^press \\S{1,8} to (?:trust|approve|allow|accept|review)\\b.{0,80}\\besc\\b",
  },
  { says: "prompt", prompt: "confirmation", when: "(?i)^press enter to (?:continue|confirm)\\b.{0,60}$" },
  // Buttons beside each other, each with its key.
  {
    says: "prompt",
    prompt: "permission",
    when: "(?i)^(?:yes|allow|approve|run|accept)\\b.{0,20}(?:\\(\\w\\)|[⏎↵]|⌘).{0,120}\\b(?:no|deny|reject|cancel|skip)\\b.{0,30}(?:\\(\\w{1,3}\\)|[⌃⌘⎋]\\w?|\\besc)$",
  },
  { says: "prompt", prompt: "input", within: true, when: "(?i)^hint: waiting for your editor to close the file\\b" },
  {
    says: "prompt",
    prompt: "input",
    within: true,
    when: "(?i)^(?:\\[sudo\\] )?password(?: for \\S{1,40})?: ?$|^enter passphrase for .{1,80}: ?$|^username for .?https?://\\S{1,80}: ?$|\\(yes/no(?:/\\[fingerprint\\])?\\)\\? ?$|\\b(?:proceed|continue)\\? [\\[(]y(?:/n)?[\\])] ?$",
  },
  {
    says: "prompt",
    prompt: "login",
    when: "(?i)^(?:select (?:login|auth(?:entication)?) method|paste code here if prompted|how would you like to authenticate|browser didn't open\\?|sign in with chatgpt|login successful\\. press enter)",
  },
];

const RETRIES: FragmentRule[] = [
  // Asks a human to retry; what retries by itself says that it does.
  { says: "failure", when: "(?i)^\\[?api error: [^·]*\\bplease retry in\\b[^·]*$" },
  {
    says: "throttle",
    when: "(?i)^(?:rate[- ]limit(?:ed)?\\b|too many requests\\b|attempt \\d+ failed\\b|(?:stream )?error\\b|api error\\b|\\[?429\\b|request (?:was )?throttled|stream disconnected|this request would exceed|litellm\\.|the usage limit)[\\s\\S]*\\bretry(?:ing)?\\b",
  },
  { says: "retry", when: "(?i)\\bretry(?:ing)?(?: now| after| in)? [\\d.]+ ?(?:ms|s|m|h|sec|min|hour)" },
  {
    says: "retry",
    when: "(?i)\\bretrying (?:\\d+/\\d+|with backoff|\\(\\d+/\\d+\\))|\\bre-?connecting\\W{0,4} ?(?:\\d+/\\d+|waiting|$)|\\btrying to reach .{1,60}\\(attempt \\d+/\\d+\\)|\\[retrying\\b|\\bwill retry in\\b|\\battempt #?\\d+ failed\\b",
  },
];

const WORK: FragmentRule[] = [
  {
    says: "retry",
    when: "(?i)^.{2,40} is (?:way )?too hot right now$|^(?:the )?(?:provider|model|server) is (?:currently |temporarily )?(?:overloaded|at capacity|busy)\\b.{0,60}$|^we are currently experiencing high demand",
  },
  { says: "stuck", cause: "never_started", when: "(?i)^reading (?:additional input|prompt) from stdin\\.{3}$" },
  { says: "stuck", cause: "repeated_error", when: "(?i)^only \\d+ reflections allowed, stopping" },
  {
    says: "compacting",
    when: "(?i)^(?:auto-?)?compacting\\b|compacting (?:to continue )?conversation|performing auto-compaction|compressing chat history|summarizing (?:conversation|history)",
  },
  { says: "ended", when: `^[\\p{Lu}]\\p{L}+ for ${SPAN}(?:$|·)` },
  { says: "ended", when: `(?i)^(?:▣ .+|(?:build|plan)\\b.*) · ${SPAN}(?:· [\\d.]+ tok/s)?$` },
  {
    says: "ended",
    when: "(?i)^(?:total (?:usage est|session time|code changes|cost|duration)\\b.{0,12}:|api time spent:|breakdown by ai model:)",
  },
  { says: "notice", when: "(?i)^※ ?recap:|^shell awaiting input\\b" },
  { says: "ended", when: "^(?:Commit [0-9a-f]{7} \\S|Tokens: .{1,20} sent, .{1,20} received\\.)" },
  { says: "ended", when: "(?i)^(?:─+ )?worked for (?:<?\\d+[hms] ?)+|^tokens used:? [\\d,.]+k?$" },
  {
    says: "ended",
    when: "(?i)^(?:goodbye!?|agent powering down|to continue this session, run|resume this session with)",
  },
  {
    says: "busy",
    when: "(?i)\\besc (?:again )?(?:to )?interrupt|\\((?:.{0,40}· )?(?:esc|ctrl[ +-]?c) to (?:cancel|interrupt)|\\bctrl[+-]c to stop\\b",
  },
  { says: "busy", when: "(?i)^\\( *● *\\) \\d+s\\b" },
  { says: "busy", when: `\\((?:thinking|thought for .{1,12}|${SPAN})[^()]*(?:tokens|thinking|thought for|esc)` },
  {
    says: "busy",
    when: "(?i)^\\S{1,40}(?: \\S{1,40}){0,6}?(?:…|\\.\\.\\.)(?: ?\\([^)]*\\)?| esc to cancel)?$|^(?:thinking|generating|working|reading|planning|running)\\b.{0,40}\\btokens$",
  },
  {
    says: "busy",
    when: "(?i)^waiting for \\d+ background|^running…|^thinking\\b.{0,20}$|^▣ [^·]+ · [^·]+$|^thought for |^\\(ctrl\\+b .{0,40}background",
  },
];

export const FRAGMENT_RULES: readonly FragmentRule[] = [
  ...QUIET,
  ...RETRIES,
  ...LIMITS,
  ...FAILURES,
  ...CRASHES,
  ...PROMPTS,
  ...WORK,
];
