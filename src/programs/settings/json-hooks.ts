/** Hooks as entries of a JSON settings file, one for each event. */
import type { JsonRecord } from "../../readers/records/json.js";
import type { EditResult, HookOptions, HttpTarget } from "../hooks.js";
import { addJsonHooks, type JsonHooks, removeJsonHooks } from "./json-settings.js";

export const byTool = (name: string) => ({ name, byTool: true });
export const byEvent = (name: string) => ({ name, byTool: false });

interface HookEntries {
  program: string;
  events: JsonHooks["events"];
  /** Fields of the program's entries besides the command. */
  more: Readonly<JsonRecord>;
  /** The entry of an event that posts; null if it cannot. */
  httpEntry?: (event: string, target: HttpTarget) => JsonRecord | null;
  isOurUrl?: (url: string) => boolean;
}

export function editJsonHooks(text: string, { command, http, remove }: HookOptions, entries: HookEntries): EditResult {
  const { program, events, more, httpEntry, isOurUrl } = entries;
  const isOurs: JsonHooks["isOurs"] = ({ command: line, url }) =>
    (typeof line === "string" && isOurCommand(line, program)) || (typeof url === "string" && isOurUrl?.(url) === true);
  if (remove) return removeJsonHooks(text, isOurs);
  const runs = { type: "command", command: `${commandLine(command)} hook ${program}`, ...more };
  const entry = (event: string): JsonRecord => (http && httpEntry?.(event, http)) || runs;
  return addJsonHooks(text, { entry, events, isOurs });
}

/** These programs pass the command to a shell. */
export const commandLine = (words: readonly string[]): string => words.map(quote).join(" ");

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function isOurCommand(line: string, program: string): boolean {
  const end = ` hook ${program}`;
  return line.endsWith(end) && /(?:^|[\s/'"])rouse(?:\.js)?['"]?$/.test(line.slice(0, -end.length).slice(-4096));
}
