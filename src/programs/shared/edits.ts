/**
 * The change of an edit, as two digests: `effect` of the path and the unordered pair of the text before and after, so
 * that an edit and its undo are equal; `after` of the path and the resulting text.
 */
import { canonicalJson, digest } from "../../core/digest.js";

export interface EditFacts {
  subject?: string;
  effect?: string;
  after?: string;
}

const PATH_KEYS = [
  "file_path",
  "filePath",
  "absolute_path",
  "path",
  "notebook_path",
  "file",
  "filename",
  "target_file",
  "relative_path",
  "uri",
];
const OLD_KEYS = ["old_string", "oldString", "old_str", "old_text", "oldText", "old", "search", "to_replace"];
const NEW_KEYS = ["new_string", "newString", "new_str", "new_text", "newText", "new", "replace", "replacement"];
const CONTENT_KEYS = ["content", "contents", "file_text", "new_source", "text", "code_edit"];
const PATCH_KEYS = ["patch", "patchText", "input", "diff"];
const PATH_MAX = 300;

/** The first of `keys` that is a text. */
export function firstText(record: Record<string, unknown>, keys: readonly string[]): string | undefined {
  for (const key of keys) if (typeof record[key] === "string") return record[key];
  return undefined;
}

/** The file of a call. */
export function pathOf(record: Record<string, unknown>): string | undefined {
  return firstText(record, PATH_KEYS)?.slice(0, PATH_MAX);
}

export function editFacts(record: Record<string, unknown>): EditFacts {
  const path = pathOf(record);
  const patch = firstText(record, PATCH_KEYS);
  if (patch !== undefined && isPatch(patch)) return patchFacts(patch);
  const subject = path === undefined ? {} : { subject: path };
  const context = canonicalJson([path, record.cell_id, record.insert_line]);
  const pairs = (Array.isArray(record.edits) ? record.edits : [record]).slice(0, 100).map(pairOf);
  const known = pairs.filter((pair) => pair !== null);
  if (known.length > 0)
    return { ...subject, ...digests(context, known.map((p) => p[0]).join("\n"), known.map((p) => p[1]).join("\n")) };
  const content = firstText(record, CONTENT_KEYS);
  return content === undefined ? subject : { ...subject, ...digests(context, "", content) };
}

function pairOf(edit: unknown): [before: string, after: string] | null {
  if (edit === null || typeof edit !== "object") return null;
  const record = edit as Record<string, unknown>;
  const before = firstText(record, OLD_KEYS);
  const after = firstText(record, NEW_KEYS);
  return before === undefined && after === undefined ? null : [before ?? "", after ?? ""];
}

function digests(context: string, before: string, after: string): Required<Pick<EditFacts, "effect" | "after">> {
  const pair = [before, after].sort();
  return { effect: digest(canonicalJson([context, ...pair])), after: digest(canonicalJson([context, after])) };
}

export function isPatch(text: string): boolean {
  return text.includes("*** Begin Patch") || /^(?:diff --git |--- \S)/m.test(text.slice(0, 2000));
}

/** Facts of a patch in Codex's own form or as a unified diff. */
export function patchFacts(patch: string): EditFacts {
  const paths: string[] = [];
  const before: string[] = [];
  const after: string[] = [];
  for (const line of patch.split("\n")) {
    const file = /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(.{1,300})$/.exec(line)?.[1];
    if (file !== undefined) paths.push(file.trim());
    else if (/^(?:---|\*\*\*|@@)/.test(line)) continue;
    else if (line.startsWith("-")) before.push(line.slice(1));
    else if (line.startsWith("+")) after.push(line.slice(1));
  }
  const subject = paths[0] === undefined ? {} : { subject: paths[0].slice(0, PATH_MAX) };
  return { ...subject, ...digests(canonicalJson(paths), before.join("\n"), after.join("\n")) };
}
