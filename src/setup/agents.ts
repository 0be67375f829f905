/**
 * `rouse init agents-md`: a section on reporting in this folder's AGENTS.md, between two marks. The rest of the file is
 * never changed: it is handled as bytes, in any encoding.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFile } from "./hooks-install.js";
import { unifiedDiff } from "./unified-diff.js";

const SECTION = fileURLToPath(new URL("../../examples/agents-md/AGENTS.md", import.meta.url));
const NAME = "AGENTS.md";
const BEGIN = "<!-- rouse: begin";
const END = "<!-- rouse: end -->";
const BYTES_MAX = 1024 * 1024;
/** Keeps every byte: each one is one character. */
const BYTES = "latin1";

export interface AgentsPlan {
  path: string;
  /** One character a byte. */
  before: string;
  after: string;
  error: string | null;
}

export function planAgents(folder: string, remove: boolean): AgentsPlan {
  const path = join(folder, NAME);
  const refused = (issue: string): AgentsPlan => ({ path, before: "", after: "", error: `${path}: ${issue}` });
  const found = readPlain(path, folder);
  if ("error" in found) return refused(found.error);
  const before = found.text;
  const place = sectionOf(before);
  if (place === "broken")
    return refused(`the marks "${BEGIN}" and "${END}" must appear once each, in this order; nothing was changed`);
  return { path, before, after: remove ? without(before, place) : withSection(before, place), error: null };
}

/** Returns a one-line report. */
export function applyAgents({ path, before, after }: AgentsPlan): string {
  if (before === after) return `${path}: nothing to do\n`;
  // An empty rest means that rouse created the file.
  if (after === "") rmSync(path);
  else replaceFile(path, Buffer.from(after, BYTES), 0o644);
  return `${path} ${after === "" ? "removed" : before === "" ? "created" : "changed"}\n`;
}

export const agentsDiff = ({ path, before, after }: AgentsPlan): string =>
  unifiedDiff(path, readable(before), readable(after));

const readable = (bytes: string): string => Buffer.from(bytes, BYTES).toString("utf8");

type Place = { from: number; to: number } | null | "broken";

/** From the first mark to the end of the line of the second. */
function sectionOf(text: string): Place {
  const [from, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 && end < 0) return null;
  const isOnce = text.lastIndexOf(BEGIN) === from && text.lastIndexOf(END) === end;
  if (from < 0 || end < from || !isOnce) return "broken";
  const to = end + END.length;
  return { from, to: to + (/^\r?\n/.exec(text.slice(to))?.[0].length ?? 0) };
}

function withSection(text: string, place: Exclude<Place, "broken">): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const section = readFileSync(SECTION, BYTES).replaceAll("\n", eol);
  if (place) return text.slice(0, place.from) + section + text.slice(place.to);
  // One line end: an empty line, or the missing end of the last line. `without` distinguishes them.
  return text + (text === "" ? "" : eol) + section;
}

/** Also removes the empty line before the section, or at the end of the file the line end. */
function without(text: string, place: Exclude<Place, "broken">): string {
  if (!place) return text;
  const [head, rest] = [text.slice(0, place.from), text.slice(place.to)];
  const isEmptyLine = /\n\r?\n$/.test(head);
  return (isEmptyLine || rest === "" ? head.replace(/\r?\n$/, "") : head) + rest;
}

/** A project is not trusted: a link out of its folder is not followed. */
function readPlain(path: string, folder: string): { text: string } | { error: string } {
  let target: string;
  try {
    target = realpathSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { text: "" } : { error: `${message}; nothing was changed` };
  }
  if (dirname(target) !== realpathSync(folder))
    return { error: `it is a link to another folder (${basename(target)} there); run this command there` };
  const file = openSync(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > BYTES_MAX) return { error: "not a regular file of at most 1 MB" };
    const text = readFileSync(file, BYTES);
    return text.includes("\0") ? { error: "not a text file (contains null bytes); nothing was changed" } : { text };
  } finally {
    closeSync(file);
  }
}
