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
import type { Cause, ErrorCause, PromptKind } from "../core/states.js";

type FragmentFact =
  | { says: "limit" }
  /** Classified by the table of vendor texts; `cause` where the words alone decide. */
  | { says: "failure"; cause?: ErrorCause }
  | { says: "prompt"; prompt: PromptKind }
  | { says: "stuck"; cause: Extract<Cause, "loop" | "repeated_error" | "never_started" | "compaction"> }
  /** A throttled client that tries again by itself: a limit by another name, where the words are about the rate. */
  | { says: "throttle" }
  | { says: "retry" | "compacting" | "busy" | "ended" | "interrupted" | "notice" | "panel" };

export type FragmentRule = FragmentFact & {
  when: string;
  /** The words are common ones: they count on the lowest rows only, not above a stack. */
  common?: true;
};

const SPINNER = "[·✢✳✶✻✽∗*●○◐◑◒◓\\x{2800}-\\x{28FF}]";
const SPAN = "(?:\\d+(?:\\.\\d+)? ?(?:ms|[dhms])\\b ?)+";
/** What may follow the words of a limit: nothing, a reset, or one of the sentences by which programs go on. */
const LIMIT_TAIL =
  "(?:[.!]?$|[.!]? ?[·|(\\[-] ?.*|[.,;:]? (?:resets?|your (?:limit|usage|quota|plan)|it will reset|access resets|try again|please (?:try|wait|upgrade)|upgrade|visit|to (?:get|continue|increase)|for .{1,60}?[.·]|switch|you (?:can|will)|start|purchase|get |or (?:try|wait)|see |/|send|wait|try ).*)";

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
  { says: "busy", when: "(?i)^usage limit (?:has )?reset\\b" },
  {
    says: "prompt",
    prompt: "input",
    when: "(?i)^(?:interrupted|conversation interrupted)\\b.{0,12}(?:what should|tell the model)",
  },
  { says: "notice", when: "(?i)^interrupted before the model replied" },
  {
    says: "interrupted",
    when: "(?i)^(?:interrupted(?: by user)?$|conversation interrupted|request cancelled|\\[request interrupted|operation cancelled|aborted by user)",
  },
  {
    says: "panel",
    when: "(?i)\\b\\d{1,3}(?:\\.\\d+)?% .{0,40}\\bresets?\\b|^resets? .{3,60}$|^\\d: \\w+ +\\d: \\w+ .{0,40}\\d: dismiss",
  },
];

