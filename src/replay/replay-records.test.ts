import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SOURCE_NAMES } from "./case-folder.js";
import { replaySignals, replayTranscript } from "./replay-records.js";

const CASES = join(import.meta.dirname, "..", "..", "test", "fixtures", "cases");
const OPTIONS = { sources: new Set(SOURCE_NAMES), zone: "UTC" };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rouse-records-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a transcript without a recording", () => {
  it("loses only its damaged lines, and counts them", async () => {
    const lines = readFileSync(join(CASES, "claude/normal/transcript-1.jsonl"), "utf8").split("\n");
    const path = join(folder, "damaged.jsonl");
    await writeFile(path, [...lines.slice(0, 2), "garbage", '{"type": "assi', ...lines.slice(2)].join("\n"));
    const { timeline, skipped } = await replayTranscript(path, OPTIONS);
    expect(timeline.at(-1)?.state).toBe("complete");
    expect(skipped.get("damaged line")).toBe(2);
  });

  it.each([
    ["The bug is fixed.", undefined, "stuck", "no_completion_signal"],
    ["The bug is fixed. <promise>COMPLETE</promise>", undefined, "complete", null],
    ["`<promise>COMPLETE</promise>` is not printed: two tests fail.", undefined, "stuck", "no_completion_signal"],
    ["The bug is fixed.", "<all-done/>", "complete", null],
  ])("must contain the completion marker that its prompt asks for: %s (%s)", async (text, marker, state, cause) => {
    const path = join(folder, "marker.jsonl");
    const asked = "Fix the bug. Print <promise>COMPLETE</promise> when all is done.";
    const at = (minute: number, record: object): string =>
      JSON.stringify({ uuid: `u${minute}`, sessionId: "s", timestamp: `2026-03-02T09:${minute}:00Z`, ...record });
    const said = { role: "assistant", stop_reason: "end_turn", content: [{ type: "text", text }] };
    const lines = [
      at(10, { type: "user", message: { role: "user", content: asked } }),
      at(11, { type: "assistant", message: said }),
      at(12, { type: "system", subtype: "turn_duration" }),
      at(40, { type: "system", subtype: "local_command" }),
    ];
    await writeFile(path, `${lines.join("\n")}\n`);
    const { timeline } = await replayTranscript(path, { ...OPTIONS, ...(marker ? { marker } : {}) });
    expect(timeline.at(-1)).toMatchObject({ state, cause });
  });

  it("may have records of unknown kinds, which are counted", async () => {
    const path = join(folder, "new.jsonl");
    const record = { type: "hologram", uuid: "1", sessionId: "2", timestamp: "2026-03-02T09:00:00Z" };
    const known = { ...record, type: "user", uuid: "2", message: { role: "user", content: "begin" } };
    const unknown = ["3", "4", "5"].map((uuid) => ({ ...record, uuid }));
    await writeFile(path, [...unknown, known].map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect([...(await replayTranscript(path, OPTIONS)).skipped]).toEqual([["hologram", 3]]);
  });

  it.each([
    [
      "a recording of a terminal",
      '{"version": 2, "width": 80, "height": 24, "timestamp": 1770000000}\n[0.1, "o", "hi"]\n',
    ],
    [
      "a log of another program",
      '{"timestamp": "2026-03-02T09:00:00Z", "version": "7", "cwd": "/srv", "level": "info"}\n'.repeat(4),
    ],
  ])("is rejected if no record is understood, and the error names the supported programs: %s", async (_, text) => {
    const path = join(folder, "foreign.jsonl");
    await writeFile(path, text);
    await expect(replayTranscript(path, OPTIONS)).rejects.toThrow(
      /foreign\.jsonl is not a transcript that rouse can read: it understood none of the records; supported programs: claude-code, codex/,
    );
  });

  it("may be the rows of OpenCode's database", async () => {
    const { timeline } = await replayTranscript(join(CASES, "opencode/long-bash/transcript-db.jsonl"), OPTIONS);
    expect(timeline.map(({ state }) => state)).toEqual(expect.arrayContaining(["waiting", "complete"]));
    expect(timeline.every(({ t }) => t >= 0)).toBe(true);
  });
});

describe("stored signals", () => {
  it("are replayed in their order, and other lines are counted", async () => {
    const at = Date.parse("2026-03-02T09:00:00Z");
    const signals = [
      { kind: "turn", at, source: "transcript", phase: "start" },
      { kind: "delta", at: at + 8_000, source: "transcript", channel: "content", chars: 4 },
      { kind: "delta", at: at + 5_000, source: "transcript", channel: "content", chars: 4 },
      { kind: "turn", at: at + 9_000, source: "transcript", phase: "end" },
    ].map((signal) => JSON.stringify(signal));
    const path = join(folder, "signals.jsonl");
    await writeFile(path, ["[1]", ...signals, '{"kind": "nonsense"}'].join("\n"));
    const { timeline, signals: taken, skipped } = await replaySignals(path, OPTIONS);
    expect(timeline.map(({ t, state }) => [t, state])).toEqual([
      [0, "starting"],
      [0, "working"],
      [9, "complete"],
    ]);
    expect({ taken, lost: skipped.get("damaged line") }).toEqual({ taken: 5, lost: 2 });
  });
});
