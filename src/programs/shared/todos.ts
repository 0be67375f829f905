/** Todo lists, as programs write them: TodoWrite and todowrite (todos), update_plan (plan), write_todos (todos). */
import type { Todos } from "../../core/signal.js";
import { redact } from "../../core/text/redact.js";

const LISTS: ReadonlyMap<string, "todos" | "plan"> = new Map([
  ["todowrite", "todos"],
  ["writetodos", "todos"],
  ["updateplan", "plan"],
]);
const TEXT_KEYS = ["content", "step", "description", "subject"];
const DONE: ReadonlySet<unknown> = new Set(["completed", "done"]);
const ITEMS_MAX = 500;
const TEXT_MAX = 200;

/** Null for any other tool, and for a list that is not one. */
export function todosOfCall(tool: string, args: unknown): Todos | null {
  const key = LISTS.get(tool.slice(0, 100).toLowerCase().replace(/[_-]/g, ""));
  return key === undefined ? null : countTodos(recordOf(args)[key]);
}

/** `items` may be anything. */
export function countTodos(items: unknown): Todos | null {
  if (!Array.isArray(items) || items.length === 0) return null;
  const known = items.slice(0, ITEMS_MAX).map(recordOf);
  const done = known.filter(({ status }) => DONE.has(status));
  const last = done.at(-1);
  const text = last && TEXT_KEYS.map((key) => last[key]).find((value) => typeof value === "string");
  return {
    done: done.length,
    of: known.length,
    ...(typeof text === "string" && text !== ""
      ? { last: redact(text.slice(0, 4 * TEXT_MAX)).slice(0, TEXT_MAX) }
      : {}),
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value === "string" && value.startsWith("{")) {
    try {
      return recordOf(JSON.parse(value));
    } catch {
      return {};
    }
  }
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
