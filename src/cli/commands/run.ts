/** `rouse run`: runs an agent in this terminal and watches it. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { appendLine } from "../../config/log-file.js";
import { logLine } from "../../config/log-line.js";
import { checkFolders, rousePaths } from "../../config/paths.js";
import { checkAgentLimits } from "../../core/agent-limits.js";
import { sanitizeLine } from "../../core/text/sanitize.js";
import { clearStopped } from "../../daemon/self/stay-down.js";
import type { HostSpec } from "../../terminal/host-options.js";
import type { PtyExit } from "../../terminal/pty.js";
import type { SpecWithoutName } from "../../terminal/start-host.js";
import { agentCommand, checkCommand, checkOptions, commandFor, reportUnwritten, specOf } from "../agent-options.js";
import { keysRefused, nameFor, startDaemon } from "../agent-spec.js";

export function addRun(program: Command, _setExit: (code: number) => void): void {
  agentCommand(program, "run")
    .summary("Run an agent in this terminal and watch it")
    .description(
      "Run a program in this terminal. Keys, size, colours, exit code and signals are passed through unchanged. If standard\n" +
        "input or output is not a terminal, the program inherits it.",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  rouse run -- claude\n  rouse run --name api --tag work -- codex --full-auto\n",
    )
    .action(async (given, options, self) => {
      const refuse = (text: string): never => self.error(text, { exitCode: 2 });
      await checkOptions(options, refuse);
      const command = await commandFor(given, options, refuse);
      const problem = checkCommand(command);
      if (problem) {
        process.stderr.write(`rouse: ${problem.text}\n`);
        process.exit(problem.code);
      }
      // A new agent is to be watched: that ends a "rouse down".
      clearStopped(rousePaths());
      endLike(await runWatched(specOf(command, options, "run")));
    });
}

async function runWatched(wanted: SpecWithoutName): Promise<PtyExit> {
  const { releaseName } = await import("../../terminal/names.js");
  const paths = rousePaths();
  const spec = nameFor(wanted);
  const objection = checkFolders(paths) ?? checkAgentLimits(spec);
  if (objection !== null) return runUnwatched(spec, objection);
  reportUnwritten(paths);
  try {
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
    const run = isTerminal
      ? (await import("../../terminal/foreground.js")).runForeground
      : (await import("../../terminal/piped.js")).runPiped;
    return await run({ spec, paths, env: process.env, startDaemon, keysRefused, log: logOf(spec.name) });
  } catch (error) {
    return runUnwatched(spec, (error as Error).message);
  } finally {
    releaseName(paths, spec.name);
  }
}

/** If rouse cannot watch the agent, the agent still runs. */
function runUnwatched({ name, command }: HostSpec, reason: string): Promise<PtyExit> {
  process.stderr.write(`rouse: ${name} runs unwatched: ${sanitizeLine(reason)}\n`);
  const [file = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: "inherit" });
    for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, () => {});
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    child.on("error", () => resolve({ code: 126, signal: null }));
    child.on("exit", (code, signal) => resolve({ code, signal: signal ? constants.signals[signal] : null }));
  });
}

/** Problems of rouse go to a file, because the terminal belongs to the agent. */
function logOf(name: string): (text: string) => void {
  return (text) => {
    try {
      appendLine(join(rousePaths().state, "run.log"), logLine(name, text));
    } catch {
      // There is no other place to report it.
    }
  };
}

/** Signals that end Node.js as they end the agent. Node.js handles others itself, or they leave a core file of rouse. */
const RAISED = new Set(["SIGHUP", "SIGINT", "SIGTERM", "SIGKILL"]);

/** Ends this process as the agent ended: the parent process sees the same exit code or signal. */
function endLike({ code, signal }: PtyExit): never {
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] as
    | NodeJS.Signals
    | undefined;
  if (name && RAISED.has(name)) {
    process.removeAllListeners(name);
    process.kill(process.pid, name);
    // Delivery is usually immediate; allow it a moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  process.exit(signal === null ? (code ?? 1) : 128 + signal);
}
