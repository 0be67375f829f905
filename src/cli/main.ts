/** The command line: one file per command, loaded only when it is asked for. */
import { Command, CommanderError } from "@commander-js/extra-typings";
import { complaintOfHome, rousePaths } from "../config/paths.js";
import { plainLine } from "../core/plain.js";
import { redact } from "../core/redact.js";
import { Refused, Unreachable } from "../daemon/client.js";
import { BadInput } from "../replay/bad-input.js";
import { COMMANDS, groupOf } from "./commands.js";
import { helpItem, helpList } from "./text/help.js";
import { readVersion } from "./version.js";
import { unknownCommand, withoutHelp } from "./wrong-command.js";
import { WrongOption } from "./wrong-option.js";

/** As wide as the terminal, up to where lines are hard to read. */
const HELP_WIDTH = Math.min(100, process.stdout.columns ?? 100);

/** 0 fine, 1 failed or trouble found, 2 bad usage, 69 daemon not reachable, 75 try again: the same for every command. */
async function main(): Promise<number> {
  const program = new Command("rouse")
    .description("Watches AI coding agents: tells what they are doing, and why it thinks so.")
    .version(readVersion())
    .exitOverride()
    .configureHelp({
      helpWidth: HELP_WIDTH,
      formatItem: (term, termWidth, text) => helpItem(term, termWidth, text, HELP_WIDTH),
      // Descriptions are prose: the terminal's width breaks them, and not that of the source.
      commandDescription: (command) => (command.description() || command.summary()).replaceAll("\n", " "),
      subcommandDescription: (command) => command.summary() || command.description().replaceAll("\n", " "),
    })
    .configureOutput({
      writeErr: (text) => process.stderr.write(safe(text)),
      // Whoever reads a script's output wants to know which program complains.
      outputError: (text, write) => write(text.replace(/^error: /, "rouse: ")),
    })
    .hook("preAction", () => {
      const complaint = complaintOfHome();
      if (complaint !== null) throw new WrongOption(complaint);
    })
    .addHelpText("after", () => helpList("Begin with:", FIRST_STEPS, HELP_WIDTH));
  let exit = 0;
  const args = withoutHelp(process.argv.slice(2));
  const [asked = ""] = args;
  const wanted = COMMANDS.filter(({ names }) => names.includes(asked));
  for (const { load } of wanted.length > 0 ? wanted : COMMANDS) {
    const add = await load();
    add(program, (code) => {
      exit = code;
    });
  }
  for (const command of program.commands) command.helpGroup(groupOf(command.name()));
  hint(program, "rouse");
  const unknown = unknownCommand(program, args);
  if (unknown !== null) return say(unknown, 2);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    return exitOf(error);
  }
  return exit;
}

const FIRST_STEPS = [
  ["rouse demo", "the whole of it on six scripted agents, in a minute"],
  ["rouse run -- claude", "an agent of yours, in this terminal, watched"],
  ["rouse status", "how everybody is; rouse why NAME has the evidence"],
] as const;

/** The part of a command that is looked at here; commander's own type knows each command's options. */
interface Hinted {
  readonly commands: readonly (Hinted & { name(): string })[];
  showHelpAfterError(text: string): unknown;
}

/** What to do after an error in the words of a command. */
function hint(command: Hinted, words: string): void {
  const has = command.commands.length > 0 ? "commands" : "options";
  command.showHelpAfterError(`("${words} --help" lists the ${has})`);
  for (const inner of command.commands) hint(inner, `${words} ${inner.name()}`);
}

function exitOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof BadInput) return say(error.message, error instanceof WrongOption ? 2 : 1);
  if (error instanceof Unreachable) {
    const start = 'start it with "rouse up", or start an agent with "rouse run" or "rouse spawn"';
    return say(`${error.message}; ${error.isDown ? start : 'try again; "rouse doctor" looks after it'}`, 69);
  }
  if (error instanceof Refused) return say(error.message, error.status === 503 ? 75 : 1);
  // The system's own refusal of a file or folder, such as a home that cannot be written: no fault of the program.
  const { code = "", syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && path === undefined && FULL.has(code))
    return say(
      `${(error as Error).message}: make room, and try again; rouse keeps its files in ${rousePaths().state}`,
      1,
    );
  if (code !== "" && syscall !== undefined && path !== undefined)
    return say(
      `${plainLine((error as Error).message)}${isOwn(path) ? '; "rouse doctor" looks after rouse\'s own folders' : ""}`,
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

/** What somebody typed is quoted in it: without control bytes, and without a secret that got into the wrong place. */
const safe = (text: string): string => redact(text.split("\n").map(plainLine).join("\n"));

function say(message: string, code: number): number {
  process.stderr.write(`rouse: ${safe(message)}\n`);
  return code;
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever reads us has seen enough (`| head`).
  if (error.code === "EPIPE") process.exit(0);
  // Beside an agent that runs, what fails costs the watching alone, and the command that runs it sees to that.
  if (process.listenerCount("uncaughtException") > 0) throw error;
  process.exit(say(`cannot write to standard output: ${error.message}`, 1));
});
process.exitCode = await main();
