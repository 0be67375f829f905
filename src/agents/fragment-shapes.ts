/** Shapes of the rows of a single frame: whose they are, and what of them is no statement. See `fragments.ts`. */

const SPINNER = "[·✢✳✶✻✽∗*●○◐◑◒◓\\x{2800}-\\x{28FF}]";
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

/** Options that only a program's own menu has, for menus copied without their pointer. */
export const VENDOR_OPTION =
  "(?i)^\\s*(?:[❯›>●] ?)?\\d[.)] (?:no, and tell (?:claude|codex|gemini)|yes, and (?:don't|always|auto|bypass|manually)|yes, (?:proceed|allow|i trust|i accept|clear context|just this once)|no \\(esc\\)|no, (?:suggest|keep planning|exit|quit)|type here to tell|allow (?:once|always|for this session)|stop and wait|upgrade your plan|keep trying)";

/** A menu about a limit: it waits for the limit more than for a human. */
export const LIMIT_MENU =
  "(?i)(?:wait for (?:the )?limits? to reset|/rate-limit-options|upgrade your plan|usage limit reached|quota limit)";

/** An empty prompt of a shell: whatever ran above it has ended. */
export const SHELL_PROMPT = "^(?:\\(\\w+\\) )?[\\w.-]+@[\\w.-]+[: ][~/][\\w./~-]*[$#%]\\s*$";

/** Rows of chrome: neither content nor statement. */
export const CHROME: readonly string[] = [
  "^[\\s│┃|]*[>❯›→]?[\\s│┃|]*$",
  "^[\\s─━═╌▔▁╭╮╰╯┌┐└┘▄▀╹]+$",
  '^[\\s│┃]*[>❯›→] (?:Try "|Ask |Type your|Type a|Message|Plan, search|Add a follow)',
  "(?i)^\\s*\\? for shortcuts",
  "(?i)^\\s*⏵⏵ ",
  "(?i)^\\s*(?:[•·] ?)?/(?:upgrade|extra-usage|usage|model|stats|compact|clear|login|status|rate-limit-options)\\b.{0,120}$",
  "(?i)^\\s*(?:ctrl|shift|tab|esc|alt)\\+?\\w* (?:\\w+ )?(?:to|for) (?:expand|cycle|navigate|view|show|see|toggle|open|copy|edit|go|focus|run|newline)\\b",
  "(?i)^[\\s⎿└]*(?:tip|hint):",
  "(?i)^\\s*…? ?\\+?\\d+ lines? \\(ctrl",
  "^\\s*⚡ (?:Or |You can|To |You will|Automatically|Switched|It )",
  "(?i)^\\s*\\d+ tasks? \\(",
  "(?i)^\\s*pane is dead \\(status 0\\b",
  "^\\s+(?:⎿\\s+)?[◻◼✔☐☒] ",
  "^\\s*[╭╰┌└]─.*$",
  "(?i)^\\s*(?:please check your internet|note: claude code might not be available)",
  "(?i)^.{0,4}elapsed time: |^context: [●○]+",
  "(?i)^-{3,} native stack trace|^stack backtrace:|^\\s*\\d+:\\s+0x[0-9a-f]|^note: run with .rust_backtrace",
  "^\\s?[─━═]{9,}.{0,60}[─━═]\\s*$",
  "^\\s*[▰▱█▓▒░■□━]{5,}\\s*\\d{0,3} ?%?\\s*$",
  "(?i)\\bctrl\\+p commands\\b",
  "^\\s*┃(?:\\s+(?:Build|Plan)\\b.{0,20} · .*)?$",
  "(?i)^\\s*using:?(?: \\d+ .{1,80})?$|^\\s*- \\d+ (?:open files?|mcp servers?|context files?|[\\w.]+ files?)\\b",
  "(?i)^we apologize and appreciate your patience",
  "^\\s*https?://\\S+$",
  SHELL_PROMPT,
  // The folder and its branch; a place to type that is a row of dots.
  "^\\s{0,2}[~/]\\S{0,80} ?\\[⎇ [^\\]]{1,60}\\]",
  "^\\s*:{3,4}\\s*$",
  "(?i)^please (?:retry if you think|resend your message)\\b",
];

/** What stands before text that somebody quotes: diffs, listings, searches, comments, tables, lists, logs, tests. */
export const QUOTED: readonly string[] = [
  "^\\s*(?:\\d+\\s+)?[+-](?:\\s|\\S)",
  "^@@ ",
  // Not a clock, to which a row may wrap.
  "^\\s*\\d+\\s*(?:[│|→]|:(?:\\D|$|\\d{3}))",
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

/** A place to type that is known by the words in it. */
export const EMPTY_COMPOSER =
  "^[\\s│┃]*(?:\\( ?[Oo0]\\)>$|(?:\\( ?[Oo0]\\)>|[>❯›→»]|\\w{1,12}>) {1,2}(?:Press Enter to send|Type @ to |Type your message|Type a message|Ask |Send a message|Enter your))";
