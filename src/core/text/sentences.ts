/** Joins texts that can each stand alone; empty ones are left out. The first keeps its case: it may continue a sentence. */
export function joinSentences(parts: readonly (string | undefined)[]): string {
  return parts
    .filter((part): part is string => part !== undefined && part !== "")
    .map((part, n) => (n === 0 ? part : upperFirst(part)).replace(/\.$/, ""))
    .join(". ");
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
