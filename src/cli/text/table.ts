/** A table that fits the terminal: columns that can be spared are left out, then the widest shrinkable column is cut. */
import { fitTo, textWidth } from "./width.js";

export interface Column<Row> {
  title: string;
  text: (row: Row) => string;
  /** May be cut to this width, and below it if nothing else is left; never cut if missing. */
  min?: number;
  /** Cut after all other columns. */
  isDear?: true;
  /** Left out if there is no room for all columns; the highest number first. */
  spare?: number;
  paint?: (text: string, row: Row) => string;
}

export function tableText<Row>(all: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const columns = affordable(all, rows, width);
  const cells = rows.map((row) => columns.map((column) => column.text(row)));
  const widths = columns.map((column) => widthOf(column, rows));
  let over = sumOf(widths) - width;
  const shrink = (places: readonly number[], least: (column: Column<Row>) => number): void => {
    while (over > 0) {
      const widest = widestOf(
        places.filter((i) => (widths[i] as number) > least(columns[i] as Column<Row>)),
        widths,
      );
      if (widest === null) break;
      widths[widest] = (widths[widest] as number) - 1;
      over--;
    }
  };
  const places = (which: (column: Column<Row>) => boolean): number[] =>
    columns.flatMap((column, i) => (which(column) ? [i] : []));
  shrink(
    places(({ isDear }) => !isDear),
    leastOf,
  );
  shrink(
    places(({ isDear }) => isDear === true),
    leastOf,
  );
  // Too narrow to read, but still one line per row.
  shrink(
    places(({ min }) => min !== undefined),
    () => 1,
  );
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

/** Without the columns that do not fit even if all others are cut. */
function affordable<Row>(all: readonly Column<Row>[], rows: readonly Row[], width: number): readonly Column<Row>[] {
  const least = sumOf(all.map((column) => Math.min(widthOf(column, rows), leastOf(column))));
  const rank = Math.max(...all.map(({ spare = 0 }) => spare));
  if (least <= width || rank === 0) return all;
  return affordable(
    all.filter(({ spare = 0 }) => spare !== rank),
    rows,
    width,
  );
}

const widthOf = <Row>({ title, text }: Column<Row>, rows: readonly Row[]): number =>
  Math.max(title.length, ...rows.map((row) => textWidth(text(row))));

/** With two spaces between columns. */
const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + 2, -2);

const leastOf = <Row>({ min, title }: Column<Row>): number =>
  min === undefined ? Number.POSITIVE_INFINITY : Math.max(min, title.length);

/** The last one if several are equally wide. */
const widestOf = (places: readonly number[], widths: readonly number[]): number | null =>
  places.reduce<number | null>(
    (best, i) => (best === null || (widths[i] as number) >= (widths[best] as number) ? i : best),
    null,
  );
