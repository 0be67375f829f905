/** Items from what a source printed: wrong types fall back, long texts are cut, control bytes are removed. Pure. */
import { sanitize } from "../../core/text/sanitize.js";
import { LIMITS } from "../../hub/input.js";
import { isKey, SourceError, type SourceItem } from "./source.js";

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const line = (value: unknown, max: number): string =>
  typeof value === "string" ? sanitize(value.replace(/\s+/g, " ").trim(), max) : "";
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const body = (value: unknown): string =>
  typeof value === "string" ? value.replace(/\r\n?/g, "\n").replace(CONTROL, "").slice(0, LIMITS.body) : "";
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const lines = (value: unknown, max: number, count: number): string[] =>
  list(value)
    .map((one) => line(one, max))
    .filter((one) => one !== "")
    .slice(0, count);

const CLOSED: ReadonlySet<string> = new Set(["closed", "done", "completed"]);
const PRIORITY_MAX = 1_000_000;

/** Null for something without a usable key or title. */
export function itemOf(fields: Fields): SourceItem | null {
  const key = typeof fields.key === "number" ? String(fields.key) : fields.key;
  const title = line(fields.title, LIMITS.title);
  if (!isKey(key) || title === "") return null;
  const priority = Number(fields.priority ?? 0);
  const holder = line(fields.holder, LIMITS.name);
  return {
    key,
    title,
    description: body(fields.description),
    steps: lines(fields.steps, LIMITS.step, LIMITS.steps),
    tags: lines(fields.tags, LIMITS.name, LIMITS.tags),
    priority: Number.isSafeInteger(priority) ? Math.max(-PRIORITY_MAX, Math.min(PRIORITY_MAX, priority)) : 0,
    isOpen: !CLOSED.has(line(fields.status, LIMITS.name).toLowerCase()),
    holder: holder === "" ? null : holder,
  };
}

/** The only one of its kind in an answer, which may be a list of one. Null for none. */
export function onlyFields(answer: unknown, program: string): Fields | null {
  const one = Array.isArray(answer) ? (answer[0] ?? null) : answer;
  if (one === null || isFields(one)) return one;
  throw new SourceError("broken", `${program} printed a ${typeof one} instead of an object`);
}

export function fieldsList(answer: unknown, program: string): Fields[] {
  if (answer === null) return [];
  if (!Array.isArray(answer)) throw new SourceError("broken", `${program} printed no list`);
  return answer.filter(isFields);
}
