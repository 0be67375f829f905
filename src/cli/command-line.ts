/** Runs one command and turns its errors into messages and exit codes. */
import { CommanderError } from "@commander-js/extra-typings";
import { ApiError } from "../api/error.js";
import { rousePaths } from "../config/paths.js";
import { sanitizeLine } from "../core/text/sanitize.js";
import { DaemonRefusal, DaemonUnreachable } from "../daemon/client.js";
import { BadInput } from "../replay/bad-input.js";
import { helpWidthOf } from "./help-store.js";
import { createProgram, safeErrorText } from "./program.js";
import { foldText } from "./text/width.js";
import { unknownCommand, withoutHelp } from "./wrong-command.js";
import { WrongOption } from "./wrong-option.js";

/** Exit codes: 0 success, 1 failure or problem found, 2 usage error, 69 daemon unavailable, 75 try again, 130 Ctrl-C. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  let exit = 0;
  const args = withoutHelp(words);
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
    const start = "start it with `rouse up`, or start an agent with `rouse run` or `rouse spawn`";
    return say(`${error.message}; ${error.isDown ? start : "try again, or run `rouse doctor`"}`, 69);
  }
  if (error instanceof ApiError) return say(error.message, error.kind === "unavailable" ? 75 : 1);
  if (error instanceof DaemonRefusal) return say(error.message, error.status === 503 ? 75 : 1);
  // The system refused access to a file or folder, such as a home that is not writable: no bug of rouse.
  const { code = "", syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && path === undefined && FULL.has(code))
    return say(
      `${(error as Error).message}: free some space and try again; rouse keeps its files in ${rousePaths().state}`,
      1,
    );
  if (TOO_MANY.has(code)) return say(TOO_MANY_FILES, 1);
  if (code !== "" && syscall !== undefined && path !== undefined) {
    const own = isOwn(path) ? "; set ROUSE_HOME to a folder that you can write to, or run `rouse doctor`" : "";
    const text = DENIED.has(code) ? `cannot access ${path}: permission denied` : (error as Error).message;
    return say(`${sanitizeLine(text)}${own}`, 1);
  }
  throw error;
}

/** The user may not use the file or folder. */
const DENIED: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

/** The limit of this process, or of the machine. */
const TOO_MANY: ReadonlySet<string> = new Set(["EMFILE", "ENFILE"]);
const TOO_MANY_FILES = "too many open files: raise the limit with `ulimit -n 1024` and try again";

/** Errors of a write without room; the system does not name the file. */
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** A file of rouse, or a folder above one. */
function isOwn(path: string): boolean {
  const { config, state, runtime } = rousePaths();
  return [config, state, runtime].some((folder) => path.startsWith(folder) || folder.startsWith(`${path}/`));
}

export function say(message: string, code: number): number {
  process.stderr.write(foldText(`rouse: ${safeErrorText(message)}\n`, process.stderr));
  return code;
}
