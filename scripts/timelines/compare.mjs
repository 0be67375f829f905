/** Compares two dumps: lists of {part, case, entries}. Returns readable differences, one per case. */

/** Fields that depend on wording, rounding or a weight; `--ignore-reasons` leaves states, causes, times and actions. */
const WORDING = new Set(["reason", "reasons", "title", "lines", "payload", "say", "confidence"]);
/** An eval figure that is a sentence: `live.late.0.instead.1.reasons.0`. */
const WORDING_FIGURE = /(?:^|\.)reasons?\.|\.confidence$/;

export function compareDumps(base, tree, { renames = [], ignoreReasons = false } = {}) {
  const rename = renamer(renames);
  const [before, after] = [base, tree].map((rows) => byCase(rows, rename));
  const differences = [];
  for (const [name, entries] of before) {
    if (!after.has(name)) differences.push(`${name}\n  missing in the working tree`);
    else {
      const [left, right] = [entries, after.get(name)].map((list) => (ignoreReasons ? withoutWording(list) : list));
      const text = firstDifference(left, right);
      if (text !== null) differences.push(`${name}\n${text}`);
    }
  }
  for (const name of after.keys()) if (!before.has(name)) differences.push(`${name}\n  missing in the base`);
  return { cases: before.size, differences };
}

/** Literal replacement, in the order given, on the JSON text of both sides. */
function renamer(renames) {
  const quoted = (text) => JSON.stringify(text).slice(1, -1);
  const pairs = renames.map(([from, to]) => [quoted(from), quoted(to)]);
  return (row) => JSON.parse(pairs.reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(row)));
}

function byCase(rows, rename) {
  const cases = new Map();
  for (const row of rows) {
    const { part, case: name, entries } = rename(row);
    let key = `${part}: ${name}`;
    for (let n = 2; cases.has(key); n++) key = `${part}: ${name} (${n})`;
    cases.set(key, entries);
  }
  return cases;
}

function withoutWording(entries) {
  return entries.filter(({ figure = "" }) => !WORDING_FIGURE.test(figure)).map(strip);
}

function strip(value) {
  if (Array.isArray(value)) return value.map(strip);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !WORDING.has(key))
      .map(([key, inner]) => [key, strip(inner)]),
  );
}

function firstDifference(before, after) {
  const length = Math.max(before.length, after.length);
  for (let n = 0; n < length; n++) {
    const [left, right] = [before[n], after[n]].map((entry) => (entry === undefined ? "none" : canonical(entry)));
    if (left === right) continue;
    const counts = before.length === after.length ? "" : `, of ${before.length} in the base and ${after.length} now`;
    return `  entry ${n + 1}${counts}\n  - ${left}\n  + ${right}`;
  }
  return null;
}

/** The order of keys does not count as a difference. */
function canonical(value) {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
