/**
 * Does a call check on something that runs, or wait on purpose? Its class decides how long it may take; this decides
 * that a repetition is a poll. Many calls wait: a sleep before the check, an empty command that lets a running one
 * continue, a status tool of some server.
 */
import { asRecord, stringAt } from "./json.js";

/** Words in a tool's name, or in its action, that mean waiting on their own. */
const WAITING = new Set(["poll", "wait", "await", "sleep", "monitor", "heartbeat"]);
/** Words that mean waiting only together with a running job: `git_status` reads once, `job_status` polls. */
const ASKING = new Set(["status", "check", "output", "result", "results", "progress", "log", "logs", "state"]);
const RUNNING = new Set(
  "job task build run process deploy deployment agent subagent background command pipeline workflow export import training".split(
    " ",
  ),
);
const NAME_MAX = 100;
const COMMAND_MAX = 4096;

export function isPoll(tool: string, args: unknown): boolean {
  const words = wordsOf(tool);
  const action = wordsOf(stringAt(args, "action") ?? "");
  if ([...words, ...action].some((word) => WAITING.has(word))) return true;
  if (words.some((word) => RUNNING.has(word)) && [...words, ...action].some((word) => ASKING.has(word))) return true;
  // Nothing is typed into a running command: the call only waits for its output.
  if (asRecord(args)?.chars === "") return true;
  const command = stringAt(args, "command") ?? stringAt(args, "cmd");
  return (
    command !== undefined && (command.trim() === "" || /(?:^|[\s;&|(])sleep \d/.test(command.slice(0, COMMAND_MAX)))
  );
}

/**
 * Splits a name into words: `check_background-agent`, `checkBackgroundAgent` and `CheckBackgroundAgent` give the same.
 */
function wordsOf(name: string): string[] {
  return name
    .slice(0, NAME_MAX)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}
