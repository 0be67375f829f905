/** `rouse replay --explain`: its output for a recording is stored in a file, so that changes are visible. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OWN_CASES } from "../support/recordings.js";
import { rouse } from "../support/rouse.js";

const PERMISSION = join(OWN_CASES, "goose/permission");
const GOLDEN = join(import.meta.dirname, "../fixtures/explain/goose-permission.txt");

interface Explained {
  timeline: { t: number; state: string }[];
  explained: { t: number; rule: string; screen: { rows: { region: string; rules: { fact: string }[] }[] } | null }[];
}
const explained = (...args: string[]): Explained =>
  JSON.parse(rouse(["replay", PERMISSION, "--json", ...args]).stdout) as Explained;

describe("rouse replay --explain", () => {
  it("prints verdict, rule, reasons, signals, regions and matched rules at each change, in 80 columns", async () => {
    const { status, stdout, stderr } = rouse(["replay", PERMISSION, "--explain"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    await expect(stdout).toMatchFileSnapshot(GOLDEN);
  });

  it("explains every entry of the timeline without changing the timeline", () => {
    const { timeline, explained: moments } = explained("--explain");
    expect(timeline).toEqual(explained().timeline);
    expect(moments.map(({ t }) => t)).toEqual(expect.arrayContaining(timeline.map(({ t }) => t)));
    expect(moments.at(-1)?.rule).toBe("byPrompt");
  });

  it("explains the last judgement up to a moment", () => {
    const { explained: moments } = explained("--explain", "0:09.5");
    expect(moments).toHaveLength(1);
    expect(moments[0]?.t).toBeLessThanOrEqual(9.5);
    expect(moments[0]?.screen?.rows.map(({ region }) => region)).toContain("dialog");
  });

  it.each([
    [[PERMISSION, "--explain", "soon"], 'seconds such as "12.5"'],
    [["--explain", "--events", "f"], "--explain cannot be combined with --events"],
  ])("refuses a request that it cannot explain, with exit code 2: %j", (args, complaint) => {
    const { status, stderr } = rouse(["replay", ...args]);
    expect(status).toBe(2);
    expect(stderr).toContain(complaint);
  });
});
