/** What a terminal gets when one frame follows another: only the lines that changed, as one synchronized update. */
const CSI = "\u001b[";

/** `before` is null if the screen is unknown. */
export function frameBytes(before: readonly string[] | null, lines: readonly string[]): string {
  const isKnown = before !== null && before.length === lines.length;
  // Erased first: a line as wide as the terminal leaves the cursor on its last cell.
  const changed = lines.flatMap((line, row) =>
    isKnown && before[row] === line ? [] : [`${CSI}${row + 1};1H${CSI}2K${line}`],
  );
  if (changed.length === 0) return "";
  return `${CSI}?2026h${isKnown ? "" : `${CSI}2J`}${changed.join("")}${CSI}?2026l`;
}
