/** Explains which field of an input is wrong, what is wrong with it, and what is expected. */
import * as z from "zod";
import { sanitize } from "../../core/text/sanitize.js";

export interface JsonSchema {
  type?: string;
  /** The noun of an item of a list. */
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
}

const QUOTED_MAX = 60;
/** The latest time of a `Date`. */
const MAX_TIME_MS = 8.64e15;

/** `input` as a client sends it. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;

/** "text: missing; expected a string of 1 to 10000 characters" */
export function explainInvalidInput({ issues }: z.ZodError, schema: z.ZodObject, input: unknown): string {
  const [issue] = issues;
  if (!issue || issue.path.length === 0) return "the input must be a JSON object";
  const { field, at } = fieldAt(schema, issue.path);
  const value = valueAt(input, issue.path.slice(0, at));
  const wrong = value === undefined ? "missing" : `${quoted(value)} is not accepted`;
  const where = issue.path.slice(0, at).map(String).join(".");
  const expected = jsonSchemaOf(field);
  // A regular expression is hard to read; the description explains it.
  const phrase =
    isPatterned(expected) && field.description !== undefined ? field.description : describeExpected(expected);
  return `${where}: ${wrong}; expected ${phrase}`;
}

/** The deepest field with a schema of its own; lists and alternatives are described as a whole. */
function fieldAt(schema: z.ZodObject, path: readonly PropertyKey[]): { field: z.ZodType; at: number } {
  let field: z.ZodType = schema;
  let at = 0;
  while (at < path.length && field instanceof z.ZodObject) {
    const next = (field.shape as Record<string, z.ZodType>)[String(path[at])];
    if (!next) break;
    field = next;
    at++;
  }
  return { field, at };
}

const isPatterned = ({ pattern, format, items }: JsonSchema): boolean =>
  (pattern !== undefined && format === undefined) || (items !== undefined && isPatterned(items));

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );

const quoted = (value: unknown): string => sanitize(JSON.stringify(value) ?? typeof value, QUOTED_MAX);

/** A phrase such as "an integer from 1 to 500", for error texts and for the documentation. */
export function describeExpected(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum?.join() === "true,false") return "true or false";
  if (schema.enum) return oneOf(schema.enum.map(String));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const words = choices.map(({ const: value, enum: values }) => (value === undefined ? values : [value]));
    // A number and its text in a query are one choice.
    if (words.every((one) => one !== undefined)) return oneOf([...new Set(words.flat().map(String))]);
    return [...new Set(choices.map((choice) => describeExpected(choice)))].join(" or ");
  }
  switch (schema.type) {
    case "string":
      if (schema.format === "date-time") return "an ISO 8601 time";
      return `a string${lengthOf(schema, "character")}`;
    case "number":
      if (schema.maximum === MAX_TIME_MS) return "milliseconds since 1970";
      return `a number${rangeOf(schema)}`;
    case "integer":
      return `an integer${rangeOf(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return listOf(schema);
    case "object":
      return "a JSON object";
    case "null":
      return "null";
    default:
      return "any JSON value";
  }
}

/** "a list of 1 to 200 strings", "a list of at most 32 problems: loop, api" */
function listOf({ items = {}, minItems = 0, maxItems }: JsonSchema): string {
  const noun = `${items.title ?? items.type ?? "value"}s`;
  const least = minItems > 0 ? `at least ${minItems} ` : "";
  const count = maxItems === undefined ? least : minItems > 0 ? `${minItems} to ${maxItems} ` : `at most ${maxItems} `;
  return `a list of ${count}${noun}${items.enum ? `: ${items.enum.join(", ")}` : ""}`;
}

const oneOf = (words: readonly string[]): string => (words.length > 1 ? `one of ${words.join(", ")}` : words.join(""));

function lengthOf({ minLength, maxLength }: JsonSchema, unit: string): string {
  if (maxLength === undefined)
    return minLength === undefined ? "" : `, at least ${minLength} ${unit}${minLength === 1 ? "" : "s"}`;
  return minLength === undefined || minLength === 0
    ? ` of at most ${maxLength} ${unit}s`
    : ` of ${minLength} to ${maxLength} ${unit}s`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const top = isBounded ? String(maximum) : null;
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}${top === null ? "" : `, at most ${top}`}`;
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER)
    return top === null ? ` of at least ${minimum}` : ` from ${minimum} to ${top}`;
  return top === null ? "" : ` of at most ${top}`;
}
