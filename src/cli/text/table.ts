/** A table that fits the terminal: the widest column that may shrink gives way first. */
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
  let over = widths.reduce((sum, w) => sum + w + 2, -2) - width;
  for (const isDear of [false, true]) {
    const mayShrink = columns.flatMap((column, i) => ((column.isDear ?? false) === isDear ? [i] : []));
    while (over > 0) {
      const widest = widestOf(
        mayShrink.filter((i) => (widths[i] as number) > leastOf(columns[i] as Column<Row>)),
        widths,
      );
      if (widest === null) break;
      widths[widest] = (widths[widest] as number) - 1;
      over--;
    }
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

const leastOf = <Row>({ min, title }: Column<Row>): number =>
  min === undefined ? Number.POSITIVE_INFINITY : Math.max(min, title.length);

/** Of columns that are equally wide, the last. */
const widestOf = (places: readonly number[], widths: readonly number[]): number | null =>
  places.reduce<number | null>(
    (best, i) => (best === null || (widths[i] as number) >= (widths[best] as number) ? i : best),
    null,
  );
