/** The command line: one file per command, loaded only when it is asked for. */
import { CommanderError } from "@commander-js/extra-typings";
import { ApiError } from "../api/error.js";
import { rousePaths } from "../config/paths.js";
import { sanitizeLine } from "../core/text/sanitize.js";
import { DaemonRefusal, DaemonUnreachable } from "../daemon/client.js";
import { BadInput } from "../replay/bad-input.js";
import { helpWidthOf } from "./help-store.js";
import { createProgram, safe } from "./program.js";
import { unknownCommand, withoutHelp } from "./wrong-command.js";
import { WrongOption } from "./wrong-option.js";

/** 0 fine, 1 failed or problem found, 2 bad usage, 69 daemon not reachable, 75 try again: the same for every command. */
async function main(): Promise<number> {
  let exit = 0;
  const args = withoutHelp(process.argv.slice(2));
  const program = await createProgram(args[0] ?? "", helpWidthOf(process.stdout.columns), (code) => {
    exit = code;
  });
  const unknown = unknownCommand(program, args);
  if (unknown !== null) return say(unknown, 2);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    return exitOf(error);
  }
  return exit;
}

function exitOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof BadInput) return say(error.message, error instanceof WrongOption ? 2 : 1);
  if (error instanceof DaemonUnreachable) {
    const start = 'start it with "rouse up", or start an agent with "rouse run" or "rouse spawn"';
    return say(`${error.message}; ${error.isDown ? start : 'try again; "rouse doctor" looks after it'}`, 69);
  }
  if (error instanceof ApiError) return say(error.message, 1);
  if (error instanceof DaemonRefusal) return say(error.message, error.status === 503 ? 75 : 1);
  // The system's own refusal of a file or folder, such as a home that cannot be written: no fault of the program.
  const { code = "", syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && path === undefined && FULL.has(code))
    return say(
      `${(error as Error).message}: make room, and try again; rouse keeps its files in ${rousePaths().state}`,
      1,
    );
  if (code !== "" && syscall !== undefined && path !== undefined)
    return say(
      `${sanitizeLine((error as Error).message)}${isOwn(path) ? '; "rouse doctor" looks after rouse\'s own folders' : ""}`,
      1,
    );
  throw error;
}

/** What a write says that found no room: the system does not name the file. */
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** A file of rouse's own, or a folder that is missing above one. */
function isOwn(path: string): boolean {
  const { config, state, runtime } = rousePaths();
  return [config, state, runtime].some((folder) => path.startsWith(folder) || folder.startsWith(`${path}/`));
}

function say(message: string, code: number): number {
  process.stderr.write(`rouse: ${safe(message)}\n`);
  return code;
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever reads us has seen enough (`| textHead`).
  if (error.code === "EPIPE") process.exit(0);
  // Beside an agent that runs, what fails costs the watching alone, and the command that runs it sees to that.
  if (process.listenerCount("uncaughtException") > 0) throw error;
  process.exit(say(`cannot write to standard output: ${error.message}`, 1));
});
process.exitCode = await main();
