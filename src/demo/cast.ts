/** The six agents of the demo: their prompts, their problems and the expected outcomes. */
import type { ScriptStep } from "./agent/steps.js";

/**
 * Default speed of the agents' clocks. rouse acts on a hang after 330 s, so the demo takes about a minute; a typed key has
 * 5 s to appear on the screen, of which a busy machine needs a part.
 */
export const TIMES = 8;

export type Ending =
  | "left_alone" // no problem and no report
  | "recovered" // proven to work again, and finished
  | "escalated"; // reported to the user

export interface Member {
  name: string;
  prompt: string;
  /** The event that it plays. */
  plot: string;
  ending: Ending;
  steps: readonly ScriptStep[];
  /** Steps after its conversation is resumed. */
  resumed?: readonly ScriptStep[];
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A silent Node.js process: `sleep` would ignore the fast clocks. */
const tests = (ms: number): ScriptStep => ({
  do: "tool",
  command: [process.execPath, "-e", `setTimeout(() => {}, ${ms})`],
  shown: "npm test",
});
/** The prompt is on its command line, so it does not wait for input. */
const begin: readonly ScriptStep[] = [{ do: "boot", ms: 2 * SECOND }, { do: "idle" }];
const work: readonly ScriptStep[] = [
  { do: "think", ms: 8 * SECOND },
  {
    do: "stream",
    text: "Reading the code first, then fixing the failing cases and running the tests.",
    ms: 12 * SECOND,
  },
];
const goOn: readonly ScriptStep[] = [
  { do: "think", ms: 6 * SECOND },
  { do: "stream", text: "Continuing: the fix is written, only the tests are left.", ms: 25 * SECOND },
  tests(10 * SECOND),
  { do: "finish" },
];

export const CAST: readonly Member[] = [
  {
    name: "healthy",
    prompt: "run the whole test suite and fix what fails",
    plot: "two silent minutes of tests",
    ending: "left_alone",
    steps: [...begin, ...work, tests(2 * MINUTE), ...work, { do: "finish" }],
  },
  {
    name: "hang",
    prompt: "fix the parser",
    plot: "its stream dies",
    ending: "recovered",
    steps: [...begin, ...work, { do: "hang" }, { do: "idle" }, ...goOn],
  },
  {
    name: "permission",
    prompt: "publish the release",
    plot: "asks to force-push",
    ending: "escalated",
    steps: [...begin, ...work, { do: "ask", command: "git push --force origin main" }],
  },
  {
    name: "limit",
    prompt: "translate the manual",
    plot: "usage limit",
    ending: "recovered",
    steps: [...begin, ...work, { do: "limit", minutes: 3 }, { do: "idle" }, ...goOn],
  },
  {
    name: "loop",
    prompt: "find out why the build is slow",
    plot: "runs in circles",
    ending: "escalated",
    steps: [
      ...begin,
      ...work,
      { do: "loop", rounds: 10_000, everyMs: 3 * SECOND },
      { do: "idle" },
      { do: "loop", rounds: 10_000, everyMs: 3 * SECOND },
    ],
  },
  {
    name: "crash",
    prompt: "write the migration",
    plot: "killed by the system",
    ending: "recovered",
    steps: [...begin, ...work, { do: "crash" }],
    resumed: [...begin, ...goOn],
  },
];
