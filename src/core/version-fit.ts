/** The releases whose recordings a profile was checked against. */
export interface VersionRange {
  from: string;
  to: string;
}

/** -1, 0 or 1: the release is before, within or after the range. Null if unknown. */
export function versionFit(range: VersionRange | null, version: string | undefined): -1 | 0 | 1 | null {
  if (!range || !version) return null;
  if (compareVersions(version, range.from) < 0) return -1;
  return compareVersions(version, range.to) > 0 ? 1 : 0;
}

export function compareVersions(a: string, b: string): number {
  const parts = (v: string): number[] => (v.slice(0, 64).match(/\d+/g) ?? []).slice(0, 4).map(Number);
  const [x, y] = [parts(a), parts(b)];
  for (let i = 0; i < 4; i++) {
    const difference = (x[i] ?? 0) - (y[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
