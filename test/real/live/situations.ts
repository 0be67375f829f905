/** The situations of the live table: what the model does, what rouse must report and by when, what it must never do. */
import type { Mood } from "../clients/client.js";
import { PROMPT } from "../scenarios.js";
import type { Action, Script, Step } from "../server/script.js";

export const PROGRAMS = ["claude-code", "codex", "gemini", "opencode"] as const;
export type ProgramName = (typeof PROGRAMS)[number];

export const SITUATIONS = [
  "hang",
  "permission",
  "limit",
  "kill",
  "loop",
  "finished",
  "start-only",
  "async",
  "starved",
] as const;
export type SituationName = (typeof SITUATIONS)[number];

export const LIVE_WAYS = ["spawn", "run", "tmux"] as const;
export type LiveWay = (typeof LIVE_WAYS)[number];

export interface Report {
  /** `state` or `state/cause`; any of them is right. */
  says: RegExp;
  /** The action of the server after which it is true; `started` and `killed` are actions of the test. */
  after: Action["did"] | "started" | "killed";
  /** In this reply or a later one. */
  reply?: number;
  /** The how-many-th such action; the last one without a number. */
  nth?: number;
  withinS: number;
}

export interface Situation {
  /** For the page: what happens, and what is right. */
  about: string;
  script: Script;
  mood?: Partial<Mood>;
  /** Nothing is typed: the program is only started. */
  isPromptless?: true;
  /** What the test does to the client's processes once the first report was made, or from the first request on. */
  does?: "kill" | "starve";
  reports: readonly Report[];
  /** How long the last report must hold. */
  holdsS: number;
  /** `complete` is true only after the end of this reply; without a number it is never true. */
  completesAt?: number;
  /** The conversation continues with this reply, and its request still contains the task. */
  recovers?: { reply: number; withinS: number };
  /** Nothing may be typed after the first report. */
  isUntouched?: true;
  /** A message of this type is sent, within the time of the last report. */
  sends?: string;
  /** The move is the user's, with the question, and the agent counts as unhealthy. */
  asksUser?: true;
}

const FIRST_WORDS = "I'll look at the code first.";
const check: readonly Step[] = [
  { do: "text", text: FIRST_WORDS, ms: 300 },
  { do: "call", tool: "read", path: "calc.mjs" },
];
const half: Step = { do: "text", text: "The function subtracts where it must add. I will change", ms: 1000 };
const test: readonly Step[] = [
  { do: "text", text: "Now the test.", ms: 500 },
  { do: "call", tool: "shell", command: "node slow-test.mjs 1" },
];
const done: readonly Step[] = [
  { do: "text", text: "The sign in `add` was wrong. It is fixed, and the test passes.", ms: 800 },
];

const HANG_S = 120;
const RECOVERY_S = 720;
const RESET_S = 60;

/** The request after a recovery still has these. */
export const TASK: readonly string[] = [PROMPT];

const hang: Situation = {
  about: "A reply stops in mid-sentence and only keep-alives arrive: a stall, then a recovery that keeps the task.",
  script: [check, [half, { do: "stall", pingMs: 5000 }], test, done],
  reports: [{ says: /^stuck\/silent_stream$/, after: "stall", withinS: HANG_S }],
  holdsS: 0,
  completesAt: 3,
  recovers: { reply: 2, withinS: RECOVERY_S },
};

const permission: Situation = {
  about: "A command needs approval: the question is reported, and no key is pressed.",
  script: [check, [{ do: "call", tool: "shell", command: "node slow-test.mjs 1 > result.txt", asks: true }], done],
  mood: { asks: true },
  reports: [{ says: /^needs_input\/permission$/, after: "end", reply: 1, withinS: 15 }],
  holdsS: 25,
  isUntouched: true,
  sends: "worker.needs_input",
  asksUser: true,
};

const limit: Situation = {
  about: "A usage limit with a known reset: the limit is reported, and the work continues after the reset.",
  script: [check, [{ do: "fail", kind: "usage_limit", resetsInS: RESET_S, holds: true }], test, done],
  mood: { account: "plan" },
  reports: [{ says: /^rate_limited/, after: "fail", withinS: 15 }],
  holdsS: 0,
  completesAt: 3,
  recovers: { reply: 2, withinS: 420 },
};

/** A menu that only a user can answer, without a time at which the limit ends. The state is the limit, the problem the question. */
const limitMenu: Situation = {
  ...limit,
  about: "The quota of the day is used up, and a menu asks what to do: the user is asked at once, no key is pressed.",
  reports: [{ says: /^(needs_input|rate_limited)/, after: "fail", withinS: 15 }],
  holdsS: 40,
  isUntouched: true,
  sends: "worker.needs_input",
  asksUser: true,
};
delete limitMenu.recovers;
delete limitMenu.completesAt;

/** The program waits for the announced time by itself. */
const limitRetry: Situation = {
  ...limit,
  script: [check, [{ do: "fail", kind: "rate_limit", resetsInS: RESET_S, holds: true }], test, done],
  reports: [{ says: /^(waiting\/retry|rate_limited)/, after: "fail", withinS: 15 }],
};

