/** `rouse spawn`: a detached agent, held by a small process that outlives this one and the daemon. */
import type { Command } from "@commander-js/extra-typings";
import type { ControlResult } from "../../api/control-result.js";
import { rousePaths } from "../../config/paths.js";
import { checkAgentLimits } from "../../core/agent-limits.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { clearStopped } from "../../daemon/self/stay-down.js";
import { BadInput } from "../../replay/bad-input.js";
import { type HostStartResult, startHost } from "../../terminal/start-host.js";
import {
  type AgentOptions,
  agentCommand,
  checkCommand,
  checkOptions,
  commandFor,
  reportUnwritten,
  specOf,
} from "../agent-options.js";
import { call } from "../client.js";
import { giveWork, READY_TEXT } from "../give-work.js";
import { livingSession } from "../host-client.js";
import { HOST_SCRIPT } from "../host-script.js";
import { parseDuration } from "../since.js";

const COLS = 120;
const ROWS = 40;

export function addSpawn(program: Command, setExit: (code: number) => void): void {
  agentCommand(program, "spawn")
    .option("--as <name>", "start an agent of your configuration ([agents.NAME]) for --task ID")
    .option("--different-approach", "with --as: try a different approach than the earlier sessions")
    .option("--directive <text>", "with --as: instructions added to its prompt")
    .option("--worktree", "with --as: work in a git worktree of its own")
    .option("--take-over", "with --as: also if an agent holds the task; it is stopped first")
    .option("--prompt <text>", "give it this prompt as soon as it is ready for input")
    .option("--timeout <duration>", READY_TEXT, parseDuration)
    .option("--json", "print JSON")
    .summary("Run a detached agent and watch it")
    .description(
      "Start a program detached, in its own terminal, and print the name of the agent. With --prompt, wait until it is ready\n" +
        "for input and give it the prompt; exits 1 if the prompt was not accepted. The agent keeps running.",
    )
    .addHelpText(
      "after",
      '\nExamples:\n  rouse spawn -- claude\n  rouse spawn --prompt "fix the failing test" -- codex\n  rouse attach claude\n  rouse stop claude\n  rouse spawn --task 7 --as claude\n',
    )
    .action(async (words, options, self) => {
      const refuse = (text: string): never => self.error(text, { exitCode: 2 });
      if (options.as !== undefined) {
        await spawnForTask(options.as, words, options, refuse);
        return;
      }
      const onlyWithAs = (["differentApproach", "directive", "worktree", "takeOver"] as const).find(
        (one) => options[one] !== undefined,
      );
      if (onlyWithAs !== undefined)
        refuse("error: --different-approach, --directive, --worktree and --take-over need --as NAME");
      await checkOptions(options, refuse);
      const command = await commandFor(words, options, refuse);
      const problem = checkCommand(command);
      if (problem) {
        process.stderr.write(`rouse: ${problem.text}\n`);
        setExit(problem.code);
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

interface TaskOptions extends AgentOptions {
  differentApproach?: true | undefined;
  directive?: string | undefined;
  worktree?: true | undefined;
  takeOver?: true | undefined;
  prompt?: string | undefined;
  json?: true | undefined;
}

/** The daemon holds the claim and starts the agent. */
async function spawnForTask(
  as: string,
  words: readonly string[],
  { task, name, differentApproach, directive, worktree, takeOver, prompt, preset, json }: TaskOptions,
  refuse: (text: string) => never,
): Promise<void> {
  if (words.length > 0 || prompt !== undefined || preset !== undefined)
    refuse(
      "error: --as takes the command and the prompt from your configuration; leave out the command, --prompt and --preset",
    );
  if (task === undefined || !/^\d{1,15}$/.test(task))
    refuse("error: --as needs the number of a task, such as `rouse spawn --task 7 --as claude`");
  const started = await call("spawn", {
    as,
    task,
    cwd: process.cwd(),
    ...(name === undefined ? {} : { name }),
    ...(differentApproach ? { approach: "different" } : {}),
    ...(directive === undefined ? {} : { directive }),
    ...(worktree ? { worktree: true } : {}),
    ...(takeOver ? { take_over: true } : {}),
  });
  process.stdout.write(json ? `${sanitizedJson(started)}\n` : `${sanitize(started.agent)}\n`);
  const { prompt: given } = started;
  if (given && given.result !== "done")
    process.stderr.write(
      `rouse: ${sanitize(`${started.agent} runs, but its prompt was not accepted: ${given.reason}`)}\n`,
    );
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
