import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "../../src/core/judgement/timeline.js";
import type { BarResult } from "../../src/eval/bars.js";
import { openCase, SOURCE_NAMES } from "../../src/replay/case-folder.js";
import { foldRecording } from "../../src/replay/fold.js";
import type { RecordedInput } from "../../src/replay/inputs.js";
import { AGE, SOURCE } from "../support/reasons.js";
import { rechunk } from "../support/rechunk.js";
import { CORPUS, caseFolders, OWN_CASES } from "../support/recordings.js";
import { rouse } from "../support/rouse.js";

const FULL = process.env.ROUSE_FULL === "1";
const SOURCES = new Set(SOURCE_NAMES);
const OWN = caseFolders(OWN_CASES);
const short = (path: string): string => path.split("/").slice(-2).join("/");

async function timelineOf(
  path: string,
  cut: (inputs: AsyncIterable<RecordedInput>) => AsyncIterable<RecordedInput>,
): Promise<string> {
  const { inputs, profile, startAt, size } = await openCase(path, SOURCES);
  const { timeline } = await foldRecording(cut(inputs), { profile, startAt, size, zone: "UTC" });
  return JSON.stringify(timeline);
}

describe("rouse replay", () => {
  it.each([["--json"], []])("prints the same bytes when it runs twice (%s)", (...options) => {
    // The text output uses the same timelines: a part of them is enough, except in the full run.
    const cases = FULL || options.length > 0 ? [OWN_CASES] : OWN.filter((_, i) => i % 4 === 0);
    const first = rouse(["replay", ...options, ...cases]);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout.length).toBeGreaterThan(1000);
    expect(rouse(["replay", ...options, ...cases]).stdout).toBe(first.stdout);
  });

  it("shows the age and the source of the evidence with every reason", () => {
    const { stdout } = rouse(["replay", "--json", OWN_CASES]);
    const said = stdout
      .trimEnd()
      .split("\n")
      .flatMap((line) => (JSON.parse(line) as { timeline: TimelineEntry[] }).timeline);
    expect(said.length).toBeGreaterThan(OWN.length);
    for (const reason of said.flatMap(({ reasons }) => reasons)) {
      expect(reason).toMatch(AGE);
      expect(reason).toMatch(SOURCE);
    }
  });

  it("judges each recording by itself, independent of the others", () => {
    const some = OWN.filter((_, i) => i % 8 === 0);
    const one = some.map((path) => rouse(["replay", "--json", path]).stdout);
    expect(rouse(["replay", "--json", ...some]).stdout).toBe(one.join(""));
  });
});

/** One size for each recording, in turn; all of them in the full run. */
const PIECES = [1, 7, 4096];
const piecesOf = (i: number): number[] => (FULL ? PIECES : [PIECES[i % PIECES.length] as number]);

describe.each(OWN.map((path, i) => [short(path), path, i] as const))("the recording %s", (_, path, i) => {
  it.each(piecesOf(i))("gives the same timeline in pieces of %d bytes as in recorded ones", async (size) => {
    const recorded = await timelineOf(path, (inputs) => inputs);
    expect(await timelineOf(path, (inputs) => rechunk(inputs, size))).toBe(recorded);
  });
});

/** The input up to second `t`. */
async function* until(inputs: AsyncIterable<RecordedInput>, t: number): AsyncIterable<RecordedInput> {
  for await (const input of inputs) {
    if (input.t > t) return;
    yield input;
  }
}

describe.each(OWN.map((path, i) => [short(path), path, i] as const))("the recording %s, cut short", (_, path, i) => {
  it("has the same timeline up to that point, and nothing after it", async () => {
    const whole = JSON.parse(await timelineOf(path, (inputs) => inputs)) as TimelineEntry[];
    for (const share of FULL ? [0.2, 0.4, 0.6, 0.8, 0.95] : [0.3 + (i % 7) * 0.1]) {
      const end = (whole.at(-1)?.t ?? 0) * share;
      const cut = JSON.parse(await timelineOf(path, (inputs) => until(inputs, end))) as TimelineEntry[];
      const last = cut.at(-1)?.t ?? 0;
      expect(last).toBeLessThanOrEqual(end);
      const earlier = (entries: TimelineEntry[]) => entries.filter(({ t }) => t < last);
      expect(earlier(cut)).toEqual(earlier(whole));
    }
  });
});

describe.skipIf(CORPUS === null)("the corpus in ROUSE_CORPUS (skipped when the variable is not set)", () => {
  it("meets every bar", { timeout: 600_000 }, () => {
    const { status, stdout } = rouse(["eval", "--json", CORPUS as string]);
    expect(status).toBe(0);
    const { bars } = JSON.parse(stdout) as { bars: BarResult[] };
    expect(bars.filter(({ met }) => met === false)).toEqual([]);
    expect(bars.some(({ met }) => met === true)).toBe(true);
  });

  it.runIf(FULL)("gives the same timelines in pieces of 7 bytes", { timeout: 1_200_000 }, async () => {
    for (const path of caseFolders(`${CORPUS}/live`)) {
      const recorded = await timelineOf(path, (inputs) => inputs);
      expect(await timelineOf(path, (inputs) => rechunk(inputs, 7)), short(path)).toBe(recorded);
    }
  });
});
