/** `rouse work`: agents work through the queue until it is empty. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { loadAgents } from "../../config/agents.js";
import { rousePaths } from "../../config/paths.js";
import { otherNames } from "../../config/suggest.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { isMarkedStopped } from "../../daemon/self/stay-down.js";
import { BadInput } from "../../replay/bad-input.js";
import { findProgram } from "../../terminal/find-program.js";
import { agentNameOf, checkOptions, environmentForDaemon } from "../agent-options.js";
import { call } from "../client.js";
import { defined } from "../defined.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { collectTags } from "../task-options.js";
import { foldText } from "../text/width.js";
import { PAUSE_MS, QueueRun, type QueueRunResult } from "../work/run-queue.js";
import { summaryText } from "./summary.js";

const MAX = 50;

export function addWork(program: Command, setExit: (code: number) => void): void {
  // Options after the command belong to the command.
  program.enablePositionalOptions();
  program
    .command("work")
    .passThroughOptions()
    .summary("Run agents over the queue of tasks until it is empty")
    .description(
      "Start an agent for the next task, wait until the task is done, failed or blocked, stop the agent, and take the next task.\n" +
        "Ctrl-C takes no more tasks and leaves running agents alone. Ends with a summary; exits 1 if a task failed, is blocked\n" +
        "or could not be started.",
    )
    .argument(
      "[command...]",
      "the program and its arguments, preferably after --; {prompt} or {prompt_file} in an argument",
    )
    .option("--as <name>", "start an agent of your configuration ([agents.NAME]) instead of a command")
    .option("--max <count>", "agents at once", parseMax, 1)
    .option("--project <name>", "only this project")
    .option("--task-kind <kind>", "only this kind of task")
    .option("--stage <stage>", "only this stage")
    .option("--task-tag <tag>", "only tasks with this tag; repeatable", collectTags)
    .option("--worktree", "each task in a git worktree of its own")
    .option("--directive <text>", "instructions added to each prompt")
    .option("--kind <kind>", "kind of program, if rouse cannot tell from its name")
    .option("--policy <name>", "recovery policy of the agents")
    .option("--json", "print JSON at the end")
    .addHelpText(
      "after",
      "\nExamples:\n  rouse work --max 3 -- claude\n  rouse work --as claude --worktree --project shop\n",
    )
    .action(async (command, options, self) => {
      const { as, max, project, taskKind, stage, taskTag, worktree, directive, kind, policy, json } = options;
      const refuse = (text: string): never => self.error(text, { exitCode: 2 });
      if (as !== undefined && (command.length > 0 || kind !== undefined || policy !== undefined))
        refuse("error: --as takes command, kind and policy from your configuration; leave them out");
      if (as === undefined && command.length === 0)
        refuse("error: name a program, such as `rouse work -- claude`, or use --as NAME");
      await checkOptions({ kind, policy }, refuse);
      if (as === undefined) checkProgram(command[0] ?? "");
      else checkAgent(as);
      await ensureDaemon();
      const since = Date.now();
      const stopping = interruption();
      const run = new QueueRun({
        call,
        as: as ?? agentNameOf(command),
        max,
        filter: defined({ project, kind: taskKind, stage, tags: taskTag }),
        order: {
          ...defined({ worktree, directive, policy, kind }),
          cwd: process.cwd(),
          ...(as === undefined ? { command, env: environmentForDaemon() } : {}),
        },
        print: (line) => (json ? process.stderr : process.stdout).write(foldText(`${line}\n`, process.stdout, 7)),
        now: Date.now,
        pause: () => stopping.pause(PAUSE_MS),
        isInterrupted: () => stopping.isAsked,
        restart: async () => !isMarkedStopped(rousePaths()) && ensureDaemon().then(() => true),
      });
      const result = await run.run().finally(() => stopping.end());
      const summary = await call("summary", { since }).catch(() => null);
      if (json) process.stdout.write(`${sanitizedJson({ ...result, summary })}\n`);
      else {
        process.stdout.write(foldText(endText(result), process.stdout, 2));
        if (summary !== null && result.started.length > 0)
          process.stdout.write(foldText(`\n${summaryText(summary, process.stdout)}`, process.stdout, 4));
      }
      const isComplete = result.skipped.length === 0 && result.tasks.every(({ status }) => status === "done");
      if (result.why === "interrupted") setExit(130);
      else if (result.why !== "empty" || !isComplete) setExit(1);
    });
}

function parseMax(value: string): number {
  const count = Number(value);
  if (/^\d{1,4}$/.test(value) && count >= 1 && count <= MAX) return count;
  throw new InvalidArgumentError(`It must be a number of agents from 1 to ${MAX}.`);
}

function checkProgram(file: string): void {
  const found = findProgram(file, process.env, process.cwd());
  if (found !== "found")
    throw new BadInput(
      `${JSON.stringify(sanitize(file, 80))} ${found === "missing" ? "was not found" : "cannot be run"}`,
    );
}

function checkAgent(name: string): void {
  const { agents } = loadAgents();
  if (agents.has(name)) return;
  throw new BadInput(
    agents.size === 0
      ? "no agent is configured; add [agents.NAME] with a command to your configuration"
      : `unknown agent ${JSON.stringify(sanitize(name, 80))} in [agents]; ${otherNames(name, [...agents.keys()])}`,
  );
}

function endText({ why, started, skipped, running }: QueueRunResult): string {
  const none = started.length === 0 && skipped.length === 0;
  const head = {
    empty: none
      ? "No task is ready. Add one with `rouse task add`; `rouse task list` shows the tasks that wait."
      : "No task is left to start.",
    interrupted: "Interrupted: no more tasks are taken.",
    budget: "The budget is used up: no more tasks are taken.",
    "daemon stopped": "The daemon was stopped: no more tasks are taken.",
  }[why];
  const rest = running.map(({ agent, task }) => `${sanitize(agent, 80)} keeps running on task ${task}.`);
  return `${[head, ...rest].join("\n")}\n`;
}

/** The first Ctrl-C ends the run in order; a second one ends the process. */
function interruption() {
  let wake = (): void => {};
  const state = {
    isAsked: false,
    pause: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        if (state.isAsked) return resolve();
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: (): void => {
      for (const signal of SIGNALS) process.off(signal, ask);
    },
  };
  const ask = (): void => {
    if (state.isAsked) process.exit(130);
    state.isAsked = true;
    wake();
  };
  for (const signal of SIGNALS) process.on(signal, ask);
  return state;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
