import type { AgentProfile } from "../shared/profile.js";
import { SPINNING_TOOL_RULES } from "../shared/screen-rules.js";

/**
 * Gemini CLI. Working, retrying and hung have the same screen (`Thinking... (esc to cancel, 1m 10s)`), so before the
 * first text of a reply only time distinguishes them: `retriesSilently`.
 */
export const gemini: AgentProfile = {
  id: "gemini",
  revision: 1,
  programs: ["gemini", "gemini-cli"],
  products: ["Gemini CLI"],
  versions: { from: "0.61.0", to: "0.61.0" },
  versionRow: "Gemini CLI v(?P<version>[0-9][0-9.]*)",
  titles: [
    { when: "^✋ ", status: "blocked" },
    { when: "^(?:✦|⏲) ", status: "working" },
    { when: "^◇ ", status: "idle" },
  ],
  composer: {
    first: "^\\s?[│]?\\s?[*>!](?:\\s+(?P<draft>.*?))?[\\s│]*$",
    not: null,
    // Plain rules in a terminal without 24-bit colour, such as tmux by default.
    top: "^\\s?[▄╭─]{1}[▄─]{9,}",
    bottom: "^\\s?[▀╰─]{1}[▀─]{9,}",
    more: null,
    belowMax: 4,
    hiddenMeansDialog: true,
    placeholders: ["^Type your message"],
  },
  rules: [
    {
      id: "retry-status",
      fact: "retry",
      region: "status",
      when: "^\\s?(?:[\\x{2800}-\\x{28FF}] )?(?P<text>Trying to reach .* \\(Attempt (?P<attempt>\\d+)/(?P<max>\\d+)\\))",
    },
    {
      id: "busy-status",
      fact: "busy",
      region: "status",
      when: "^\\s?[\\x{2800}-\\x{28FF}] .{1,160}\\(esc to cancel(?:, (?:(?:\\d+[hms] ?)+))?\\)",
    },
    { id: "busy-status-2", fact: "busy", region: "status", when: "^\\s?! Shell awaiting input" },
    {
      id: "background-status",
      fact: "background",
      region: "status",
      when: "^ .*\\s(?P<count>\\d+) Background process(?:es)?\\s*$",
    },
    ...SPINNING_TOOL_RULES,
    { id: "interrupted-last", fact: "interrupted", region: "last", when: "^ℹ Request cancelled" },
    {
      id: "failure-last",
      fact: "failure",
      region: "last",
      when: "^✕ (?P<text>.*)",
      fallback: "api",
      tinted: true,
      plain: true,
    },
    {
      id: "stopped-last",
      fact: "failure",
      region: "last",
      when: "^ℹ ⚠\\x{FE0F}?\\s+(?P<text>Response stopped due to .*)",
      above: true,
      fallback: "api",
    },
    { id: "limit-last", fact: "limit", region: "last", when: "^⚡ (?P<text>You have reached your daily.*)" },
  ],
  noise: [
    "^\\s+\\? for shortcuts\\s*$",
    "^ℹ This request failed",
    "^\\s+details\\.\\s*$",
    "^\\s*(?:YOLO|auto-accept|manual|plan)\\b",
  ],
  queued: "(?i)^\\s*Queued \\(press",
  message: "^✦ (?P<text>.*)$",
  dialogs: [
    {
      prompt: "input",
      when: "(?i)usage limit reached|quota limit|exhausted your (?:daily )?quota",
      limit: true,
      userOnly: true,
    },
    { prompt: "input", when: "(?i)experiencing high demand|no capacity available", limit: true, userOnly: true },
    { prompt: "trust", when: "(?i)do you trust (?:this|the files in this) folder" },
    { prompt: "permission", when: "(?i)allow execution of|apply this change\\?|do you want to proceed\\?|allow once" },
    { prompt: "confirmation", when: "(?i)a potential loop was detected" },
    { prompt: "input", when: "(?i)^\\s*answer questions" },
    { prompt: "login", when: "(?i)how would you like to authenticate|waiting for auth" },
  ],
  traits: {
    streamsReply: true,
    countsTokens: false,
    retriesSilently: true,
    ownTimeoutMs: null,
    settleMs: 1200,
    marksEnd: false,
    // Esc takes the cancelled turn out of the history, with its prompt (0.61.0).
    keepsInterruptedTurn: false,
    startsQuiet: true,
    takesToolInput: true,
    // "Action Required" also appears when a command has printed something and then nothing for 30 s.
    titleReportsQuietTool: true,
  },
  keys: { interrupt: ["\u001b"], submit: ["\r"], quit: ["\u0003", "\u0003"] },
  resume: {
    byId: ["gemini", "{options}", "--resume", "{session}"],
    latest: ["gemini", "{options}", "-r", "latest"],
    headless: ["gemini", "{options}", "-r", "{session}", "-p", "{text}"],
    headlessBy: ["-p", "--prompt"],
    options: {
      flags: ["-y", "--yolo", "-s", "--sandbox", "-d", "--debug", "--screen-reader"],
      values: ["-m", "--model", "--approval-mode", "-o", "--output-format", "--include-directories"],
      lists: [],
      over: [],
      overWithValue: ["-p", "--prompt", "-i", "--prompt-interactive", "-r", "--resume"],
    },
  },
};