const LIMITS: FragmentRule[] = [
  {
    says: "limit",
    when: `(?i)^(?:sorry,? )?you(?:'ve| have) (?:hit|reached|exceeded|exhausted|used up) (?:your|the) (?:[\\w.'-]+ ){0,4}?(?:limits?|quota|allowance|capacity|usage|credits)(?: on this model| for [\\w.-]+(?: requests)?)?${LIMIT_TAIL}`,
  },
  {
    says: "limit",
    when: `(?i)^(?:claude (?:ai )?|copilot |github copilot )?(?:(?:[\\w.]+[ -])?(?:5|five)[- ]hours?|daily|weekly|monthly|hourly|session|usage|opus(?: 4)?|sonnet|model|request|message|plan|free|premium|rate|quota)(?: (?:weekly|usage|request|message|rate|tier|daily|monthly|plan|session))* limit (?:has been )?(?:reached|hit|exceeded)${LIMIT_TAIL}`,
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
  { says: "limit", when: "(?i)^(?:the )?usage limit has been reached" },
  { says: "limit", when: "(?i)^(?:\\d+ ?hour|weekly|monthly|free) usage (?:limit reached|exceeded)\\b" },
  { says: "limit", when: "(?i)^(?:stop and )?wait for (?:the )?limits? to reset" },
];

/** Heads of the programs' error rows. What they mean is read from the text by the table of vendor errors. */
const FAILURES: FragmentRule[] = [
  { says: "failure", when: "(?i)^\\[?(?:please run /login · )?api error ?[:(·]" },
  { says: "failure", when: "(?i)^api error$|^(?:error: )?request failed\\b.{0,40}\\b\\d{3}\\b" },
  { says: "failure", when: "(?i)^(?:error: )?failed to refresh (?:the )?(?:access |oauth )?token\\b", cause: "auth" },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:stream disconnected before completion|stream error:|exceeded retry limit, last status|unexpected status \\d{3}\\b)",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )*error (?:running remote compact|during compaction|compacting|running (?:local )?compact)",
    cause: "context_full",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?codex ran out of room|^(?:error: )?(?:prompt is too long|(?:conversation|input) (?:is )?too long)(?:[.:!·]|$| ·)|^context (?:limit|window) (?:reached|exceeded|is full) ·|^input length and .{0,3}max_tokens",
    cause: "context_full",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:your )?(?:access|oauth|authentication|session|refresh)? ?token (?:could not be refreshed|has (?:expired|been revoked)|expired|revoked|refresh failed)",
    cause: "auth",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:not logged in|invalid api key|invalid authentication|login expired|login required|authentication (?:failed|required|expired|error)|failed to (?:login|log in|authenticate)\\b|your session has (?:expired|ended)|you(?:'ve| have) been (?:logged|signed) out|missing api key|no api key)(?:$|[.:!·]| ·| -|,| \\()",
    cause: "auth",
  },
  { says: "failure", when: "(?i)^please (?:run /login|sign in again|log in again)\\b", cause: "auth" },
  { says: "failure", when: "(?i)^waiting for auth(?:entication)?\\b", cause: "auth" },
  { says: "failure", when: "(?i)^(?:your )?credit balance (?:is )?too low", cause: "billing" },
  {
    says: "failure",
    when: "(?i)^(?:insufficient (?:credits?|funds|balance|quota)|payment required|out of credits)(?:$|[.:!·])",
    cause: "billing",
  },
  {
    says: "failure",
    when: "(?i)^(?:claude code|codex|the model) is unable to respond to this request|^this (?:request|content) (?:was|has been) (?:blocked|flagged)",
    cause: "policy_refusal",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:unable to connect to (?:api|anthropic|the api)|unable to connect to anthropic services|cannot connect to api|failed to connect to (?:api|[\\w-]+(?:\\.[\\w-]+)+)\\b|connection (?:lost|closed) mid-|response stalled mid-stream|stream idle timeout|request rejected \\(\\d{3}\\)|server is temporarily limiting requests)",
  },
  {
    says: "failure",
    when: "(?i)^(?:connection error|request timed out|overloaded|internal server error|fetch failed)\\.?$",
  },
  {
    says: "failure",
    when: "^(?:litellm\\.(?:exceptions\\.)?\\w+Error|AI_\\w+Error|Provider\\w*Error|UnknownError|APIError|APICallError)\\b[:( ]?",
  },
  {
    says: "failure",
    when: "(?i)^(?:ran into this error:|rate limit exceeded: |error code: \\d{3}\\b|(?:model call|execution) failed: |error from provider\\b|invalid_prompt: |c?apierror: \\d{3}|http \\d{3}\\b|(?:error:? )?[45]\\d\\d \\{)",
  },
  { says: "failure", when: '^\\{"type":"(?:error|turn\\.failed)"' },
  { says: "failure", when: "(?i)^(?:error: )?(?:enospc\\b|no space left on device)", cause: "disk_full" },
];