const kill: Situation = {
  about: "The program is killed in mid-turn: reported as a crash; a spawned agent is resumed with its task.",
  script: [check, [half, { do: "stall" }], test, done],
  does: "kill",
  reports: [
    { says: /^working$/, after: "stall", withinS: 15 },
    { says: /^gone/, after: "killed", withinS: 15 },
  ],
  holdsS: 0,
  completesAt: 3,
  recovers: { reply: 2, withinS: 420 },
};

/** An agent in the user's terminal or pane is not started again. */
const killUnowned: Situation = { ...kill, holdsS: 60, isUntouched: true };
delete killUnowned.recovers;
delete killUnowned.completesAt;

const loop: Situation = {
  about: "The same command fails again and again: reported by the sixth time at the latest.",
  script: [check, [{ do: "call", tool: "shell", command: "node missing.mjs" }]],
  reports: [{ says: /^stuck\/(loop|repeated_error|no_progress)$/, after: "call", reply: 1, nth: 4, withinS: 30 }],
  holdsS: 0,
};

/** It has a detector of its own, which asks at the fifth equal call. */
const loopMenu: Situation = {
  ...loop,
  reports: [{ ...(loop.reports[0] as Report), says: /^(stuck\/(loop|repeated_error|no_progress)|needs_input.*)$/ }],
};

const finished: Situation = {
  about: "A normal turn ends with words that look like problems: complete, once, and nothing is typed.",
  script: [
    check,
    [{ do: "call", tool: "shell", command: "node slow-test.mjs 2" }],
    [
      {
        do: "text",
        text: "Fixed. The log says `Error: rate limit exceeded, retrying in 30s`; that line is from the fixture and harmless. The test passes.",
        ms: 1500,
      },
    ],
  ],
  reports: [
    { says: /^(working|waiting.*)$/, after: "request", reply: 0, withinS: 15 },
    { says: /^complete$/, after: "end", reply: 2, withinS: 10 },
  ],
  holdsS: 45,
  completesAt: 2,
  isUntouched: true,
};

const startOnly: Situation = {
  about: "The program is only started: idle, without any message.",
  script: [done],
  isPromptless: true,
  reports: [{ says: /^idle$/, after: "started", withinS: 180 }],
  holdsS: 45,
  isUntouched: true,
};

const BACKGROUND_S = 75;
const launched: readonly Step[] = [
  { do: "text", text: "The long test runs in the background. I will report its result when it ends.", ms: 800 },
];

const background: readonly Step[] = [
  { do: "call", tool: "shell", command: `node slow-test.mjs ${BACKGROUND_S}`, background: true },
];

const async: Situation = {
  about: "The turn ends while a command of it runs in the background: a wait until the program continues by itself.",
  script: [check, background, launched, done],
  reports: [
    { says: /^waiting\/(background|tool|subagent)$/, after: "end", reply: 2, withinS: 15 },
    { says: /^complete$/, after: "end", reply: 3, withinS: 15 },
  ],
  holdsS: 10,
  completesAt: 3,
};

/** Its turn is not continued by the end of the command. */
const asyncUnannounced: Situation = {
  ...async,
  about: "The turn ends while a command of it runs in the background: a wait while the command runs.",
  reports: [async.reports[0] as Report],
  holdsS: 30,
  completesAt: 2,
  isUntouched: true,
};

/** No sentence twice: Gemini CLI asks about a reply that repeats itself. */
const SLOW_REPLY = ["adds", "reads", "writes", "checks", "returns", "rounds"]
  .flatMap((verb) => ["left", "right", "first", "second", "last"].map((which) => `It ${verb} the ${which} operand. `))
  .join("");

const starved: Situation = {
  about: "A healthy turn while the program gets almost no CPU time: never a stall.",
  script: [
    check,
    [
      { do: "text", text: SLOW_REPLY, ms: 60_000 },
      { do: "call", tool: "shell", command: "node slow-test.mjs 2" },
    ],
    done,
  ],
  does: "starve",
  reports: [
    { says: /^(working|waiting.*)$/, after: "request", reply: 0, withinS: 60 },
    { says: /^complete$/, after: "end", reply: 2, withinS: 60 },
  ],
  holdsS: 10,
  completesAt: 2,
  isUntouched: true,
};

const COMMON: Record<SituationName, Situation> = {
  hang,
  permission,
  limit,
  kill,
  loop,
  finished,
  "start-only": startOnly,
  async,
  starved,
};

const OWN: Partial<Record<ProgramName, Partial<Record<SituationName, Situation | string>>>> = {
  codex: { async: asyncUnannounced },
  gemini: { limit: limitMenu, loop: loopMenu, async: asyncUnannounced },
  opencode: { limit: limitRetry, async: "its shell tool leaves no command behind" },
};

/** A text instead of a situation says why the cell does not apply. */
export function situationOf(program: ProgramName, name: SituationName, way: LiveWay): Situation | string {
  const own = OWN[program]?.[name] ?? COMMON[name];
  if (name === "kill" && way !== "spawn" && typeof own !== "string") return killUnowned;
  return own;
}
