/**
 * Hooks in the settings of Claude Code and Gemini CLI: JSON written by a user, with comments and other hooks. It is
 * edited in place, never rewritten; everything that is not rouse's stays unchanged.
 */
import {
  applyEdits,
  type FormattingOptions,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  printParseErrorCode,
} from "jsonc-parser";
import { canonicalJson } from "../../core/digest.js";
import { asRecord, type JsonRecord } from "../../readers/records/json.js";
import type { EditResult } from "../hooks.js";
import { withoutNode } from "./json-removal.js";

export interface JsonHooks {
  /** The hook of an event, in the form of the program's settings. */
  entry: (event: string) => Readonly<JsonRecord>;
  /** The events, and whether they are per tool: those need a matcher. */
  events: readonly { name: string; byTool: boolean }[];
  /** Identifies rouse's hooks, of this and of earlier installations. */
  isOurs: (entry: Readonly<JsonRecord>) => boolean;
}

export function addJsonHooks(text: string, hooks: JsonHooks): EditResult {
  const names = hooks.events.map(({ name }) => name);
  return editSettings(text, names, (settings, change) => {
    for (const { name, byTool } of hooks.events) {
      const groups = settings().hooks?.[name] ?? [];
      const entry = hooks.entry(name);
      const group = { ...(byTool ? { matcher: "*" } : {}), hooks: [entry] };
      const [at] = placesOf(groups, hooks.isOurs);
      // At the front: a comment after the last entry of a list would be lost when ours is removed.
      if (at === undefined) change(["hooks", name, 0], group, true);
      else if (canonicalJson(groups[at.group]?.hooks?.[at.hook]) !== canonicalJson(entry)) {
        change(["hooks", name, at.group, "hooks", at.hook], entry, false);
      }
    }
  });
}

export function removeJsonHooks(text: string, isOurs: JsonHooks["isOurs"]): EditResult {
  if (text.trim() === "") return { ok: true, text };
  return editSettings(text, [], (settings, _change, remove) => {
    for (const name of Object.keys(settings().hooks ?? {})) {
      for (const { group, hook } of placesOf(settings().hooks?.[name] ?? [], isOurs).reverse()) {
        const groups = settings().hooks?.[name] ?? [];
        // A list left empty without our hook was ours too.
        const isLast = groups[group]?.hooks?.length === 1;
        if (!isLast) remove(["hooks", name, group, "hooks", hook]);
        else if (groups.length > 1) remove(["hooks", name, group]);
        else if (Object.keys(settings().hooks ?? {}).length > 1) remove(["hooks", name]);
        else remove(["hooks"]);
      }
    }
  });
}

export interface ProgramSettings {
  hooks?: Record<string, { hooks?: unknown[] }[]>;
  extraKnownMarketplaces?: unknown;
  enabledPlugins?: unknown;
}

type Change = (path: JSONPath, value: unknown, isInsertion: boolean) => void;
type Remove = (path: JSONPath) => void;

/** Edits a user's JSON in place. `names` are the events whose hooks have to be lists. */
export function editSettings(
  text: string,
  names: readonly string[],
  work: (settings: () => ProgramSettings, change: Change, remove: Remove) => void,
): EditResult {
  let now = text.trim() === "" ? "{}\n" : text;
  const problem = errorOf(now, names);
  if (problem !== null) return { ok: false, error: problem };
  const formattingOptions = formatOf(now);
  work(
    () => parse(now, [], { allowTrailingComma: true }) as ProgramSettings,
    (path, value, isArrayInsertion) => {
      now = applyEdits(now, modify(now, path, value, { formattingOptions, isArrayInsertion }));
    },
    (path) => {
      now = withoutNode(now, path);
    },
  );
  return { ok: true, text: now };
}

/** The reason not to edit, with line and column; a file that cannot be parsed is not changed. */
function errorOf(text: string, names: readonly string[]): string | null {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const before = text.slice(0, error.offset).split("\n");
    const context = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    return `${context}: not valid JSON (${printParseErrorCode(error.error)})`;
  }
  const settings = asRecord(value);
  if (settings === null) return "expected an object at the top level";
  if (settings.hooks === undefined) return null;
  const hooks = asRecord(settings.hooks);
  if (hooks === null) return '"hooks" is not an object';
  const wrong = names.find((name) => hooks[name] !== undefined && !isGroupList(hooks[name]));
  return wrong ? `"hooks.${wrong}" is not a list of hooks` : null;
}

function isGroupList(groups: unknown): boolean {
  return Array.isArray(groups) && groups.every((group) => Array.isArray(asRecord(group)?.hooks));
}

function hooksOf(group: unknown): unknown[] {
  const { hooks } = asRecord(group) ?? {};
  return Array.isArray(hooks) ? hooks : [];
}

function placesOf(groups: unknown, isOurs: JsonHooks["isOurs"]): { group: number; hook: number }[] {
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((each, group) =>
    hooksOf(each).flatMap((entry, hook) => {
      const record = asRecord(entry);
      return record !== null && isOurs(record) ? [{ group, hook }] : [];
    }),
  );
}

/** The indentation of the file. */
function formatOf(text: string): FormattingOptions {
  const indent = /\n([ \t]{1,16})["}]/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