const CRASHES: FragmentRule[] = [
  {
    says: "failure",
    when: "(?i)^(?:fatal error: .{0,80})(?:javascript heap out of memory|reached heap limit)",
    cause: "crash",
  },
  {
    says: "failure",
    when: "(?i)^(?:oh no: )?bun has crashed|^panic\\(main thread\\)|^the application panicked|^thread '[^']{1,40}' (?:\\(\\d+\\) )?panicked at|^panic: |^<--- last few gcs --->",
    cause: "crash",
  },
  {
    says: "failure",
    when: "(?i)^(?:\\w*sh: |\\[\\d+\\] ?[+-]? ?)?(?:\\d+ )?(?:segmentation fault|killed(?::? ?9)?|aborted|bus error|illegal (?:hardware )?instruction|abort trap(?:: \\d+)?|trace trap|terminated(?:: 15)?|suspended|stopped)(?: \\([\\w ]+\\))?(?: .{0,80})?$",
    cause: "crash",
    common: true,
  },
  {
    says: "failure",
    when: "(?i)^critical: unhandled (?:promise )?rejection|^(?:this is )?an unexpected (?:critical )?error (?:occurred|has occurred)?\\b.{0,20}(?:please file a bug|$)",
    cause: "crash",
  },
  // Ends the program before it has begun: a session that is not found, a terminal that is none.
  {
    says: "failure",
    when: "^(?:Error: )?(?:No (?:saved |previous )?(?:conversation|session|thread|rollout)s? found\\b|--resume requires|Claude Code cannot be launched|Raw mode is not supported|stdin is not a terminal|Input must be provided)",
    cause: "crash",
  },
  {
    says: "failure",
    when: "^(?:Error|ERROR|Fatal): .{0,120}\\b(?:TUI|app-server|thread/\\w+|session lookup|resume (?:session|thread|conversation)|raw mode|alternate screen|terminal is not)\\b",
    cause: "crash",
  },
  {
    says: "failure",
    when: "(?i)^\\[?(?:process (?:exited|completed|terminated)|exited|lost server|pane is dead)\\b.{0,40}\\]?$",
    cause: "crash",
    common: true,
  },
];

const PROMPTS: FragmentRule[] = [
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
    when: "(?i)\\(y\\)es/\\(n\\)o.{0,60}:? *$|[\\[(]y(?:es)?/n(?:o)?[\\])][?: ]*$",
  },
  {
    says: "prompt",
    prompt: "confirmation",
    when: "(?i)^(?:up/down|arrows?|use arrow keys|↑ ?/? ?↓).{0,24}\\benter\\b.{0,12}\\b(?:select|confirm|submit|choose)\\b",
  },
  { says: "prompt", prompt: "confirmation", when: "(?i)^press enter to (?:continue|confirm)\\b.{0,60}$" },
  {
    says: "prompt",
    prompt: "login",
    when: "(?i)^(?:select login method|paste code here if prompted|how would you like to authenticate|browser didn't open\\?|sign in with chatgpt|login successful\\. press enter)",
  },
];

const RETRIES: FragmentRule[] = [
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
    when: "(?i)^.{2,40} is (?:way )?too hot right now$|^(?:the )?(?:provider|model|server) is (?:currently )?(?:overloaded|at capacity|busy)\\b.{0,60}$|^we are currently experiencing high demand",
  },
  { says: "stuck", cause: "never_started", when: "(?i)^reading (?:additional input|prompt) from stdin\\.{3}$" },
  { says: "stuck", cause: "repeated_error", when: "(?i)^only \\d+ reflections allowed, stopping" },
  {
    says: "compacting",
    when: "(?i)^(?:auto-?)?compacting\\b|compacting (?:to continue )?conversation|performing auto-compaction|compressing chat history|summarizing (?:conversation|history)",
  },
  { says: "ended", when: `^[\\p{Lu}]\\p{L}+ for ${SPAN}(?:$|·)` },
  { says: "ended", when: `(?i)^▣ .+ · ${SPAN}$` },
  { says: "ended", when: "(?i)^(?:─+ )?worked for (?:<?\\d+[hms] ?)+" },
  {
    says: "ended",
    when: "(?i)^(?:goodbye!?|agent powering down|to continue this session, run|resume this session with)",
  },
  {
    says: "busy",
    when: "(?i)\\besc (?:again )?(?:to )?interrupt\\b|\\((?:.{0,40}· )?(?:esc|ctrl[ +-]?c) to (?:cancel|interrupt)|\\bctrl[+-]c to stop\\b",
  },
  { says: "busy", when: `\\((?:thinking|thought for .{1,12}|${SPAN})[^()]*(?:tokens|thinking|thought for|esc)` },
  {
    says: "busy",
    when: "(?i)^\\S{1,40}(?: \\S{1,40}){0,6}?(?:…|\\.\\.\\.)(?: ?\\([^)]*\\)?| esc to cancel)?$|^(?:thinking|generating|working|reading|planning|running)\\b.{0,40}\\btokens$",
  },
  {
    says: "busy",
    when: "(?i)^waiting for \\d+ background|^running…|^thinking\\b.{0,20}$|^shell awaiting input|^▣ [^·]+ · [^·]+$|^thought for |^\\(ctrl\\+b .{0,40}background",
  },
];

