/** Imports the `agents.health` block of a .botbox.json: its keys are those of the section `health`. */
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
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

const TEXT_MAX = 1024 * 1024;

export function importBotbox(where: string, text: string): ImportedValues {
  const values = new Map<string, ConfigValue>();
  const bounded = text.slice(0, TEXT_MAX);
  const errors: ParseError[] = [];
  const root = parseTree(bounded, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const issue = `invalid JSON (${printParseErrorCode(first.error)}); the file is not used`;
    return {
      values,
      issues: [{ level: "error", where, position: positionAt(bounded, first.offset), text: issue }],
    };
  }
  const health = root && findNodeAtLocation(root, ["agents", "health"]);
  if (health?.type !== "object")
    return { values, issues: [{ level: "notice", where, text: "it has no agents.health block" }] };
  const issues: ConfigIssue[] = [];
  for (const property of health.children ?? []) {
    const complaint = take(property, values);
    if (complaint)
      issues.push({ level: "error", where, position: positionAt(bounded, property.offset), text: complaint });
  }
  return { values, issues };
}

/** Imports one key, or returns why it cannot. */
function take(property: Node, values: Map<string, ConfigValue>): string | null {
  const [nameNode, valueNode] = property.children ?? [];
  const written = String(nameNode?.value).slice(0, 80);
  const name = `health.${written}`;
  const key = KEY_BY_NAME.get(name);
  if (!key) {
    const near = suggestKey(name, KEY_BY_NAME.keys());
    return `unknown key ${written}; ignored${near ? `; did you mean ${near}?` : ""}`;
  }
  const value = checkValue(key, valueNode && getNodeValue(valueNode));
  if (value === undefined) return `${written} must be ${expectedValue(key)}`;
  values.set(name, value);
  return null;
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
