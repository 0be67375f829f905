/** Suggests the known name that was probably meant. */

const NAME_MAX = 80;

/** Fewer letters match the start of too many names. */
const BEGINNING_MIN = 2;

/** The nearest of the names, if it is near enough: a few letters off, or one with this start. */
export function suggestName(given: string, names: Iterable<string>): string | null {
  if (given.length > NAME_MAX) return null;
  const asked = given.toLowerCase();
  let best: string | null = null;
  let least = slipsIn(given.length) + 1;
  for (const name of names) {
    const known = name.toLowerCase();
    const begins = given.length >= BEGINNING_MIN && known.startsWith(asked);
    const distance = begins ? Math.min(1, known.length - asked.length) : editDistance(asked, known, least);
    if (distance < least || (begins && best === null)) {
      best = name;
      least = distance;
    }
  }
  return best;
}

/** Accepted number of wrong letters by length: in a short word, another letter makes another word. */
const slipsIn = (length: number): number => Math.max(Math.min(2, Math.floor(length / 3)), Math.floor(length / 4));

/** For keys of the configuration: a key under a wrong section is near too. */
export function suggestKey(given: string, keys: Iterable<string>): string | null {
  const last = given.slice(given.lastIndexOf(".") + 1);
  const all = [...keys];
  const alike = all.filter((key) => key.endsWith(`.${last}`));
  return suggestName(given, alike) ?? alike[0] ?? suggestName(given, all);
}

/** The one name that was probably meant; null if none is near. */
export function nearestName(given: string, names: readonly string[]): string | null {
  const near = suggestName(given, names);
  return near === null ? null : `did you mean ${near}?`;
}

const LISTED_MAX = 20;

/** Lists the available names in place of an unknown one, with the probable one first. */
export function otherNames(given: string, names: readonly string[], listedMax: number = LISTED_MAX): string {
  const known = [...new Set(names)];
  if (known.length === 0) return "available: none";
  const near = suggestName(given, known);
  const more = known.length > listedMax ? ` and ${known.length - listedMax} more` : "";
  return `${near ? `did you mean ${near}? ` : ""}available: ${known.slice(0, listedMax).join(", ")}${more}`;
}

/** Insertions, deletions, replacements and swaps of neighbours; at least `enough` if it is not less. */
function editDistance(a: string, b: string, enough: number): number {
  if (Math.abs(a.length - b.length) >= enough) return enough;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + same,
        swapped ? (before[j - 2] ?? 0) + 1 : enough,
      );
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? enough;
}
