import { NO_PROFILE } from "../../core/agent.js";
import type { AgentProfile } from "../shared/profile.js";
import { SPINNING_TOOL_RULES } from "../shared/screen-rules.js";

/** "Retrying in 8 s", "Reconnecting... 2/5", "Retrying (attempt 3)", "retry #2 in 3024ms", "Trying again in 5s". */
const TRIES_AGAIN =
  "(?i)(?P<text>.{0,200}?\\b(?:(?:re-?trying|reconnecting|retry #?\\d+|trying again|backing off|next (?:attempt|retry|try)|attempt #?\\d+(?: of \\d+|/\\d+)? failed)\\b.*?(?:(?:in|for|after) (?P<delay>(?:[0-9]+(?:\\.[0-9]+)? ?(?:h|m|s|ms|hours?|minutes?|seconds?)\\b ?)+)|(?P<attempt>\\d+)(?:(?:/| of )(?P<max>\\d+)|\\)))|wait(?:ing)? (?:for )?\\d+(?:\\.\\d+)? ?(?:m|s|ms|minutes?|seconds?)\\b.{0,30}\\b(?:re-?try|try(?:ing)? again|next)).*)";

/**
 * Any other program in a terminal, and a known one whose screen no longer fits its profile. It trusts structure
 * alone: a selected option at the bottom, a composer with a prompt sign, a row that ticks, motion and its end.
 */
