/** `rouse spawn`: a detached agent, held by a small process that outlives this one and the daemon. */
import type { Command } from "@commander-js/extra-typings";
import type { ControlResult } from "../../api/control-result.js";
import { ApiError } from "../../api/error.js";
import { rousePaths } from "../../config/paths.js";
import { checkAgentLimits } from "../../core/agent-limits.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { clearStopped } from "../../daemon/self/stay-down.js";
import { BadInput } from "../../replay/bad-input.js";
import { type HostStartResult, startHost } from "../../terminal/start-host.js";
import {
  type AgentOptions,
  agentCommand,
  agentNameOf,
  checkCommand,
  checkOptions,
  commandFor,
  environmentForDaemon,
  reportUnwritten,
  specOf,
} from "../agent-options.js";
import { call, type OperationInput } from "../client.js";
import { defined } from "../defined.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { giveWork, READY_TEXT } from "../give-work.js";
import { livingSession } from "../host-client.js";
import { HOST_SCRIPT } from "../host-script.js";
import { parseDuration } from "../since.js";
import { START_LIMIT_MS } from "../start-limit.js";

const COLS = 120;
const ROWS = 40;

export function addSpawn(program: Command, setExit: (code: number) => void): void {
  agentCommand(program, "spawn")
    .option("--as <name>", "start an agent of your configuration ([agents.NAME]) for --task ID")
    .option("--different-approach", "for a task: try a different approach than the earlier sessions")
    .option("--directive <text>", "for a task: instructions added to its prompt")
    .option("--worktree", "for a task: work in a git worktree of its own")
    .option("--take-over", "for a task: also if an agent holds it; that agent is stopped first")
    .option("--prompt <text>", "give it this prompt as soon as it is ready for input")
    .option("--timeout <duration>", READY_TEXT, parseDuration)
    .option("--json", "print JSON")
    .summary("Run a detached agent and watch it")
    .description(
      "Start a program detached, in its own terminal, and print the name of the agent. With --prompt, wait until it is ready\n" +
        "for input and give it the prompt; exits 1 if the prompt was not accepted. The agent keeps running.\n" +
        "With the number of a task (`rouse task list`), --task claims the task and gives the agent the task's prompt.",
    )
    .addHelpText(
      "after",
      '\nExamples:\n  rouse spawn -- claude\n  rouse spawn --prompt "fix the failing test" -- codex\n  rouse attach claude\n  rouse stop claude\n  rouse spawn --task 7 -- claude\n  rouse spawn --task 7 --as claude\n',
    )
    .action(async (words, options, self) => {
      const refuse = (text: string): never => self.error(text, { exitCode: 2 });
      if (options.as !== undefined) {
        if (words.length > 0 || FROM_CONFIGURATION.some((one) => options[one] !== undefined))
          refuse(
            "error: --as takes the command and its settings from your configuration; leave out the command, --preset, --kind, --policy and --tag",
          );
        if (!isTaskId(options.task))
          refuse("error: --as needs the number of a task, such as `rouse spawn --task 7 --as claude`");
        setExit(await spawnForTask(options.as, {}, options, refuse));
        return;
      }
      const isOfTask = FOR_TASKS.some((one) => options[one] !== undefined);
      if (isOfTask && !isTaskId(options.task))
        refuse(
          "error: --different-approach, --directive, --worktree and --take-over need --task with the number of a task",
        );
      await checkOptions(options, refuse);
      const command = await commandFor(words, options, refuse);
      const problem = checkCommand(command);
      if (problem) {
        process.stderr.write(`rouse: ${problem.text}\n`);
        setExit(problem.code);
        return;
      }
      if (isTaskId(options.task) && (isOfTask || (await isTask(options.task)))) {
        const { kind, policy, tag: tags } = options;
        const given = { command, env: environmentForDaemon(), ...defined({ kind, policy, tags }) };
        setExit(await spawnForTask(agentNameOf(command), given, options, refuse));
        return;
      }
      const spec = specOf(command, options, "spawn");
      const objection = checkAgentLimits(spec);
      if (objection !== null) throw new BadInput(`not started: ${objection}`);
      // A new agent is to be watched: that ends a "rouse down".
      clearStopped(rousePaths());
      // Undefined if the output is not a terminal, despite the types.
      const cols = process.stdout.columns || COLS;
      const rows = process.stdout.rows || ROWS;
      const started = await startHost({ spec, cols, rows }, { script: HOST_SCRIPT, paths: rousePaths() });
      if (started.error !== undefined) throw new BadInput(sanitize(started.error));
      reportUnwritten(rousePaths());
      const given = options.prompt === undefined ? null : await givePrompt(started, options.prompt, options.timeout);
      const shown = given === null ? started : { ...started, prompt: given };
      process.stdout.write(options.json ? `${sanitizedJson(shown)}\n` : `${started.name}\n`);
      if (given === null || given.result === "done") return;
      const why = `${started.name} runs, but the prompt was not accepted: ${given.reason}`;
      process.stderr.write(`rouse: ${sanitize(why)}\n`);
      setExit(1);
    });
}

const FROM_CONFIGURATION = ["preset", "kind", "policy", "tag"] as const;
const FOR_TASKS = ["differentApproach", "directive", "worktree", "takeOver"] as const;

const isTaskId = (task: string | undefined): task is string => task !== undefined && /^\d{1,15}$/.test(task);

interface TaskOptions extends AgentOptions {
  differentApproach?: true | undefined;
  directive?: string | undefined;
  worktree?: true | undefined;
  takeOver?: true | undefined;
  prompt?: string | undefined;
  json?: true | undefined;
}

/** The daemon holds the claim and starts the agent. Resolves with the exit code. */
async function spawnForTask(
  as: string,
  given: Partial<OperationInput<"spawn">>,
  { task, name, differentApproach, directive, worktree, takeOver, prompt, json }: TaskOptions,
  refuse: (text: string) => never,
): Promise<number> {
  if (prompt !== undefined)
    refuse(`error: the prompt is made from task ${task}; use --directive TEXT instead of --prompt`);
  clearStopped(rousePaths());
  await ensureDaemon();
  const more = defined({ task, name, directive, worktree, take_over: takeOver });
  const approach = differentApproach ? ({ approach: "different" } as const) : {};
  const started = await call("spawn", { ...given, as, cwd: process.cwd(), ...more, ...approach }, START_LIMIT_MS);
  process.stdout.write(json ? `${sanitizedJson(started)}\n` : `${sanitize(started.agent)}\n`);
  const { prompt: typed } = started;
  if (!typed || typed.result === "done") return 0;
  const why = `${started.agent} runs, but its prompt was not accepted: ${typed.reason}`;
  process.stderr.write(`rouse: ${sanitize(why)}\n`);
  return 1;
}

/** Another text, or a number that the hub does not know, is a label of the agent. */
async function isTask(task: string): Promise<boolean> {
  clearStopped(rousePaths());
  await ensureDaemon();
  try {
    await call("task", { task: Number(task) });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.kind === "unknown") return false;
    throw error;
  }
}

/** A refusal does not end the agent. */
function givePrompt(
  { session = "", name = "" }: HostStartResult,
  prompt: string,
  timeoutMs: number | undefined,
): Promise<ControlResult> {
  return giveWork(session, prompt, { timeoutMs }, () => livingSession(name, "cannot type into it")).catch(
    (error: Error) => ({
      result: "refused",
      reason: error.message,
      proven: null,
    }),
  );
}
