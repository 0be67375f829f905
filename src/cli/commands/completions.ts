/** `rouse completions`: shell scripts, generated from the commands themselves. */
import { Argument, Command } from "@commander-js/extra-typings";
import { rousePaths } from "../../config/paths.js";
import { listSessions } from "../../terminal/registry.js";
import { call } from "../client.js";
import type { AddCommand, CommandEntry } from "../command-entry.js";
import { bashScript, fishScript, type Spec, zshScript } from "../completion-scripts.js";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SHELLS;

/** The table of commands is a parameter: it names this file too. */
export const completionsOf =
  (commands: readonly CommandEntry[]): AddCommand =>
  (program) =>
    addCompletions(program, commands);

function addCompletions(program: Command, commands: readonly CommandEntry[]): void {
  program
    .command("completions")
    .summary("Print a completion script for your shell")
    .addArgument(new Argument("[shell]", "your shell").choices(Object.keys(SHELLS) as Shell[]))
    .option("--agents", "print the names of running agents, one per line (used by the scripts)")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  rouse completions bash > ~/.local/share/bash-completion/completions/rouse\n" +
        '  rouse completions zsh > "$' +
        '{fpath[1]}/_rouse"\n' +
        "  rouse completions fish > ~/.config/fish/completions/rouse.fish\n",
    )
    .action(async (shell, { agents }, self) => {
      if (agents) for (const name of await agentNames()) process.stdout.write(`${name}\n`);
      else if (shell === undefined) self.error(`error: name a shell: ${Object.keys(SHELLS).join(", ")}`);
      else process.stdout.write(SHELLS[shell](await allCommands(commands)));
    });
}

/** A user does not wait longer for a completion. */
const AGENTS_MS = 3000;
/** The shell parses completions again: names that are more than one plain word to it are left out. */
const SAFE_NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._@%+-]*$/u;

/** From the session files and from a running daemon; does not start one. */
async function agentNames(): Promise<string[]> {
  const paths = rousePaths();
  const watched = await call("sessions", {}, AGENTS_MS).then(
    ({ agents }) => agents,
    () => [],
  );
  const held = listSessions(paths).filter(({ isAlive }) => isAlive);
  return [...new Set([...held, ...watched].map(({ name }) => name))].filter((name) => SAFE_NAME.test(name)).sort();
}

/** Arguments that take the name of an agent; an incident can be named by its agent too. */
const AGENT_ARGUMENTS: ReadonlySet<string> = new Set(["agent", "agents", "what", "id"]);

/** Every command with its options, as it describes itself. */
export async function allCommands(commands: readonly CommandEntry[]): Promise<Spec[]> {
  const program = new Command("rouse");
  for (const { load } of commands) (await load())(program, () => {});
  return program.commands.flatMap((command) => specsOf(command, []));
}

/** The part of a command that is used here; commander's own type carries each command's options. */
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
  readonly registeredArguments: readonly { name(): string; readonly argChoices?: readonly string[] | undefined }[];
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
      takesAgent: command.registeredArguments.some((argument) => AGENT_ARGUMENTS.has(argument.name())),
    },
    ...command.commands.flatMap((inner) => specsOf(inner, words)),
  ];
}