export const generic: AgentProfile = {
  id: NO_PROFILE,
  revision: 1,
  programs: [],
  products: [],
  structural: true,
  versions: null,
  versionRow: null,
  titles: [
    { when: "(?i)\\baction required\\b", status: "blocked" },
    { when: "^[◐◑◒◓\\x{2800}-\\x{28FF}✦⏲] ", status: "working" },
    { when: "(?i)\\b(?:working|thinking)…", status: "working" },
    { when: "^[✳◇] ", status: "idle" },
  ],
  composer: {
    first: "^[\\s│┃|▌]{0,4}[>❯›*!→](?:[\\s\\x{A0}]+(?P<draft>.*?))?[\\s│┃|]*$",
    not: "^[\\s│┃|]*[>❯›*●]\\s+\\d+[.)] ",
    top: null,
    bottom: null,
    more: null,
    belowMax: 6,
    hiddenMeansDialog: false,
    placeholders: ["(?i)^(?:type|ask|try|message|enter|send|describe)\\b"],
  },
  rules: [
    {
      id: "retry-status",
      fact: "retry",
      region: "status",
      when: TRIES_AGAIN,
      live: true,
    },
    {
      id: "retry-foot",
      fact: "retry",
      region: "foot",
      when: TRIES_AGAIN,
    },
    {
      id: "busy-status",
      fact: "busy",
      region: "status",
      // The clock of Gemini CLI and its forks: "(esc to cancel, 12s)", "(12s · esc to cancel)".
      when: "(?i)^\\s{0,4}[^\\s│┃|] .*\\((?:esc to cancel, (?:\\d+[hms] ?)+|(?:\\d+[hms] ?)+· [^()]*esc to cancel)\\)",
      retriesSilently: true,
    },
    {
      id: "busy-status-2",
      fact: "busy",
      region: "status",
      // An indented or framed row inside another block is quoted.
      when: "(?i)^\\s?[^\\s│┃|].*\\b(?:esc|ctrl[+-]c) to (?:cancel|interrupt|stop)\\b",
    },
    {
      id: "busy-status-3",
      fact: "busy",
      region: "status",
      when: "(?i)^\\s{0,4}[\\x{2800}-\\x{28FF}◐◑◒◓◴◵◶◷✢✳✶✻✽] .*\\b(?:esc|ctrl[+-]c) to (?:cancel|interrupt|stop)\\b",
    },
    {
      id: "busy-status-4",
      fact: "busy",
      region: "status",
      // A turning stroke is also a frame or the dash of a list: its clock and its key distinguish it.
      when: "(?i)^\\s{0,4}[|/\\\\-] \\S.*?\\((?:\\d+[hms] ?)+[^()]*\\b(?:esc|ctrl[+-]c) to (?:cancel|interrupt|stop)\\)",
    },
    {
      id: "busy-status-5",
      fact: "busy",
      region: "status",
      // With a long phrase, the clock is not closed on the same row.
      when: "^\\s*[\\x{2800}-\\x{28FF}◐◑◒◓◴◵◶◷✢✳✶✻✽] ?\\S.*?\\((?:\\d+[hms] ?)+[^)]*(?:\\)|$)",
    },
    // A spinner beside an activity, or the phases of the moon.
    {
      id: "busy-status-6",
      fact: "busy",
      region: "status",
      when: "^\\s{0,4}[\\x{2800}-\\x{28FF}] {1,2}(?:Working|Thinking|Generating|Responding|Processing|Loading|Waiting|Planning|Reasoning)\\b.{0,24}?(?:…|\\.\\.\\.)",
    },
    { id: "busy-status-7", fact: "busy", region: "status", when: "^\\s{0,4}[\\x{1F311}-\\x{1F318}](?: |$)" },
    // A command that printed something and is silent now, in Gemini CLI and its forks.
    { id: "busy-status-8", fact: "busy", region: "status", when: "^\\s{0,3}! \\pL{2,12} awaiting input\\b" },
    {
      id: "limit-foot",
      fact: "limit",
      region: "foot",
      when: "(?i)^(?P<text>.{0,80}\\b(?:usage|rate|session|daily|weekly|monthly|quota|\\d+-hour) limit (?:was |is )?(?:reached|exceeded|hit)\\b.*)$",
    },
    {
      id: "busy-foot",
      fact: "busy",
      region: "foot",
      // Not at the end of a list of keys ("/ for commands"), which is always there.
      when: "(?i)^(?:[^/↓?@]|[/↓?@](?:[^ ]| [^f]))*?\\b(?:esc|ctrl[+-]c) (?:to )?(?:cancel|interrupt|stop)\\b",
    },
    // Only the program itself writes below the composer.
    { id: "busy-foot-2", fact: "busy", region: "foot", when: "^\\s{0,3}[^\\s\\pL\\pN│┃|] (?:Working|Thinking)\\b" },
    // The duration, below the message.
    { id: "ended-last", fact: "ended", region: "last", when: "^\\s{0,4}[⏱⏲⌛⏳🕒] {1,2}(?:\\d+(?:\\.\\d+)?[hms] ?)+$" },
    {
      id: "ended-last-2",
      fact: "ended",
      region: "last",
      when: "^\\s{0,6}(?:\\S{1,2} )?\\pL+ for (?:\\d+(?:\\.\\d)?[hms] ?)+(?:\\s*[·•].*)?$",
    },
    ...SPINNING_TOOL_RULES,
    {
      id: "tool-last-3",
      fact: "tool",
      region: "last",
      when: "^\\s{0,4}(?:\\S{1,2} )?(?:Running|Executing)\\b.{0,60}?(?: \\$ (?P<subject>.*)|: .*| · .*|`.*)$",
      class: "shell",
    },
    {
      id: "tool-last-4",
      fact: "tool",
      region: "last",
      when: "^\\s{0,3}[●○◯⏺•◆◇] (?P<subject>\\pL[\\w ]{0,29}\\w\\(.*)$",
      class: "shell",
      alone: true,
    },
    {
      id: "failure-last",
      fact: "failure",
      region: "last",
      when: "^(?: {0,2}[✕■✗✘✖×⚠●⏺!]| {2,4}⎿) {0,2}(?P<text>\\S.*)",
      tinted: true,
      unsaid: true,
    },
    // Some programs draw a bar beside it, red or amber like its words or alone. A tool's output has its call above it.
    {
      id: "failure-last-2",
      fact: "failure",
      region: "last",
      when: "^ {0,2}┃ {0,2}(?P<text>\\S.*)",
      tinted: true,
      unsaid: true,
      opens: true,
    },
    {
      id: "failure-last-3",
      fact: "failure",
      region: "last",
      when: "^ {0,2}[┃▌] {1,3}(?P<text>\\S.*)",
      redFrame: true,
      unsaid: true,
      opens: true,
    },
    // Some programs draw only the cross in red, and the words like any others.
    {
      id: "failure-last-4",
      fact: "failure",
      region: "last",
      when: "^ {0,2}[✕✗✘✖×⨯] {1,2}(?P<text>\\S.*)",
      redFrame: true,
      unsaid: true,
    },
    // A program's own statement has its own colour: red, or the grey of its remarks. A reply with these words has
    // neither.
    {
      id: "failure-last-5",
      fact: "failure",
      region: "last",
      when: "^ {0,4}(?:[*✕✗✘✖×⨯!] )?(?:\\w+ )?[Ee]rror: (?P<text>.*)",
      tinted: true,
      unsaid: true,
    },
    {
      id: "failure-last-6",
      fact: "failure",
      region: "last",
      when: "^ {0,2}(?:\\w+ )?[Ee]rror: (?P<text>.*)",
      muted: true,
      unsaid: true,
    },
    // Some programs report the cause of a stop in the words and the colour of a reply, which then contains nothing
    // else.
    {
      id: "failure-last-7",
      fact: "failure",
      region: "last",
      when: "^\\s{0,4}(?:[✦●⏺•◆] )?(?P<text>(?:(?:Sorry, )?I (?:encountered|ran into|hit) an error: |Ran into this error: |(?:[A-Z]\\w+ )?(?:API|LLM|Model|Provider|Network|Connection|Authentication) error: ).*)",
      unsaid: true,
      opens: true,
    },
    // The provider's answer, unchanged.
    {
      id: "failure-last-8",
      fact: "failure",
      region: "last",
      when: "^ {0,2}[✕✗✘✖×⚠]\\x{FE0F}? (?P<text>\\{)$",
      unsaid: true,
      opens: true,
    },
    {
      id: "failure-last-9",
      fact: "failure",
      region: "last",
      when: "^\\s{0,4}(?:\\S )?(?P<text>(?:The )?[Mm]odel returned (?:an )?empty response\\b.*)",
      fallback: "api",
      unsaid: true,
      opens: true,
    },
    {
      id: "failure-last-10",
      fact: "failure",
      region: "last",
      when: "^\\s{0,4}⚠\\x{FE0F}? {1,2}(?P<text>(?:(?:[A-Z]\\w+ )?(?:API|LLM|Model|Provider|Network|Connection|Authentication) error\\b|[A-Z]\\w+ rejected the request\\b).*)",
      unsaid: true,
    },
  ],
  noise: [
    "^\\s+\\? for shortcuts\\s*$",
    "(?i)^\\s*(?:tip|hint):",
    "^\\s{0,2}ℹ ",
    "^\\s{0,4}Please (?:retry|resend|try again)\\b[^?]{0,100}$",
    // Between a reply and its composer programs draw rules, hints at the far right and modes with the key that changes them.
    "^\\s*[─━═▄▀]{10,}\\s*$",
    // A status line that is drawn into the upper edge of the composer.
    "^\\s{0,3}\\S.*[─━]{10,}.{0,24}$",
    // The speaker, and the duration: OpenCode and its forks.
    "^\\s{0,6}▣ {1,2}[^·]+ · [^·]+(?: · (?:\\d+(?:\\.\\d+)?[hms] ?)+)?$",
    // The time since the last request.
    "^\\s{0,4}(?:\\d+[hms] )+idle$",
    // A gauge, with the remaining share.
    "^\\s*[─━═╌┄█░▒▓]{10,} \\d[\\d\\s.,%/kKmM]{0,24}$",
    "^\\s{0,2}┃$",
    "^\\s{40,}\\S.{0,60}$",
    "(?i)^\\s{0,4}\\pL.{0,40}\\b(?:ctrl|shift|alt)\\s?[+-]\\s?[a-z]+\\b[^.?!]{0,30}$",
  ],
  queued: "(?i)^\\s*(?:┃\\s*)?Queued\\b",
  message: "^\\s{0,3}[✦●⏺•◆] (?P<text>.*)$",
  bareMessages: true,
  dialogs: [
    { prompt: "input", when: "(?i)usage limit|quota (?:limit|exceeded)|limit reached", limit: true },
    { prompt: "trust", when: "(?i)\\btrust\\b[\\s\\S]{0,200}\\b(?:folder|files|directory|workspace|project)\\b" },
    { prompt: "login", when: "(?i)\\b(?:log ?in|sign ?in|authenticate)\\b" },
    {
      prompt: "permission",
      when: "(?i)\\b(?:allow|approve|permission|apply this change|run this|will run|execute|proceed)\\b",
    },
    { prompt: "plan", when: "(?i)\\bplan\\b" },
  ],
  traits: {
    streamsReply: true,
    countsTokens: false,
    retriesSilently: false,
    ownTimeoutMs: null,
    settleMs: 1500,
    marksEnd: false,
    keepsInterruptedTurn: false,
    titleReportsQuietTool: true,
    takesToolInput: true,
  },
  keys: { interrupt: ["\u001b"], submit: ["\r"], quit: ["\u0003"] },
  resume: {
    byId: null,
    latest: null,
    headless: null,
    headlessBy: [],
    options: { flags: [], values: [], lists: [], over: [], overWithValue: [] },
  },
};
