import type { AgentProfile } from "./profile.js";

/**
 * Claude Code. The spinner's verb is random and its glyph cycles; what is stable is the shape: a glyph, words,
 * an ellipsis, and brackets with elapsed time and tokens. The composer stands between two rules and is drawn during
 * a turn too, so it says nothing about being busy.
 */
export const claudeCode: AgentProfile = {
  id: "claude-code",
  revision: 1,
  programs: ["claude", "claude-code"],
  products: ["Claude Code"],
  versions: { from: "2.1.14", to: "2.1.325" },
  versionRow: "Claude Code v(?P<version>[0-9][0-9.]*)",
  titles: [
    { when: "^✳ ", status: "idle" },
    { when: "^[◐◑◒◓\\x{2800}-\\x{28FF}] ", status: "working" },
  ],
  composer: {
    first: "^\\s?│?\\s?[❯>](?:[\\s\\x{A0}](?P<draft>.*?))?[\\s│]*$",
    not: "^\\s?[❯>]\\s+\\d+\\. ",
    top: "^\\s?[─╭]─{9,}",
    bottom: "^\\s?[─╰]─{9,}",
    more: null,
    belowMax: 8,
    hiddenMeansDialog: true,
    placeholders: ['^Try "', "^Press up to edit queued"],
  },
  rules: [
    {
      fact: "retry",
      region: "status",
      when: "^[·✢✳✶✻✽*∗] (?P<text>.*?)[ ·(]+Retrying in (?P<delay>[0-9hms ]+(?:seconds?)?)…?(?: ?[·(] ?attempt (?P<attempt>\\d+)/(?P<max>\\d+))?",
    },
    // Without motion its glyph is that of a message; what a message says does not count down.
    {
      fact: "retry",
      region: "status",
      when: "^● (?P<text>.*?)[ ·(]+Retrying in (?P<delay>[0-9hms ]+(?:seconds?)?)…?(?: ?[·(] ?attempt (?P<attempt>\\d+)/(?P<max>\\d+))?",
      live: true,
    },
    { fact: "compacting", region: "status", when: "^[·✢✳✶✻✽*●∗] Compacting conversation…" },
    { fact: "busy", region: "status", when: "^[·✢✳✶✻✽*●∗] Waiting for API response" },
    {
      fact: "busy",
      region: "status",
      when: "^[·✢✳✶✻✽*●∗] [^(]{1,120}…(?: ?\\([^)]*\\))?\\s*$",
    },
    { fact: "busy", region: "foot", when: "(?i)\\besc to interrupt\\b" },
    {
      fact: "tool",
      region: "last",
      when: "^ {2}⎿\\s+\\$ (?P<subject>.+?) \\((?:\\d+[hms] ?)+[^)]*\\)\\s*$",
      class: "shell",
    },
    { fact: "tool", region: "last", when: "^ {2}⎿\\s+Running…", class: "shell" },
    { fact: "tool", region: "last", when: "^\\s+\\(?ctrl\\+b .*to run in background", class: "shell" },
    { fact: "interrupted", region: "last", when: "^ {2}⎿\\s+Interrupted\\b" },
    {
      fact: "limit",
      region: "last",
      when: "^ {2}⎿\\s+(?P<text>You[’']?(?:ve| have) (?:hit|reached) your .*limit.*)",
      tinted: true,
    },
    {
      fact: "limit",
      region: "last",
      when: "^ {2}⎿\\s+(?P<text>(?:Claude )?(?:(?:5-hour|[Ww]eekly|[Ss]ession|[Uu]sage|Opus|Sonnet) )+(?:usage )?limit reached.*)",
      tinted: true,
    },
    { fact: "limit", region: "last", when: "^ {2}⎿\\s+(?P<text>You[’']re out of (?:extra )?usage.*)", tinted: true },
    {
      fact: "limit",
      region: "last",
      when: "^[●⏺] (?P<text>Usage limit reached · continuing automatically.*)",
      muted: true,
    },
    { fact: "limit", region: "foot", when: "^\\s+⚠ (?P<text>Usage limit reached.*)" },
    { fact: "failure", region: "last", when: "^[●⏺] (?P<text>API Error.*)", tinted: true, fallback: "api" },
    { fact: "failure", region: "last", when: "^ {2}⎿\\s+(?P<text>API Error.*)", tinted: true, fallback: "api" },
    // A tool's own failure is drawn in red too, and begins with "Error".
    { fact: "failure", region: "last", when: "^ {2}⎿\\s+(?P<text>(?:[A-DF-Z]|E[a-qs-z])\\S*.*)", tinted: true },
    { fact: "ended", region: "last", when: "^[✻✶✽✢*·] \\S+ for (?:\\d+[hms] ?)+(?:\\s*·.*)?$" },
    { fact: "background", region: "foot", when: "(?P<count>\\d+) (?:background )?(?:shells?|tasks?|agents?)\\b" },
  ],
  noise: ["^ {2}⎿\\s+(?:Tip|Next):", "^\\s+\\S+ \\S+ · /effort\\s*$", "^\\s+[◻◼✔☐☒□■] "],
  queued: "(?i)press up to edit queued",
  message: "^[●⏺] (?P<text>.*)$",
  dialogs: [
    {
      prompt: "input",
      when: "(?i)what do you want to do\\?[\\s\\S]*(?:wait for (?:the )?limit|limit (?:to )?reset|upgrade your plan)",
      limit: true,
    },
    { prompt: "input", when: "(?i)stop and wait for (?:the |your )?limit|/rate-limit-options", limit: true },
    {
      prompt: "trust",
      when: "(?i)is this a project you created or one you trust|do you trust the files|trust this folder",
    },
    {
      prompt: "login",
      when: "(?i)select login method|paste code here if prompted|login successful\\. press enter|use the url below to sign in",
    },
    {
      prompt: "plan",
      when: "(?i)exit plan mode|would you like to proceed\\?[\\s\\S]*(?:auto-accept|keep planning)|ready to code\\?",
    },
    { prompt: "input", when: "(?i)enter to select\\b" },
    {
      prompt: "permission",
      when: "(?i)do you want to (?:proceed|make this edit|create|allow|run|delete|overwrite|use)|requires approval|requires confirmation",
    },
    {
      prompt: "confirmation",
      when: "(?i)auto mode can[’']t check|make auto mode your default|press enter to continue|enter to confirm",
    },
  ],
  traits: {
    streamsReply: true,
    countsTokens: true,
    retriesSilently: false,
    ownTimeoutMs: 300_000,
    settleMs: 1200,
    marksEnd: true,
  },
  keys: { interrupt: ["\u001b"], submit: ["\r"], quit: ["\u0003", "\u0003"] },
  resume: {
    byId: ["claude", "--resume", "{session}"],
    latest: ["claude", "--continue"],
    headless: ["claude", "-p", "--resume", "{session}", "{text}"],
  },
};