/** Rows that have the words of a spinner only with a spinner's glyph in front. */
export const SPINNER_ROW = `^\\s*${SPINNER}+ ?\\S.{0,120}(?:…|\\.\\.\\.)`;

/** Records of a program that somebody copied instead of its screen; tried on the whole text. */
export const PAYLOADS: readonly { when: string; says: "limit" | "failure" }[] = [
  {
    says: "limit",
    when: '(?s)^\\{.*"status": ?"rejected".*"resets_?[aA]t"|(?s)^\\{.*"resets_?[aA]t".*"status": ?"rejected"',
  },
  {
    says: "failure",
    when: '(?s)^\\{.*"hook_event_name": ?"(?:Stop|StopFailure|SubagentStop)".*"(?:last_assistant_message|error_details|error)": ?"(?P<text>[^"]{1,400})"',
  },
  {
    says: "failure",
    when: '(?s)^\\{.*"type": ?"(?:error|turn\\.failed|result)".*"(?:message|result)": ?"(?P<text>[^"]{1,400})"',
  },
  {
    says: "failure",
    when: '(?s)^(?:\\{\\s*"error": ?)?\\{?\\s*"(?:code|status)": ?[45]\\d\\d,\\s*"message": ?"(?P<text>[^"]{1,400})"',
  },
  { says: "failure", when: '(?s)^\\{.*"isApiErrorMessage": ?true.*"text": ?"(?P<text>[^"]{1,400})"' },
  { says: "failure", when: '(?s)^\\{.*"text": ?"(?P<text>[^"]{1,400})".*"isApiErrorMessage": ?true' },
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

/** Options that only a program's own menu has, for menus copied without their pointer. */
export const VENDOR_OPTION =
  "(?i)^\\s*(?:[❯›>●] ?)?\\d[.)] (?:no, and tell (?:claude|codex|gemini)|yes, and (?:don't|always|auto|bypass|manually)|yes, (?:proceed|allow|i trust|i accept|clear context|just this once)|no \\(esc\\)|no, (?:suggest|keep planning|exit|quit)|type here to tell|allow (?:once|always|for this session)|stop and wait|upgrade your plan|keep trying)";

/** A menu about a limit: it waits for the limit more than for a human. */
export const LIMIT_MENU =
  "(?i)(?:wait for (?:the )?limits? to reset|/rate-limit-options|upgrade your plan|usage limit reached|quota limit)";

/** Rows of chrome: neither content nor statement. */
export const CHROME: readonly string[] = [
  "^[\\s│┃|]*[>❯›→]?[\\s│┃|]*$",
  "^[\\s─━═╌▔▁╭╮╰╯┌┐└┘▄▀╹]+$",
  '^[\\s│┃]*[>❯›→] (?:Try "|Ask |Type your|Type a|Message|Plan, search|Add a follow)',
  "(?i)^\\s*\\? for shortcuts",
  "(?i)^\\s*⏵⏵ ",
  "(?i)^\\s*/(?:upgrade|extra-usage|usage|model|stats|compact|clear|login|status|rate-limit-options)\\b.{0,120}$",
  "(?i)^\\s*(?:ctrl|shift|tab|esc|alt)\\+?\\w* (?:\\w+ )?(?:to|for) (?:expand|cycle|navigate|view|show|see|toggle|open|copy|edit|go|focus|run|newline)\\b",
  "(?i)^[\\s⎿└]*(?:tip|hint):",
  "(?i)^\\s*…? ?\\+?\\d+ lines? \\(ctrl",
  "^⚡ (?:You can|To |You will|Automatically|Switched|It )",
  "(?i)^\\s*\\d+ tasks? \\(",
  "(?i)^\\s*pane is dead \\(status 0\\b",
  "^\\s+(?:⎿\\s+)?[◻◼✔☐☒] ",
  "^\\s*[╭╰┌└]─.*$",
  "(?i)^\\s*(?:please check your internet|note: claude code might not be available)",
  "(?i)^.{0,4}elapsed time: |^context: [●○]+",
  "(?i)^-{3,} native stack trace|^\\s*\\d+: 0x[0-9a-f]",
  "^\\s?[─━═]{9,}.{0,60}[─━═]\\s*$",
  "(?i)^we apologize and appreciate your patience",
  "(?i)^please retry if you think\\b",
];

/** What stands before text that somebody quotes: diffs, listings, searches, comments, tables, lists, logs, tests. */
export const QUOTED: readonly string[] = [
  "^\\s*(?:\\d+\\s+)?[+-](?:\\s|\\S)",
  "^@@ ",
  "^\\s*\\d+\\s*[:│|→]",
  "^\\s*\\d+\\t",
  "^\\s*(?:L|line )\\d+",
  "^\\s*[>❯›]\\s*\\S",
  "^\\s*[\"'`“«‘]",
  "^\\s*(?:[●⏺•✦⎿└] +)?[\"'`“«‘]",
  "^\\s*(?://|#|/\\*|\\*\\*|<!--|--\\s|;;)",
  "^\\s*\\|",
  "^\\s*[*•] \\*\\*",
  "^\\s*(?:[\\w.@~-]*/)?[\\w.@-]+\\.\\w{1,5}[:(]\\d+",
  "^\\s*(?:[\\w.@~-]+/)+[\\w.@-]+:",
  "^\\s*\\[?\\d{2}:\\d{2}:\\d{2}",
  "^\\s*\\[?\\d{4}-\\d{2}-\\d{2}[T ]\\d{2}:\\d{2}",
  "^\\s*\\[?(?:INFO|WARN|WARNING|DEBUG|TRACE|ERROR)\\]?[ :]\\s*(?:\\[|\\d{2}|\\w+::|\\w+\\.)",
  "^\\s*(?:PASS|FAIL|ok|not ok|---|===|RUN)\\b",
  "^\\s*[✓✔✕✗✘×√☐☒◻◼] .{1,300}\\(?\\d+(?:\\.\\d+)? ?m?s\\)?$",
  "^\\s*[✓✔√☐☒◻◼]",
  "^\\s*(?:test|it|describe|expect|assert|const|let|var|return|if|case|throw|raise|print|echo|def|fn|func|import|msg|message|title|text|regex|pattern)\\b ?[.(:=\\[{\"'`]",
  "^\\s*(?:#\\d+|\\w+/\\w+#\\d+|(?:issue|pr|pull request|bug|feature|feat|fix|docs|test|chore)\\b ?(?:#\\d+|\\(.*\\))?:)",
];

/** Words that no program says of itself: the row talks about such a statement. */
export const TALKS_ABOUT =
  "(?i)\\b(?:I|I've|I'll|I'm|we|we've|we'll|let's|let me|regex|fixtures?|unit tests?|test cases?|detector|banner|substring|e\\.g\\.|i\\.e\\.|todo|fixme|pull request|this pr|readme|docstring|handler|middleware|returns?|matches|assert|stub|mock(?:ed|s)?|log line)\\b|#\\d{2,}|=>|\\bshould (?:be|not|now|match|show|say)\\b";

/** A command that shows or runs something else: what follows it is that command's output. */
export const SHELL_COMMAND =
  "^\\s*(?:[\\w.@~:/-]+ ?)?(?:[$%#] (?:sudo |time )?(?:less|head|python3?|go|make|ls|find|echo|printf|tmux|bash|sh|bun|node)|[$%#❯>] (?:sudo |time )?(?:cat|bat|tail|grep|rg|awk|sed|git|gh|npm|pnpm|yarn|npx|pytest|cargo|docker|kubectl|curl|jq|journalctl|vitest|jest|tsc))\\b";

/** A row by which a program announces a tool call. */
export const TOOL_HEADER =
  "^\\s*(?:[●⏺•◦○] ?(?:[A-Z]\\w*(?: \\w+)?\\(|(?:Ran|Running|Explored|Read|Search(?:ed)?|List(?:ed)?|Called|Edited|Updated|Added) )|[│┃]?\\s*[✓✔⊶x?] {1,2}[A-Z]\\w+ |\\$ )";
