/** The command line as commander knows it, at a width of the help. */
import { Command } from "@commander-js/extra-typings";
import { complaintOfHome } from "../config/paths.js";
import { redact } from "../core/text/redact.js";
import { sanitizeLine } from "../core/text/sanitize.js";
import { COMMANDS, groupOf } from "./commands.js";
import { helpItem, helpList } from "./text/help.js";
import { readVersion } from "./version.js";
import { WrongOption } from "./wrong-option.js";

const FIRST_STEPS = [
  ["rouse demo", "the whole of it on six scripted agents, in a minute"],
  ["rouse run -- claude", "an agent of yours, in this terminal, watched"],
  ["rouse status", "how everybody is; rouse why NAME has the evidence"],
] as const;

/** With the commands of that name only, or with all when there is none. */
export async function createProgram(
  asked: string,
  helpWidth: number,
  setExit: (code: number) => void,
): Promise<Command> {
  const program = new Command("rouse")
    .description("Watches AI coding agents: tells what they are doing, and why it thinks so.")
    .version(readVersion())
    .exitOverride()
    .configureHelp({
      helpWidth,
      formatItem: (term, termWidth, text) => helpItem(term, termWidth, text, helpWidth),
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
    .addHelpText("after", () => helpList("Begin with:", FIRST_STEPS, helpWidth));
  const wanted = COMMANDS.filter(({ names }) => names.includes(asked));
  for (const { load } of wanted.length > 0 ? wanted : COMMANDS) {
    const add = await load();
    add(program, setExit);
  }
  for (const command of program.commands) command.helpGroup(groupOf(command.name()));
  hint(program, "rouse");
  return program;
}

/** What somebody typed is quoted in it: without control bytes, and without a secret that got into the wrong place. */
export const safe = (text: string): string => redact(text.split("\n").map(sanitizeLine).join("\n"));

/** The part of a command that is used here; commander's own type carries each command's options. */
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
