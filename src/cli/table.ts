/** A table that fits the terminal: the last column that may shrink gives way first. */
export interface Column<Row> {
  title: string;
  text: (row: Row) => string;
  /** May be cut down to this width; fixed where missing. */
  min?: number;
  paint?: (text: string, row: Row) => string;
}

export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const cells = rows.map((row) => columns.map((column) => column.text(row)));
  const widths = columns.map((column, i) =>
    Math.max(column.title.length, ...cells.map((line) => (line[i] as string).length)),
  );
  const over = (): number => widths.reduce((sum, w) => sum + w + 2, -2) - width;
  for (let i = columns.length - 1; i >= 0 && over() > 0; i--) {
    const min = columns[i]?.min;
    if (min !== undefined)
      widths[i] = Math.max(Math.max(min, (columns[i] as Column<Row>).title.length), (widths[i] as number) - over());
  }
  const cut = (text: string, w: number): string =>
    text.length > w ? `${text.slice(0, Math.max(0, w - 1))}…` : text.padEnd(w);
  const head = columns
    .map((column, i) => cut(column.title, widths[i] as number))
    .join("  ")
    .trimEnd();
  const body = cells.map((line, r) =>
    line
      .map((text, i) => {
        const fitted = cut(text, widths[i] as number);
        const { paint } = columns[i] as Column<Row>;
        return paint ? paint(fitted, rows[r] as Row) : fitted;
      })
      .join("  ")
      .trimEnd(),
  );
  return `${[head, ...body].join("\n")}\n`;
}
