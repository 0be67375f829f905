/**
 * The `agents.health` block of a .botbox.json: its keys are those of the section `health`. `rouse init` imports it into the
 * user's file, and `loadConfig` follows it as a project file, which can only make things stricter.
 */
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { type ConfigEntry, readTrustedFile } from "./file.js";
import type { ConfigIssue } from "./issue.js";
import { type ConfigValue, checkValue, expectedValue } from "./key.js";
import { KEY_BY_NAME } from "./keys.js";
import type { Position } from "./positions.js";
import { suggestKey } from "./suggest.js";

export interface ImportedValues {
  /** By full name. */
  values: Map<string, ConfigValue>;
  issues: ConfigIssue[];
}

export const BOTBOX_FILE = ".botbox.json";

/** The values as written, by full name. An agent can write the file, so a link to another file is not followed. */
export function readBotbox(path: string): { entries: ConfigEntry[]; issues: ConfigIssue[] } {
  const text = readTrustedFile(path, { links: false });
  if (text === null) return { entries: [], issues: [] };
  return typeof text === "string" ? entriesOf(path, text) : { entries: [], issues: [text] };
}

export function importBotbox(path: string): ImportedValues {
  const { entries, issues } = readBotbox(path);
  const values = new Map<string, ConfigValue>();
  for (const { name, value, position } of entries) {
    const text = take(name, value, values);
    if (text !== null) issues.push({ level: "error", where: path, position, text });
  }
  return { values, issues };
}

function entriesOf(where: string, text: string): { entries: ConfigEntry[]; issues: ConfigIssue[] } {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const issue = `invalid JSON (${printParseErrorCode(first.error)}); the file is not used`;
    return {
      entries: [],
      issues: [{ level: "error", where, position: positionAt(text, first.offset), text: issue }],
    };
  }
  const health = root && findNodeAtLocation(root, ["agents", "health"]);
  if (health?.type !== "object")
    return { entries: [], issues: [{ level: "notice", where, text: "it has no agents.health block" }] };
  const entries = (health.children ?? []).map((property) => entryOf(text, property));
  return { entries, issues: [] };
}

function entryOf(text: string, property: Node): ConfigEntry {
  const [name, value] = property.children ?? [];
  return {
    name: `health.${String(name?.value).slice(0, 80)}`,
    value: value && getNodeValue(value),
    position: positionAt(text, property.offset),
  };
}

/** Imports one key, or returns why it cannot. */
function take(name: string, given: unknown, values: Map<string, ConfigValue>): string | null {
  const written = name.slice("health.".length);
  const key = KEY_BY_NAME.get(name);
  if (!key) {
    const near = suggestKey(name, KEY_BY_NAME.keys());
    return `unknown key ${written}; ignored${near ? `; did you mean ${near}?` : ""}`;
  }
  const value = checkValue(key, given);
  if (value === undefined) return `${written} must be ${expectedValue(key)}`;
  values.set(name, value);
  return null;
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
