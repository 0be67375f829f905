import { describe, expect, it } from "vitest";
import { profileFor } from "../programs/registry.js";
import { foldRecording } from "./fold.js";
import { fromArray, type RecordedInput } from "./inputs.js";

const RULE = "─".repeat(60);
const bytes = (t: number, text: string): RecordedInput => ({ t, kind: "bytes", bytes: new TextEncoder().encode(text) });
const frame = (above: string) => `\u001b[2J\u001b[H${above}\r\n\r\n${RULE}\r\n❯ \r\n${RULE}\r\n  ? for shortcuts`;

async function story(inputs: RecordedInput[]) {
  const size = { cols: 80, rows: 20 };
  const folded = await foldRecording(fromArray(inputs), {
    profile: profileFor("claude"),
    startAt: 1_700_000_000_000,
    zone: "UTC",
    size,
  });
  return folded.timeline.map(({ t, state, cause }) => [t, cause ? `${state}/${cause}` : state]);
}

const SESSION: RecordedInput[] = [
  bytes(0.2, frame("Welcome")),
  { t: 3, kind: "keys", text: "do it\r" },
  bytes(3.2, frame("❯ do it\r\n\r\n✢ Baking… (0s)")),
  bytes(4.2, frame("❯ do it\r\n\r\n✳ Baking… (1s)")),
  bytes(6.2, frame("❯ do it\r\n\r\n⏺ Done, all tests pass.\r\n\r\n✻ Baked for 3s")),
  { t: 20, kind: "end" },
];

describe("folding a recording", () => {
  it("produces the timeline of a turn", async () => {
    const states = (await story(SESSION)).map(([, state]) => state);
    expect(states).toEqual(["starting", "idle", "working", "complete"]);
  });

  it("judges on a virtual clock: a silence of hours is reported when its clock runs out", async () => {
    const hang = [...SESSION.slice(0, 4), { t: 7200, kind: "end" } as const];
    const stuck = (await story(hang)).find(([, state]) => String(state).startsWith("stuck"));
    expect(stuck?.[1]).toBe("stuck/frozen_screen");
    expect(Number(stuck?.[0])).toBeLessThan(120);
  });

  it("reads the program's last output before it judges its exit", async () => {
    const cut: RecordedInput[] = [...SESSION.slice(0, 5), { t: 6.3, kind: "exit", code: 0, signal: null }];
    expect((await story(cut)).at(-1)?.[1]).toBe("complete");
  });

  it("ignores inputs with an impossible time", async () => {
    const folded = await foldRecording(fromArray([bytes(1e300, "x"), bytes(Number.NaN, "x")]), {
      profile: profileFor("claude"),
      startAt: 0,
      zone: "UTC",
      size: { cols: 80, rows: 20 },
    });
    expect(folded.skipped.get("impossible time")).toBe(2);
  });
});
