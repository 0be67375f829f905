/** The final verdict on a recorded program after its exit: by all sources, and by its screen alone. */
import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "../../src/core/judgement/timeline.js";
import { CORPUS, caseFolders, OWN_CASES, readMeta } from "../support/recordings.js";
import { rouse } from "../support/rouse.js";

const RESULTS = new Set(["complete", "error", "rate_limited"]);
const FULL = process.env.ROUSE_FULL === "1";
const folders = [...caseFolders(OWN_CASES), ...(CORPUS && FULL ? caseFolders(`${CORPUS}/live`) : [])];

function timelines(...options: string[]): Map<string, TimelineEntry[]> {
  const { stdout } = rouse(["replay", ...folders, "--json", ...options]);
  const lines = stdout.trim().split("\n");
  return new Map(folders.map((path, i) => [path, (JSON.parse(lines[i] as string) as Line).timeline]));
}
interface Line {
  timeline: TimelineEntry[];
}

describe.each([[[]], [["--sources", "screen"]]])("the final state of a recording (%j)", (options) => {
  const said = timelines(...options);
  const ends = folders.flatMap((path) => {
    const { t_end, exit, signal } = readMeta(path) as { t_end: number; exit?: number | null; signal?: number | null };
    if (exit == null && signal == null) return [];
    const timeline = said.get(path) as TimelineEntry[];
    const before = timeline.findLast(({ t }) => t <= t_end)?.state ?? "unknown";
    return [{ path, before, last: (timeline.at(-1) as TimelineEntry).state }];
  });

  it("is the result, if there was one before the program exited", () => {
    expect(ends.length).toBeGreaterThan(20);
    const lost = ends.filter(({ before, last }) => RESULTS.has(before) && last !== before);
    expect(lost).toEqual([]);
  });

  it("is not a result, if there was none", () => {
    const invented = ends.filter(({ before, last }) => !RESULTS.has(before) && RESULTS.has(last));
    expect(invented).toEqual([]);
  });

  it("is never stuck, working or waiting for a program that has exited", () => {
    expect(ends.filter(({ last }) => ["stuck", "working", "waiting", "starting"].includes(last))).toEqual([]);
  });
});
