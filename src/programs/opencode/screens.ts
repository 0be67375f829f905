import type { AgentProfile } from "../shared/profile.js";

/** OpenCode. The title carries no state; the bar below the composer does. `▣ Build · model` has a duration only when done. */
export const opencode: AgentProfile = {
  id: "opencode",
  revision: 1,
  programs: ["opencode"],
  products: [],
  versions: { from: "1.18.0", to: "1.18.33" },
  versionRow: null,
  titles: [],
  composer: {
    first: "^\\s*┃\\s*(?P<draft>.*)$",
    not: null,
    top: null,
    bottom: "^\\s*╹▀{9,}",
    more: null,
    belowMax: 2,
    hiddenMeansDialog: true,
    placeholders: ["^Ask anything"],
  },
  rules: [
    {
      fact: "retry",
      region: "foot",
      when: "^\\s*[■⬝]{4,}\\s+(?P<text>.*?)\\s*\\[retrying(?: in (?P<delay>[0-9dhms ]+))?(?:\\s*attempt #(?P<attempt>\\d+))?",
    },
    { fact: "busy", region: "foot", when: "^\\s*[■⬝]{4,}\\s+(?:esc |again|.*\\besc\\b)" },
    { fact: "busy", region: "foot", when: "\\besc (?:again to )?interrupt\\b" },
    { fact: "ended", region: "last", when: "^\\s+▣\\s+.+ · (?:[0-9.]+m?s|(?:\\d+[hms] ?)+)\\s*$" },
    { fact: "interrupted", region: "last", when: "^\\s+▣\\s+.+ · interrupted" },
    { fact: "tool", region: "last", when: "^\\s+~ (?P<subject>.+)$", class: "shell" },
    // The mark turns while the command runs; then a `$` stands in its place.
    { fact: "tool", region: "last", when: "^ {0,2}┃ {2}[\\x{2800}-\\x{28FF}] (?P<command>.+)$", class: "shell" },
    { fact: "failure", region: "last", when: "^ {0,2}┃ {2}(?P<text>\\S.*)$", redFrame: true, fallback: "api" },
  ],
  noise: ["^\\s+▣\\s+[^·]+ · [^·]+$"],
  queued: "^\\s*┃?.*\\bQUEUED\\s*$",
  message: null,
  dialogs: [
    { prompt: "permission", when: "(?i)△ permission required|allow once\\s+allow always" },
    { prompt: "input", when: "(?i)enter (?:submit|confirm|select)[\\s\\S]*esc dismiss|type your own answer" },
  ],
  traits: {
    streamsReply: true,
    countsTokens: false,
    retriesSilently: false,
    ownTimeoutMs: null,
    settleMs: 1200,
    marksEnd: true,
    startsQuiet: true,
  },
  keys: { interrupt: ["\u001b", "\u001b"], submit: ["\r"], quit: ["\u0003"] },
  resume: {
    byId: ["opencode", "{options}", "-s", "{session}"],
    latest: ["opencode", "{options}", "--continue"],
    headless: ["opencode", "run", "{options}", "-s", "{session}", "{text}"],
    headlessBy: ["run"],
    options: {
      flags: ["--print-logs"],
      values: ["-m", "--model", "--agent", "--log-level", "--format"],
      lists: [],
      over: ["-c", "--continue"],
      overWithValue: ["-s", "--session", "--prompt", "--title"],
    },
  },
};
