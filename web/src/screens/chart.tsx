/** A chart; the library comes with the first one. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface ChartProps {
  title: string;
  /** Seconds. */
  times: readonly number[];
  series: readonly { label: string; values: readonly (number | null)[] }[];
  unit: (value: number) => string;
}

const COLOURS = ["#2a8fa3", "#d9822b", "#7d63c4", "#4f9d4f", "#c4536f", "#8a8f98"];
/** Every series has its own dash, too. */
const DASHES = [[], [6, 4], [2, 3], [8, 3, 2, 3], [12, 4], [1, 2]];
const HEIGHT = 200;

export default function Chart({ title, times, series, unit }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const ink = getComputedStyle(place).color;
    const axis = { stroke: ink, grid: { stroke: "rgba(128,128,128,.2)" }, ticks: { stroke: "rgba(128,128,128,.2)" } };
    const plot = new uPlot(
      {
        width: Math.max(240, place.clientWidth),
        height: HEIGHT,
        legend: { live: false },
        cursor: { show: false },
        scales: { y: { range: (_, _min, max) => [0, Math.max(1, max) * 1.1] } },
        axes: [axis, { ...axis, size: 64, values: (_, ticks) => ticks.map(unit) }],
        series: [
          { label: "Week" },
          ...series.map(({ label }, i) => ({
            label,
            stroke: COLOURS[i % COLOURS.length] ?? "#888",
            dash: DASHES[i % DASHES.length] ?? [],
            width: 2,
            points: { show: true, size: 6 },
          })),
        ],
      },
      [[...times], ...series.map(({ values }) => [...values])],
      place,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(240, place.clientWidth), height: HEIGHT }),
    );
    observer.observe(place);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, unit]);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={box} class="chart" role="img" aria-label={chartText(title, series, unit)} />
    </figure>
  );
}

const chartText = (title: string, series: ChartProps["series"], unit: ChartProps["unit"]): string =>
  `${title}: ${series.map(({ label, values }) => `${label} ${values.map((value) => (value === null ? "none" : unit(value))).join(", ")}`).join("; ")}`;
