/** The commander program, with help at a given width. */
import { Command } from "@commander-js/extra-typings";
import { checkHome } from "../config/paths.js";
import { redact } from "../core/text/redact.js";
import { sanitizeLine } from "../core/text/sanitize.js";
import { COMMANDS, groupOf } from "./commands.js";
import { helpItem, helpList } from "./text/help.js";
import { foldText } from "./text/width.js";
import { readVersion } from "./version.js";
import { WrongOption } from "./wrong-option.js";

const FIRST_STEPS = [
  ["rouse demo", "run six scripted agents under rouse (one minute)"],
  ["rouse run -- claude", "run your agent in this terminal and watch it"],
  ["rouse status", "show all agents; `rouse why NAME` shows the evidence"],
] as const;

/** With the requested command only, or with all if there is none of that name. */
export async function createProgram(
  asked: string,
  helpWidth: number,
  setExit: (code: number) => void,
): Promise<Command> {
  const program = new Command("rouse")
    .description("Watch AI coding agents, explain why one stalls, and get it working again.")
    .version(readVersion())
    .exitOverride()
    .configureHelp({
      helpWidth,
      formatItem: (term, termWidth, text) => helpItem(term, termWidth, text, helpWidth),
      // Descriptions are prose: wrapped at the width of the terminal, not of the source.
      commandDescription: (command) => (command.description() || command.summary()).replaceAll("\n", " "),
      subcommandDescription: (command) => command.summary() || command.description().replaceAll("\n", " "),
    })
    .configureOutput({
      writeErr: (text) => process.stderr.write(foldText(safeErrorText(text), process.stderr)),
      // In the output of a script, errors must name the program.
      outputError: (text, write) =>
        write(text.replace(/^error: (?:command-argument value ('.*?') is invalid)?/, shortError)),
    })
    .hook("preAction", () => {
      const complaint = checkHome();
      if (complaint !== null) throw new WrongOption(complaint);
    })
    .addHelpText("after", () => helpList("Getting started:", FIRST_STEPS, helpWidth));
  const wanted = COMMANDS.filter(({ names }) => names.includes(asked));
  for (const { load } of wanted.length > 0 ? wanted : COMMANDS) {
    const add = await load();
    add(program, setExit);
  }
  for (const command of program.commands) command.helpGroup(groupOf(command.name()));
  // The help command of commander would be a group of its own.
  program.commandsGroup(groupOf("help")).helpCommand("help [command]", "Show help for a command");
  hint(program, "rouse");
  return program;
}

/** Commander names a wrong argument in many words. */
const shortError = (_: string, value?: string): string =>
  value === undefined ? "rouse: " : `rouse: invalid value ${value}`;

/** Errors quote user input: control bytes are removed and secrets masked. */
export const safeErrorText = (text: string): string => redact(text.split("\n").map(sanitizeLine).join("\n"));

/** The part of a command that is used here; commander's own type includes the options. */
interface Hinted {
  readonly commands: readonly (Hinted & { name(): string })[];
  showHelpAfterError(text: string): unknown;
}

/** Adds a hint to usage errors of a command. */
function hint(command: Hinted, words: string): void {
  const has = command.commands.length > 0 ? "commands" : "options";
  command.showHelpAfterError(`(\`${words} --help\` lists the ${has})`);
  for (const inner of command.commands) hint(inner, `${words} ${inner.name()}`);
}
