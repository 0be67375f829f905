/** Recognises the process of an agent by its command line, never by its output. */
import { partOf } from "./part.js";
import type { ProcessRule } from "./program.js";
import { PROGRAMS } from "./registry.js";

const RULES: readonly (ProcessRule & { kind: string })[] = PROGRAMS.flatMap(({ profile, process }) => {
  const rule = partOf(process);
  return rule ? [{ ...rule, kind: profile.id }] : [];
});

const RUNTIMES = new Set(["node", "nodejs", "bun", "deno"]);
/** Options of a runtime that take the next argument as their value. */
const VALUED = new Set(["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"]);
/** The runtime gets code, or another task. */
const NO_SCRIPT = new Set(["-e", "--eval", "-p", "--print", "-i", "--interactive", "--test", "--run"]);
const WORDS_MAX = 64;

/** The kind of agent that this command line starts; null for any other program. */
export function programOf(argv: readonly string[], exe: string | null = null): string | null {
  const words = argv.slice(0, WORDS_MAX);
  const first = words[0] ?? "";
  const titled = RULES.find(({ titles }) => titles?.has(first));
  if (titled) return titled.titles?.get(first) ? titled.kind : null;
  const isRuntime = RUNTIMES.has(nameOf(first));
  const at = isRuntime ? scriptAt(words) : 0;
  if (at === null) return null;
  const command = words[at] ?? "";
  const paths = isRuntime ? [command] : [command, exe ?? ""];
  const rule = RULES.find(
    ({ name, paths: ends }) =>
      nameOf(command) === name || paths.some((path) => ends.some((end) => path.slice(-4096).includes(end))),
  );
  if (rule === undefined) return null;
  const subcommand = words.slice(at + 1).find((word) => !word.startsWith("-"));
  return subcommand !== undefined && rule.others.has(subcommand) ? null : rule.kind;
}

function scriptAt(words: readonly string[]): number | null {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (NO_SCRIPT.has(word)) return null;
    if (VALUED.has(word)) at++;
    else if (!word.startsWith("-") && word !== "run") return at;
  }
  return null;
}

function nameOf(path: string): string {
  return (
    path
      .slice(-4096)
      .split("/")
      .findLast((part) => part !== "") ?? ""
  ).replace(/\.(?:exe|js|mjs|cjs)$/, "");
}
