/** The scenarios of real clients: what the model does, what rouse must report, and how soon. */
import type { Mood } from "./clients/client.js";
import type { Action, Script, Step } from "./server/script.js";

export interface Expected {
  /** `state` or `state/cause`. */
  says: string;
  /** The same from outside, without what an unowned pane cannot show. */
  watched?: string;
  /** The action after which it is true, as the server saw it; `killed` is the test's own action. */
  after: Action["did"] | "killed";
  /** In this reply or a later one; by default in the script's last one. */
  reply?: number;
  withinS: number;
  /**
   * Reported while the client retries by itself: that may take a while, and the moment of truth moves with each
   * attempt.
   */
  meanwhile?: readonly string[];
}

export interface Scenario {
  name: string;
  script: Script;
  mood?: Partial<Mood>;
  expects: readonly Expected[];
  /** It has rouse's MCP server, added as documented. */
  mcp?: true;
  /** Done by the test when the first of these was seen. */
  kills?: true;
  /** How long the last verdict must hold. */
  holdsS?: number;
  /** The verdict must name the end of the limit: this many seconds after it was hit. */
  untilS?: number;
}

export const PROMPT = "Fix the failing test in this project.";

/** In the project of each case. */
export const PROJECT = {
  "calc.mjs": "export const add = (a, b) => a - b;\n",
  "slow-test.mjs": 'setTimeout(() => console.log("all passed"), Number(process.argv[2]) * 1000);\n',
};

/** Longer than the silence threshold: only the running command explains it. */
const LONG_S = 115;
const RESET_S = 7200;
/** The freeze clock is 100 s; two checks, a poll and a busy machine come on top. */
const HANG_S = 125;

const check: readonly Step[] = [
  { do: "think", text: "The test fails, so the first thing to see is the code that it tests.", ms: 800 },
  { do: "text", text: "I'll look at the code first.", ms: 300 },
  { do: "call", tool: "read", path: "calc.mjs" },
];
const done: readonly Step[] = [
  { do: "text", text: "The sign in `add` was wrong. It is mended, and the test passes.", ms: 1500 },
];
const halfway: Step = {
  do: "text",
  text: "The function subtracts where it must add. I will change the operator and then",
  ms: 1500,
};

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "normal",
    script: [check, [{ do: "call", tool: "shell", command: "node slow-test.mjs 2" }], done],
    expects: [
      { says: "working", after: "request", reply: 0, withinS: 5 },
      { says: "complete", after: "end", withinS: 5 },
    ],
  },
  {
    name: "silent hang",
    script: [check, [halfway, { do: "stall" }]],
    expects: [{ says: "stuck/silent_stream", after: "stall", withinS: HANG_S }],
  },
  {
    name: "pings-only hang",
    script: [check, [halfway, { do: "stall", pingMs: 5000 }]],
    expects: [{ says: "stuck/silent_stream", after: "stall", withinS: HANG_S }],
  },
  {
    name: "long command",
    script: [check, [{ do: "call", tool: "shell", command: `node slow-test.mjs ${LONG_S}` }], done],
    expects: [
      { says: "waiting/tool", after: "call", reply: 1, withinS: 30 },
      { says: "complete", after: "end", withinS: 5 },
    ],
  },
  {
    name: "permission",
    script: [check, [{ do: "call", tool: "shell", command: "node slow-test.mjs 1 > result.txt", asks: true }], done],
    mood: { asks: true },
    expects: [{ says: "needs_input/permission", after: "end", reply: 1, withinS: 5 }],
  },
  {
    name: "question",
    script: [check, [{ do: "text", text: "Both are possible. Should I change calc.mjs or the test?", ms: 800 }]],
    expects: [{ says: "needs_input/input", after: "end", withinS: 5 }],
  },
  {
    name: "usage limit",
    script: [check, [{ do: "fail", kind: "usage_limit", resetsInS: RESET_S }]],
    mood: { account: "plan" },
    expects: [{ says: "rate_limited/limit", after: "fail", withinS: 10 }],
    untilS: RESET_S,
  },
  {
    // Claude Code tries three times, ten times inside tmux; Codex tries five times.
    name: "529",
    script: [check, [{ do: "fail", kind: "overloaded" }]],
    expects: [{ says: "error/api", after: "fail", withinS: 10, meanwhile: ["waiting/retry", "working"] }],
  },
  {
    name: "crash",
    script: [check, [halfway, { do: "stall" }]],
    expects: [
      { says: "working", after: "stall", withinS: 10 },
      // The parent process knows the signal; tmux does not keep it.
      { says: "gone/crash", watched: "gone", after: "killed", withinS: 10 },
    ],
    kills: true,
  },
];
