/** The figures of a run as a table: each client and way a column, each scenario a row. */
import type { Case, Figure } from "./case.js";
import { SCENARIOS } from "./scenarios.js";

export interface Measured extends Case {
  figure: Figure;
}

export function figuresText(all: readonly Measured[]): string {
  // Cases end in any order; the table has a fixed order.
  const columns = [...new Set(all.map(columnOf))].sort();
  const run = SCENARIOS.filter(({ name }) => all.some(({ scenario }) => scenario.name === name));
  const rows = run.map(({ name }) => [
    name,
    ...columns.map((column) => {
      const found = all.find((one) => one.scenario.name === name && columnOf(one) === column);
      return found ? cellOf(found.figure) : "";
    }),
  ]);
  const lines = [["scenario", ...columns], ["scenario", ...columns].map(() => "---"), ...rows];
  const right = all.filter(({ figure }) => figure.wrong.length === 0).length;
  return [...lines.map((cells) => `| ${cells.join(" | ")} |`), "", `${right} of ${all.length} right`].join("\n");
}

const columnOf = ({ installed, way }: Case): string => `${installed.client.name} ${installed.version}, ${way}`;

/** The delay of the scenario's main verdict: the last one. */
function cellOf({ delays, wrong }: Figure): string {
  const delay = delays.at(-1);
  const reached = delay === undefined || delay === null ? "not reached" : `${delay.toFixed(1)} s`;
  return wrong.length === 0 ? reached : `${reached}, WRONG`;
}
