/** `rouse spawn`: a detached agent, held by a small process that outlives this one and the daemon. */
import type { Command } from "@commander-js/extra-typings";
import type { ControlResult } from "../../api/control-result.js";
import { rousePaths } from "../../config/paths.js";
import { checkAgentLimits } from "../../core/agent-limits.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { clearStopped } from "../../daemon/self/stay-down.js";
import { BadInput } from "../../replay/bad-input.js";
import { type HostStartResult, startHost } from "../../terminal/start-host.js";
import { agentCommand, checkCommand, checkOptions, commandFor, reportUnwritten, specOf } from "../agent-options.js";
import { giveWork, READY_TEXT } from "../give-work.js";
import { livingSession } from "../host-client.js";
import { HOST_SCRIPT } from "../host-script.js";
import { parseDuration } from "../since.js";

const COLS = 120;
const ROWS = 40;

export function addSpawn(program: Command, setExit: (code: number) => void): void {
  agentCommand(program, "spawn")
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
      '\nExamples:\n  rouse spawn -- claude\n  rouse spawn --prompt "fix the failing test" -- codex\n  rouse attach claude\n  rouse stop claude\n',
    )
    .action(async (words, options, self) => {
      const refuse = (text: string): never => self.error(text, { exitCode: 2 });
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
