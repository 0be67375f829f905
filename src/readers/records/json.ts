/**
 * Getters for untrusted records.
 *
 * The readers use these instead of a schema: they run once per line of every watched agent, a record is mostly fields
 * that rouse does not need, and a schema would copy or check all of them. A field of the wrong type counts as missing.
 * Nothing here recurses, so the depth of a record does not matter.
 */
export type JsonRecord = Record<string, unknown>;

const EMPTY: readonly unknown[] = Object.freeze([]);

/** One line of JSON Lines as a record; null for anything else, torn lines included. */
export function parseRecord(line: string): JsonRecord | null {
  const start = line.charCodeAt(0);
  if (start !== 0x7b && !/^\s{0,16}\{/.test(line)) return null;
  try {
    return asRecord(JSON.parse(line));
  } catch {
    return null;
  }
}

export function asRecord(value: unknown): JsonRecord | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null;
}

/** The value at a path of keys; undefined if a key on the path is missing. */
function at(value: unknown, path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as JsonRecord)[key];
  }
  return here;
}

export function stringAt(value: unknown, ...path: string[]): string | undefined {
  const found = at(value, path);
  return typeof found === "string" ? found : undefined;
}

export function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = at(value, path);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

export function booleanAt(value: unknown, ...path: string[]): boolean {
  return at(value, path) === true;
}

export function recordAt(value: unknown, ...path: string[]): JsonRecord | undefined {
  return asRecord(at(value, path)) ?? undefined;
}

export function arrayAt(value: unknown, ...path: string[]): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : EMPTY;
}
