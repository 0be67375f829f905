/**
 * The `notify` program in Codex's `config.toml`. There is room for one: an existing one of another tool is kept as a
 * comment and run after rouse's. The file is edited as text, and the result is parsed again: if anything other than
 * `notify` differs, nothing is changed.
 */
import { parse, type TomlTable } from "smol-toml";
import { canonicalJson } from "../../core/digest.js";
import type { EditResult, HookCode } from "../hooks.js";
import { codex } from "./screens.js";

/** Marks the lines of an earlier `notify`. */
const KEPT = "# rouse keeps: ";
const STATEMENT_LINES_MAX = 100;

function addCodexNotify(
  text: string,
  words: readonly string[],
  isOurs: (words: readonly string[]) => boolean,
): EditResult {
  const removed = removeCodexNotify(text, isOurs);
  if (!removed.ok) return removed;
  const before = removed.text;
  const found = statementOf(before, "notify");
  const previous = read(before).notify;
  if (previous !== undefined && (!Array.isArray(previous) || !previous.every((word) => typeof word === "string"))) {
    return { ok: false, error: '"notify" is no list of words' };
  }
  if (previous !== undefined && found === null) return unsafe(words);
  const eol = before.includes("\r\n") ? "\r\n" : "\n";
  const then = previous ? ["--then", ...(previous as string[])] : [];
  const line = `notify = ${JSON.stringify([...words, ...then])}${eol}`;
  const kept = found ? found.lines.map((kept) => KEPT + kept) : [];
  const after = found ? before.slice(0, found.from) + kept.join("") + line + before.slice(found.to) : line + before;
  return says(after, { ...read(before), notify: [...words, ...then] }) ? { ok: true, text: after } : unsafe(words);
}

function removeCodexNotify(text: string, isOurs: (words: readonly string[]) => boolean): EditResult {
  const problem = errorOf(text);
  if (problem !== null) return { ok: false, error: problem };
  const table = read(text);
  if (!Array.isArray(table.notify) || !isOurs(table.notify.map(String))) return { ok: true, text };
  const found = statementOf(text, "notify");
  if (found === null) return { ok: false, error: '"notify" could not be found in the text; remove it yourself' };
  const head = text.slice(0, found.from).split(/(?<=\n)/);
  const restored: string[] = [];
  while (head.at(-1)?.startsWith(KEPT)) restored.unshift((head.pop() ?? "").slice(KEPT.length));
  const after = head.join("") + restored.join("") + text.slice(found.to);
  const { notify: _, ...others } = table;
  const wanted = restored.length > 0 ? { ...others, notify: read(restored.join("")).notify } : others;
  return says(after, wanted as TomlTable)
    ? { ok: true, text: after }
    : { ok: false, error: '"notify" could not be removed safely; remove it yourself' };
}

/** The range of a top-level statement: from its name to the line on which its value is complete. */
function statementOf(text: string, name: string): { from: number; to: number; lines: string[] } | null {
  const lines = text.split(/(?<=\n)/);
  let from = 0;
  for (const [at, line] of lines.entries()) {
    const begins = line.trimStart();
    const isTable = begins.startsWith("[");
    const isNamed = begins.startsWith(name) && /^\s{0,40}=/.test(begins.slice(name.length));
    // A line inside a multi-line string or list starts no statement.
    if ((isTable || isNamed) && isWhole(lines.slice(0, at).join(""))) {
      if (isTable) return null;
      for (let count = 1; count <= STATEMENT_LINES_MAX && at + count <= lines.length; count++) {
        const statement = lines.slice(at, at + count);
        if (isWhole(statement.join("")))
          return { from, to: from + statement.join("").length, lines: statement.map(ended) };
      }
    }
    from += line.length;
  }
  return null;
}

function ended(line: string): string {
  return line.endsWith("\n") ? line : `${line}\n`;
}

function isWhole(text: string): boolean {
  return errorOf(text) === null;
}

function says(text: string, wanted: TomlTable): boolean {
  return errorOf(text) === null && canonicalJson(read(text)) === canonicalJson(wanted);
}

function read(text: string): TomlTable {
  return parse(text);
}

function errorOf(text: string): string | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    const { line, column, message } = error as { line?: number; column?: number; message: string };
    return `line ${line ?? 1}, column ${column ?? 1}: not valid TOML (${message.split("\n", 1)[0]})`;
  }
}

function unsafe(words: readonly string[]): EditResult {
  return {
    ok: false,
    error: `cannot be edited safely; add this line yourself: notify = ${JSON.stringify(words)}`,
  };
}

function isOurNotify(words: readonly string[]): boolean {
  const at = words.indexOf("hook");
  return at > 0 && words[at + 1] === codex.id && /(?:^|\/)rouse(?:\.js)?$/.test((words[at - 1] ?? "").slice(-4096));
}

export const hookCode: HookCode = {
  edit: (text, { command, remove }) =>
    remove ? removeCodexNotify(text, isOurNotify) : addCodexNotify(text, [...command, "hook", codex.id], isOurNotify),
  pluginState: () => "none",
};
