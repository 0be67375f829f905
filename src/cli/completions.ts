/** `rouse completions`: scripts for shells, made from the commands themselves, so that they cannot fall behind. */
import { Argument, Command } from "@commander-js/extra-typings";
import { bashScript, fishScript, type Spec, zshScript } from "./completion-scripts.js";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SHELLS;

export function addCompletions(program: Command, _setExit: (code: number) => void): void {
  program
    .command("completions")
    .summary("a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>").choices(Object.keys(SHELLS) as Shell[]))
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  rouse completions bash > ~/.local/share/bash-completion/completions/rouse\n" +
        '  rouse completions zsh > "$' +
        '{fpath[1]}/_rouse"\n' +
        "  rouse completions fish > ~/.config/fish/completions/rouse.fish\n",
    )
    .action(async (shell) => {
      process.stdout.write(SHELLS[shell](await allCommands()));
    });
}

/** Every command with its options, as it describes itself. */
export async function allCommands(): Promise<Spec[]> {
  // Loaded here: the table names this file too.
  const { COMMANDS } = await import("./commands.js");
  const program = new Command("rouse");
  for (const { load } of COMMANDS) (await load())(program, () => {});
  return program.commands.flatMap((command) => specsOf(command, []));
}

/** The part of a command that is looked at here; commander's own type knows each command's options. */
interface Described {
  name(): string;
  summary(): string;
  description(): string;
  readonly options: readonly {
    readonly long?: string | undefined;
    readonly short?: string | undefined;
    readonly description: string;
    readonly required: boolean;
    readonly hidden: boolean;
    readonly argChoices?: readonly string[] | undefined;
  }[];
  readonly registeredArguments: readonly { readonly argChoices?: readonly string[] | undefined }[];
  readonly commands: readonly Described[];
}

function specsOf(command: Described, above: readonly string[]): Spec[] {
  const words = [...above, command.name()];
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    {
      words,
      summary: command.summary() || command.description().split("\n")[0] || "",
      options: options.map(({ long, short, description, required, argChoices }) => ({
        names: [short, long].filter((name) => name !== undefined),
        summary: description,
        takesValue: required,
        choices: [...(argChoices ?? [])],
      })),
      choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    },
    ...command.commands.flatMap((inner) => specsOf(inner, words)),
  ];
}
