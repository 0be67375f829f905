/** Unknown commands, and `help` as a command. */
import { suggestName } from "../config/suggest.js";
import { OTHER_WORDS } from "./commands.js";

interface Commands {
  readonly commands: readonly (Commands & { name(): string })[];
}

/** `help alert test` means `alert test --help`. */
export function withoutHelp(args: readonly string[]): readonly string[] {
  return args[0] === "help" ? [...args.filter((word) => word !== "help"), "--help"] : args;
}

/** The error for the first unknown command; null if all are known. */
export function unknownCommand(program: Commands, args: readonly string[]): string | null {
  let at: Commands = program;
  const path: string[] = [];
  for (const word of args) {
    if (at.commands.length === 0 || word.startsWith("-") || word === "help") return null;
    const found = at.commands.find((command) => command.name() === word);
    if (!found) {
      const names = at.commands.map((command) => command.name());
      const meant = (path.length === 0 ? OTHER_WORDS.get(word) : undefined) ?? suggestName(word, names);
      const above = ["rouse", ...path].join(" ");
      const rest = meant ? `did you mean ${above} ${meant}?` : `\`${above} --help\` lists the commands`;
      return `unknown command ${[...path, word].join(" ")}; ${rest}`;
    }
    path.push(word);
    at = found;
  }
  return null;
}
