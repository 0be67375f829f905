import type { AgentProfile } from "./profile.js";

/**
 * Codex CLI. It writes OSC 7501 unasked, which gives the exact edges of a turn. A reply that hangs in the middle of
 * its text has no status line at all: partial text, empty composer, and only the title spins.
 */
export const codex: AgentProfile = {
  id: "codex",
  revision: 1,
  programs: ["codex"],
  products: ["codex-cli"],
  versions: { from: "0.160.0", to: "0.166.0" },
  versionRow: "OpenAI Codex \\(v(?P<version>[0-9][0-9.]*)",
  titles: [
    { when: "^\\[ [!.] \\] Action Required", status: "blocked" },
    { when: "^[\\x{2800}-\\x{28FF}] ", status: "working" },
    { when: "^[^\\[\\x{2800}-\\x{28FF}]", status: "idle" },
  ],
  composer: {
    first: "^\\s?›(?: (?P<draft>.*))?$",
    not: "^\\s?› \\d+\\. ",
    top: null,
    bottom: null,
    more: "^ {2}",
    belowMax: 4,
    hiddenMeansDialog: true,
    placeholders: [
      "^Ask Codex to do anything",
      "^(?:Find and fix|Explain this|Summarize|Implement|Write tests|Improve|Run /review|Use /)",
    ],
  },
  rules: [
    // Connection failures are retried for ever under this line; a dropped stream counts its attempts instead.
    {
      fact: "retry",
      region: "status",
      when: "^[•◦·] (?P<text>Reconnecting\\.\\.\\. waiting for network)",
      infra: "refused",
      live: true,
    },
    {
      fact: "retry",
      region: "status",
      when: "^[•◦·] (?P<text>Reconnecting\\.\\.\\. (?P<attempt>\\d+)/(?P<max>\\d+)) \\((?:(?:\\d+[hms] ?)+)",
      live: true,
    },
    {
      fact: "retry",
      region: "status",
      when: "^\\s+└ (?P<text>(?:Exceeded retry limit|Stream disconnected|Connection failed|stream error).*)",
      live: true,
    },
    { fact: "compacting", region: "status", when: "^[•◦·] Compacting" },
    { fact: "tool", region: "status", when: "\\d+ background terminals? running", class: "shell" },
    { fact: "busy", region: "status", when: "^[•◦·] .{1,200}?\\((?:(?:\\d+[hms] ?)+)• esc to interrupt\\)" },
    { fact: "tool", region: "last", when: "^[•◦·] Running (?P<subject>.+)$", class: "shell" },
    { fact: "interrupted", region: "last", when: "^■ Conversation interrupted" },
    { fact: "failure", region: "last", when: "^■ (?P<text>.*)", fallback: "api", tinted: true },
    { fact: "ended", region: "last", when: "^\\s+(?:─ )?Worked for (?:\\d+[hms] ?)+" },
  ],
  noise: ["^\\s+└ Tip:", "^\\s+└ "],
  queued: null,
  message: "^• (?P<text>.*)$",
  dialogs: [
    { prompt: "trust", when: "(?i)trust this folder\\?|do you trust the (?:contents|files)" },
    {
      prompt: "permission",
      when: "(?i)would you like to (?:run|make|grant|apply|allow)|yes, proceed|needs? your (?:approval|permission)",
    },
    { prompt: "input", when: "(?i)enter to submit answer" },
    { prompt: "login", when: "(?i)sign in with chatgpt" },
    { prompt: "input", when: "(?i)usage limit|rate limit", limit: true },
  ],
  traits: {
    streamsReply: true,
    countsTokens: false,
    retriesSilently: false,
    ownTimeoutMs: 300_000,
    settleMs: 1200,
    marksEnd: true,
  },
  keys: { interrupt: ["\u001b"], submit: ["\r"], quit: ["\u0003"] },
  resume: {
    byId: ["codex", "resume", "{session}"],
    latest: ["codex", "resume", "--last"],
    headless: ["codex", "exec", "resume", "{session}", "{text}"],
  },
};
