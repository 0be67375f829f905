/**
 * Patterns over hostile text. The engine is RE2 (`re2js`): time linear in the text for every pattern, including a
 * user's. Measured: about 300 ns for one of our patterns on one row, ten times V8's engine, which is cheap enough
 * because a known row is not matched again (see `readers/terminal`).
 */
import { RE2JS } from "re2js";

/** A row of a terminal or a joined block of rows is never longer than this when it is matched. */
const TEXT_MAX = 4096;
/** Steps of a compiled pattern: its time is these times the text's length. Our largest has 901; `\\pL{1000}` 1002, and takes 0.2 s. */
const STEPS_MAX = 1000;

export interface Pattern {
  readonly source: string;
  test(text: string): boolean;
  /** Named groups of the first match, or null. A group that did not participate is missing. */
  groups(text: string): Record<string, string> | null;
}

const compiled = new Map<string, Pattern>();

/** Throws with the pattern's own text if it is not a valid RE2 pattern. */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known) return known;
  let engine: RE2JS;
  try {
    engine = RE2JS.compile(source);
  } catch (error) {
    throw new Error(`pattern ${JSON.stringify(source)} is not valid RE2 syntax: ${(error as Error).message}`);
  }
  const steps = engine.programSize();
  if (steps > STEPS_MAX)
    throw new Error(
      `pattern ${JSON.stringify(source)} is too large (${steps} steps, at most ${STEPS_MAX}): use fewer or shorter repetitions`,
    );
  const names = Object.keys(engine.namedGroups());
  const bounded = (text: string): string => (text.length > TEXT_MAX ? text.slice(0, TEXT_MAX) : text);
  const groupsIn = (text: string): Record<string, string> | null => {
    if (names.length === 0) return engine.test(text) ? {} : null;
    const matcher = engine.matcher(text);
    if (!matcher.find()) return null;
    const found: Record<string, string> = {};
    for (const name of names) {
      const from = matcher.start(name);
      if (from >= 0) found[name] = text.slice(from, matcher.end(name));
    }
    return found;
  };
  const made: Pattern = {
    source,
    test: (text) => engine.test(bounded(text)),
    groups: (text) => groupsIn(bounded(text)),
  };
  compiled.set(source, made);
  return made;
}
