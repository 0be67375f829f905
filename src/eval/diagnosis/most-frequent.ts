/** The value that is there most often, and how often; the earliest of several. Null of none. */
export function mostFrequent<T>(values: readonly T[]): [value: T, count: number] | null {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, n], [, m]) => m - n)[0] ?? null;
}
