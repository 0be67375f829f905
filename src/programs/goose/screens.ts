import { generic } from "../generic/screens.js";
import type { AgentProfile } from "../shared/profile.js";

/**
 * Goose, a line editor that scrolls. Its spinner turns only until the first text of a reply: while text streams or a
 * tool runs, nothing is drawn but that, so motion is read as for an unknown program. A duration closes every turn.
 */
export const goose: AgentProfile = {
  ...generic,
  id: "goose",
  programs: ["goose"],
  products: [],
  versions: { from: "1.34.0", to: "1.34.0" },
  titles: [],
  composer: {
    // `>` without emoji, `( O)>` in early releases. The line stays on the screen after it was sent, above the reply.
    first: "^(?:🪿|>|\\( O\\)>)(?: (?P<draft>.*))?$",
    not: null,
    top: null,
    bottom: null,
    more: null,
    belowMax: 0,
    hiddenMeansDialog: true,
    placeholders: [
      "^Enter to send\\b",
      "^Press Ctrl\\+C again to exit\\b",
      "^Interrupted, what should goose work on instead\\?",
    ],
  },
  rules: [
    {
      id: "goose-compacting",
      fact: "compacting",
      region: "status",
      when: "^[◐◑◒◓] {1,2}.*\\bcompacting the conversation\\b",
    },
    { id: "goose-busy", fact: "busy", region: "status", when: "^[◐◑◒◓] {1,2}\\S.*\\(Ctrl\\+C to interrupt\\)" },
    {
      id: "goose-ended",
      fact: "ended",
      region: "last",
      when: "^ {0,4}⏱\\x{FE0F}? {1,2}(?:Elapsed time: )?(?:\\d+(?:\\.\\d+)?[hms] ?)+$",
    },
    {
      id: "goose-interrupted",
      fact: "interrupted",
      region: "last",
      when: "^(?:Interrupted before the model replied and removed the last message\\.|Yes — what would you like me to do\\?)$",
    },
    // No spinner turns beside a running command. Of other tools the row says too little to be a sign of work.
    { id: "goose-busy-shell", fact: "busy", region: "last", when: "^ {2}▸ (?:\\S*__)?shell\\b" },
    { id: "goose-shell", fact: "tool", region: "last", when: "^ {4}command: (?P<command>\\S.*)$", class: "shell" },
    { id: "goose-tool", fact: "tool", region: "last", when: "^ {2}▸ (?P<subject>\\S.*)$", class: "other" },
    {
      id: "goose-failure",
      fact: "failure",
      region: "last",
      when: "^(?P<text>(?:Ran into this error trying to compact|Context length exceeded|Unable to continue): .*)",
      opens: true,
    },
    // The names of its own kinds of provider errors. Other words after "this error" may be a reply.
    {
      id: "goose-gave-up",
      fact: "failure",
      region: "last",
      when: "^(?P<text>Ran into this error: (?:Authentication error|Context length exceeded|Credits exhausted|Execution error|Network error|Rate limit exceeded|Request failed|Server error|Unsupported operation|Usage data error): .*)",
      opens: true,
      fallback: "api",
    },
    {
      id: "goose-exception",
      fact: "failure",
      region: "last",
      when: "^ {0,2}(?:error: )?(?P<text>The error above was an exception we were not able to handle\\.)",
      fallback: "api",
    },
    {
      id: "goose-context",
      fact: "failure",
      region: "last",
      when: "^(?P<text>The conversation is too long for the model's context window\\.)$",
    },
    ...generic.rules,
  ],
  noise: [...generic.noise, "^Cost: \\$\\d[\\d.]* USD\\b", "^Context: [●○]{10} \\d+% \\(", "^ {0,2}[─━═╌]{10,} \\d+% "],
  message: null,
  bareMessages: true,
  dialogs: [
    { prompt: "permission", when: "◆ {2}(?:Goose would like to call the above tool|Do you allow this tool call\\?)" },
    { prompt: "plan", when: "◆ {2}.*\\bact on this plan\\?" },
    { prompt: "confirmation", when: "◆ {2}[\\s\\S]*[●○] Yes / [●○] No" },
    { prompt: "input", when: "◆ {2}[\\s\\S]*● " },
  ],
  traits: {
    ...generic.traits,
    ownTimeoutMs: 600_000,
    marksEnd: true,
    titleReportsQuietTool: false,
    // Not observed.
    keepsInterruptedTurn: false,
  },
  // Only Ctrl+C stops a turn, and rouse never presses it: in early releases it leaves the program at an empty prompt.
  keys: { interrupt: [], submit: ["\r"], quit: ["\u0003", "\u0003"] },
  resume: {
    byId: ["goose", "session", "{options}", "--resume", "--session-id", "{session}"],
    latest: ["goose", "session", "{options}", "--resume"],
    headless: ["goose", "run", "{options}", "--resume", "--session-id", "{session}", "--text", "{text}"],
    headlessBy: ["run"],
    options: {
      flags: ["--debug"],
      values: [
        "--max-tool-repetitions",
        "--max-turns",
        "--model",
        "--output-format",
        "--provider",
        "--with-builtin",
        "--with-extension",
        "--with-streamable-http-extension",
      ],
      lists: [],
      over: ["-r", "--resume", "--history"],
      overWithValue: ["-n", "--name", "--session-id", "--id", "-t", "--text", "-i", "--instructions"],
    },
  },
};
