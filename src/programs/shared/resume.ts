/**
 * Builds the command that resumes a session from the command that started it. Rights must not change: options are
 * carried over, and a command with an unknown option, or with a wrapper around the program, is not resumed.
 */
import type { AgentProfile } from "./profile.js";

export type Resume = { command: string[]; isHeadless: boolean } | { command: null; reason: string };

/** The form of session ids; never the start of an option. */
const CONVERSATION = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

export function resumeCommand(
  profile: AgentProfile,
  began: readonly string[],
  conversation: string | null,
  text: string,
): Resume {
  const [program = "", ...args] = began;
  const { resume } = profile;
  if (resume.byId === null) return no("rouse does not know how to resume this program");
  if (conversation === null) return no("the program's session id is unknown");
  if (!CONVERSATION.test(conversation)) return no("the program's session id has an unexpected form");
  if (!profile.programs.includes(nameOf(program))) return no(`it was started through a wrapper, ${nameOf(program)}`);
  const isHeadless = args.some((arg) => resume.headlessBy.includes(arg));
  const template = isHeadless ? resume.headless : resume.byId;
  if (template === null) return no("rouse does not know how to resume a headless session of this program");
  const options = carried(resume.options, args);
  if (typeof options === "string") return no(`the effect of ${options} on a resumed session is unknown`);
  const filled = template.slice(1).flatMap((word) => {
    if (word === "{options}") return options;
    return [word === "{session}" ? conversation : word === "{text}" ? text : word];
  });
  return { command: [program, ...filled], isHeadless };
}

const no = (reason: string): Resume => ({ command: null, reason });
const nameOf = (program: string): string => program.slice(program.lastIndexOf("/") + 1);

/** The options that remain valid, or the name of an unknown one. Words without an option are the original prompt. */
function carried(known: AgentProfile["resume"]["options"], args: readonly string[]): string[] | string {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "--") break;
    if (!isOption(arg)) continue;
    const [name = "", ...value] = arg.split("=");
    const isWhole = value.length > 0;
    if (known.flags.includes(arg)) kept.push(arg);
    else if (isWhole && [...known.values, ...known.lists].includes(name)) kept.push(arg);
    else if (isWhole && known.overWithValue.includes(name)) continue;
    else if (known.values.includes(arg)) kept.push(arg, args[++at] ?? "");
    else if (known.lists.includes(arg)) {
      kept.push(arg);
      while (args[at + 1] !== undefined && !isOption(args[at + 1] as string)) kept.push(args[++at] as string);
    } else if (known.overWithValue.includes(arg)) {
      if (args[at + 1] !== undefined && !isOption(args[at + 1] as string)) at++;
    } else if (!known.over.includes(arg)) return name;
  }
  return kept;
}

const isOption = (arg: string): boolean => arg.startsWith("-") && arg !== "-";
