/** A table that fits the terminal: the last column that may shrink gives way first. */
import { fitTo, textWidth } from "./width.js";

export interface Column<Row> {
  title: string;
  text: (row: Row) => string;
  /** May be cut down to this width; fixed where missing. */
  min?: number;
  /** Cut only when all others have given what they can. */
  isDear?: true;
  paint?: (text: string, row: Row) => string;
}

export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const cells = rows.map((row) => columns.map((column) => column.text(row)));
  const widths = columns.map((column, i) =>
    Math.max(column.title.length, ...cells.map((line) => textWidth(line[i] as string))),
  );
  const over = (): number => widths.reduce((sum, w) => sum + w + 2, -2) - width;
  const places = columns.map((_, i) => i).reverse();
  const dear = places.filter((i) => columns[i]?.isDear);
  for (const i of [...places.filter((place) => !dear.includes(place)), ...dear]) {
    const { min, title } = columns[i] as Column<Row>;
    if (min !== undefined && over() > 0) widths[i] = Math.max(min, title.length, (widths[i] as number) - over());
  }
  const head = columns
    .map((column, i) => fitTo(column.title, widths[i] as number))
    .join("  ")
    .trimEnd();
  const body = cells.map((line, r) =>
    line
      .map((text, i) => {
        const fitted = fitTo(text, widths[i] as number);
        const { paint } = columns[i] as Column<Row>;
        return paint ? paint(fitted, rows[r] as Row) : fitted;
      })
      .join("  ")
      .trimEnd(),
  );
  return `${[head, ...body].join("\n")}\n`;
}
