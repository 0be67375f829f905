/** `rouse spawn`: a detached agent, held by a small process that outlives this one and the daemon. */
import type { Command } from "@commander-js/extra-typings";
import { rousePaths } from "../../config/paths.js";
import { checkAgentLimits } from "../../core/agent-limits.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { clearStopped } from "../../daemon/self/stay-down.js";
import { BadInput } from "../../replay/bad-input.js";
import { startHost } from "../../terminal/start-host.js";
import { agentCommand, checkCommand, checkOptions, commandFor, reportUnwritten, specOf } from "../agent-options.js";
import { HOST_SCRIPT } from "../host-script.js";

const COLS = 120;
const ROWS = 40;

export function addSpawn(program: Command, setExit: (code: number) => void): void {
  agentCommand(program, "spawn")
    .option("--json", "print JSON")
    .summary("Run a detached agent and watch it")
    .description("Start a program detached, in its own terminal, and print the name of the agent.")
    .addHelpText("after", "\nExamples:\n  rouse spawn -- claude\n  rouse attach claude\n  rouse stop claude\n")
    .action(async (given, options, self) => {
      const refuse = (text: string): never => self.error(text, { exitCode: 2 });
      await checkOptions(options, refuse);
      const command = await commandFor(given, options, refuse);
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
      process.stdout.write(options.json ? `${sanitizedJson(started)}\n` : `${started.name}\n`);
    });
}
