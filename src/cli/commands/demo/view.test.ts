import { describe, expect, it } from "vitest";
import { Story } from "../../../demo/story.js";
import { eventLineText, frameText, storySummaryText } from "./view.js";

const times = { realMs: 42_000, times: 8 };
const LONG = "a word that ends nowhere ".repeat(40);

function longStory(): Story {
  const story = new Story();
  for (const row of story.rows)
    Object.assign(row, { state: "stuck", cause: "silent_stream", story: LONG, doing: LONG });
  return story;
}

describe("the demo's screen", () => {
  it.each([
    [80, 24],
    [40, 10],
    [60, 18],
    [200, 60],
    [120, 2],
  ])("fits into %i columns and %i rows with long texts", (columns, rows) => {
    const lines = frameText(longStory(), { columns, rows, colour: false }, times).split("\n");
    expect(lines.length).toBeLessThan(rows);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it("shows all six agents with their reasons and the speed of the clocks in 80x24", () => {
    const text = frameText(new Story(), { columns: 80, rows: 24, colour: false }, times);
    expect(text).toContain("at 8x speed: 42 s real time, 6 min agent time");
    for (const { member } of new Story().rows) {
      expect(text).toContain(`\n${member.name}`);
      expect(text).toContain(`\n  ${member.plot}`);
    }
    expect(text).toContain("Ctrl-C");
  });

  it.each([
    [10, 6, null],
    [9, 6, null],
    [8, 4, "and 2 more"],
    [5, 1, "and 5 more"],
  ])("shows, in %i rows, %i agents in one row each and counts the others", (rows, shown, more) => {
    const text = frameText(new Story(), { columns: 60, rows, colour: false }, times);
    expect(new Story().rows.filter(({ member }) => text.includes(`\n${member.name} `))).toHaveLength(shown);
    expect(/^and .*$/m.exec(text)?.[0] ?? null).toBe(more);
    expect(text).toContain("\nPress Ctrl-C to stop");
  });

  it("prints no control bytes of an agent", () => {
    const story = longStory();
    for (const row of story.rows) Object.assign(row, { story: "a\u001b[2Jb", doing: "c\u0007d" });
    const event = {
      t: 1,
      agent: "hang",
      event: "state",
      state: "stuck",
      cause: null,
      do: null,
      text: "a\u001b]0;x\u0007",
    } as const;
    const all = frameText(story, { columns: 80, rows: 24, colour: false }, times) + eventLineText(event);
    expect(Array.from(all).filter((char) => char < " " && char !== "\n")).toEqual([]);
  });
});

describe("the demo's summary", () => {
  it("lists all agents, also unfinished ones, and what to try next", () => {
    const story = new Story();
    const [first] = story.rows;
    if (first) first.ending = "left_alone";
    const text = storySummaryText(story, times, { colour: false });
    expect(text).toContain("left alone   healthy     two silent minutes of tests: no false alarm");
    expect(text).toContain("unfinished   crash");
    expect(text).toContain("rouse run -- claude");
  });

  it("says that the machine was short of CPU, if it was", () => {
    const frame = { columns: 80, rows: 24, colour: false };
    const starved = { ...times, starvedMs: 12_000 };
    const said = "This machine is short of CPU: the demo waited 12 s for it and takes longer.";
    expect(storySummaryText(new Story(), starved, frame)).toContain(said);
    expect(frameText(new Story(), frame, starved)).toContain(said);
    expect(storySummaryText(new Story(), { ...times, starvedMs: 4000 }, frame)).not.toContain("CPU");
  });

  it("fits into 80 columns if all goes as planned", () => {
    const story = new Story();
    const did: Record<string, string[]> = {
      hang: ["interrupted", "nudged"],
      limit: ["waited for the reset", "nudged"],
      loop: ["interrupted", "nudged"],
      crash: ["resumed"],
    };
    for (const row of story.rows) Object.assign(row, { ending: row.member.ending, did: did[row.member.name] ?? [] });
    for (const line of storySummaryText(story, times, { colour: false }).split("\n"))
      expect(line.length).toBeLessThanOrEqual(80);
  });
});
