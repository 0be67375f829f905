/** The six agents of the demo: what each was asked, what goes wrong with it, and how rouse is expected to leave it. */
import type { ScriptStep } from "./agent/steps.js";

/**
 * How many times as fast as a real clock theirs run, when nobody says otherwise. A hang is acted on after 330 s, which
 * leaves about a minute; but a key has 5 s to be seen on a screen, which a busy machine needs some part of.
 */
export const TIMES = 8;

export type Ending =
  | "left_alone" // nothing was wrong, and nothing was said
  | "recovered" // work was proven to go on, and it finished
  | "escalated"; // a human has it

export interface Member {
  name: string;
  prompt: string;
  /** What happens to it, in few words. */
  plot: string;
  ending: Ending;
  steps: readonly ScriptStep[];
  /** When it is called to take its conversation up again. */
  resumed?: readonly ScriptStep[];
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A silent child of Node.js: `sleep` would know nothing of the fast clocks. */
const tests = (ms: number): ScriptStep => ({
  do: "tool",
  command: [process.execPath, "-e", `setTimeout(() => {}, ${ms})`],
  shown: "npm test",
});
/** Its prompt is on its command line, so it waits for nobody at its composer. */
const begin: readonly ScriptStep[] = [{ do: "boot", ms: 2 * SECOND }, { do: "idle" }];
const work: readonly ScriptStep[] = [
  { do: "think", ms: 8 * SECOND },
  { do: "stream", text: "I read the code first, then I mend what is broken and run the tests.", ms: 12 * SECOND },
];
const goOn: readonly ScriptStep[] = [
  { do: "think", ms: 6 * SECOND },
  { do: "stream", text: "I go on where I was: the fix is written, only the tests are left.", ms: 25 * SECOND },
  tests(10 * SECOND),
  { do: "finish" },
];

export const CAST: readonly Member[] = [
  {
    name: "healthy",
    prompt: "run the whole test suite and mend what fails",
    plot: "two silent minutes of tests",
    ending: "left_alone",
    steps: [...begin, ...work, tests(2 * MINUTE), ...work, { do: "finish" }],
  },
  {
    name: "hang",
    prompt: "mend the parser",
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
