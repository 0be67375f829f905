/** The same story of Claude Code, judged by its transcript alone and with the calls of its hooks beside it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClaudeLines } from "../support/claude-lines.js";
import { JudgeRig } from "../support/judge-rig.js";

type Work = "command" | "server" | "agent" | "timer";
type Ending = "result" | "promise" | "question";

interface Turn {
  works: { work: Work; takesS: number }[];
  ending: Ending;
  /** Seconds at the prompt before what follows. */
  restS: number;
  /** A user's prompt, or the end of the first work that the turn left. */
  next: "prompt" | "notification";
  /** The hooks have the details of a result and the lists of what continues, or only texts, as in older releases. */
  hasDetails: boolean;
}

const TEXTS: Record<Ending, string> = {
  result: "The change is done and all tests pass.",
  promise: "The build is running. I will report when it has finished.",
  question: "Should I use port 80 or port 8080?",
};
const RIGHT: Record<"running" | "pending" | Ending, RegExp> = {
  running: /^(?:working|waiting)/,
  pending: /^waiting\/(?:background|timer)/,
  result: /^complete/,
  promise: /^(?:complete|stuck\/stopped_early)/,
  question: /^needs_input\/input/,
};

interface Moment {
  t: number;
  truth: keyof typeof RIGHT;
}

/** Plays the story into both sessions, and returns when each had to say what. */
function play(turns: readonly Turn[], plain: JudgeRig, hooked: JudgeRig, check: (moment: Moment) => void): void {
  let t = 0;
  let calls = 0;
  const left = new Map<string, Work>();
  const lines = (write: (lines: ClaudeLines) => void): void => {
    const line = new ClaudeLines("2.1.325");
    write(line);
    plain.lines(line);
    hooked.lines(line);
  };
  for (const { works, ending, restS, next, hasDetails } of turns) {
    const woken = left.keys().next().value;
    const byUser = t === 0 || woken === undefined || next === "prompt";
    if (byUser) hooked.hook(t, "UserPromptSubmit", { prompt: "Go on." });
    if (!byUser && woken !== undefined) {
      left.delete(woken);
      lines((line) => line.notification(t, woken));
    } else lines((line) => line.prompt(t, "Go on."));
    for (const { work, takesS } of works) {
      const id = `call-${calls++}`;
      const { tool, input, response, text } = callOf(work, id);
      hooked.hook(t + 1, "PreToolUse", { tool_use_id: id, tool_name: tool, tool_input: input });
      lines((line) => line.calls(t + 1, id, tool, input));
      check({ t: t + 1 + takesS / 2, truth: "running" });
      t += 1 + takesS;
      hooked.hook(t, "PostToolUse", {
        tool_use_id: id,
        tool_name: tool,
        tool_input: input,
        tool_response: hasDetails && response ? response : text,
      });
      lines((line) => line.result(t, id, text, response ?? {}));
      if (work !== "command") left.set(id, work);
      check({ t: t + 0.5, truth: "running" });
    }
    t += 3;
    const tasks = [...left].filter(([, work]) => work !== "timer").map(([id]) => ({ id, status: "running" }));
    const crons = [...left].filter(([, work]) => work === "timer").map(([id]) => ({ id }));
    lines((line) => line.says(t, TEXTS[ending]).turnEnds(t));
    hooked.hook(t, "Stop", {
      last_assistant_message: TEXTS[ending],
      ...(hasDetails ? { background_tasks: tasks, session_crons: crons } : {}),
    });
    check({ t: t + restS / 2, truth: left.size > 0 && ending !== "question" ? "pending" : ending });
    t += restS;
  }
}

function callOf(work: Work, id: string): { tool: string; input: object; response?: object; text: string } {
  switch (work) {
    case "command":
      return { tool: "Bash", input: { command: `cat ${id}` }, text: id };
    case "server":
      return {
        tool: "Bash",
        input: { command: `make ${id}`, run_in_background: true },
        response: { backgroundTaskId: `t-${id}` },
        text: `Command running in background with ID: t-${id}`,
      };
    case "agent":
      return {
        tool: "Agent",
        input: { description: id, prompt: "Look." },
        response: { isAsync: true, status: "async_launched", agentId: `a-${id}` },
        text: "Async agent launched successfully.",
      };
    case "timer":
      return {
        tool: "ScheduleWakeup",
        input: { delaySeconds: 3600, reason: id },
        text: "Next wakeup scheduled for 10:00:00 (in 3600s).",
      };
  }
}

const turn: fc.Arbitrary<Turn> = fc.record({
  works: fc.array(
    fc.record({
      work: fc.constantFrom<Work>("command", "command", "server", "agent", "timer"),
      takesS: fc.constantFrom(1, 5, 20),
    }),
    { maxLength: 4 },
  ),
  ending: fc.constantFrom<Ending>("result", "promise", "question"),
  restS: fc.constantFrom(20, 90, 300),
  next: fc.constantFrom("prompt", "notification"),
  hasDetails: fc.boolean(),
});

describe("hooks", () => {
  it("never make a verdict wrong that is right without them", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 5 }), (turns) => {
        const plain = new JudgeRig();
        const hooked = new JudgeRig();
        play(turns, plain, hooked, ({ t, truth }) => {
          const without = plain.at(t);
          const said = hooked.at(t);
          const isRight = RIGHT[truth].test(said) || !RIGHT[truth].test(without);
          if (!isRight)
            expect(`${t} ${truth}: ${said}, without hooks ${without}; ${hooked.full(t).reasons.join(" · ")}`).toBe(
              "right",
            );
        });
      }),
      { numRuns: process.env.ROUSE_FULL ? 5000 : 300 },
    );
  });
});
