import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
// @ts-expect-error: a script without types
import * as collect from "../scripts/figures/collect.mjs";
// @ts-expect-error: a script without types
import * as pages from "../scripts/figures/publish.mjs";

interface Figure {
  value: number | null;
  date: string;
  source: string;
}
type Figures = Record<string, Figure>;

const { benchFigures, mutationFigures } = collect as {
  benchFigures: (result: unknown) => Figures;
  mutationFigures: (page: string, date: string) => Figures;
};
const { PAGES, publish } = pages as {
  PAGES: Record<string, (figures: Figures) => string>;
  publish: (page: string, text: string) => string;
};

const read = (path: string): string => readFileSync(join(import.meta.dirname, "..", path), "utf8");
const { figures } = JSON.parse(read("docs/evidence/figures.json")) as { figures: Figures };
const value = (key: string): number | null | undefined => figures[key]?.value;

describe("docs/evidence/figures.json", () => {
  it("has a date and a source command for every figure", () => {
    const bare = Object.entries(figures).filter(
      ([, { date, source }]) => !/^20\d\d-\d\d-\d\d$/.test(date) || !/^(?:bin\/rouse|npm run) /.test(source),
    );
    expect(bare).toEqual([]);
    expect(Object.keys(figures).length).toBeGreaterThan(40);
  });
});

describe("the pages that publish figures", () => {
  it.each(Object.keys(PAGES))("%s publishes the figures of figures.json", (path) => {
    const page = read(path);
    expect(publish(page, PAGES[path]?.(figures) ?? "")).toBe(page);
  });

  it("docs/evidence/accuracy.md lists the misses of figures.json", () => {
    const page = read("docs/evidence/accuracy.md");
    const label = (name: string): string =>
      `${value(`corpus.transcripts.${name}.found`)} of ${value(`corpus.transcripts.${name}.of`)} found`;
    expect(page).toContain(`| stalls in transcripts | ${label("stalled")} |`);
    expect(page).toContain(`| limits in transcripts | ${label("rate_limited")} |`);
    const alarms = `| alarms in transcripts | ${value("corpus.transcripts.alarms")} in ${value("corpus.transcripts.quiet_hours")} quiet agent-hours |`;
    expect(page.includes(alarms)).toBe(value("corpus.transcripts.alarms") !== 0);
    expect(page).toContain(
      `precision ${value("corpus.events.all_precision")?.toFixed(2)}, recall ${value("corpus.events.all_recall")?.toFixed(2)} |`,
    );
    expect(page).toContain(
      `all ${value("recordings.all.of")} problems of ${value("recordings.cases")} recordings were found`,
    );
  });

  it("refuse to publish a figure that is missing", () => {
    expect(() => PAGES["README.md"]?.({})).toThrow("no figure corpus.cases");
  });

  it("show each row of a benchmark with its bar once there is one", () => {
    const result = { name: "replay", figure: 5712.3, unit: "× real time", relation: ">=", bar: 1000, met: true };
    const speed = benchFigures({ at: "2026-11-16T10:00:00Z", results: [result] });
    expect(PAGES["docs/evidence/speed.md"]?.(speed)).toContain("| replay | 5710 × real time | ≥ 1000 | met |");
  });
});

it("the mutation figure is read from its report, and left out if there is none", () => {
  const page = "On 2026-11-16: 412 of 500 mutants killed (82.4 %), 80 survived";
  expect(mutationFigures(page, "2026-01-01")).toMatchObject({
    "mutation.killed": { value: 412, date: "2026-11-16", source: "npm run mutate" },
    "mutation.of": { value: 500 },
  });
  const both = `${page}\n\nFresh seed: 65 of 100 mutants killed (65 %)`;
  expect(mutationFigures(both, "2026-01-01")).toMatchObject({
    "mutation.killed": { value: 412 },
    "mutation.fresh_killed": { value: 65 },
    "mutation.fresh_of": { value: 100 },
  });
  expect(mutationFigures("nothing yet", "2026-01-01")).toEqual({});
});
