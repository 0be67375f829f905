import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isCaseFolder, openCase, SOURCE_NAMES, type SourceName } from "./case-folder.js";
import type { RecordedInput } from "./inputs.js";
import { replayCase } from "./replay-case.js";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "rouse-case-"));
});
afterAll(() => rm(root, { recursive: true }));

const CAST = '{"version": 2, "width": 80, "height": 24, "timestamp": 1000}\n[1, "o", "hi"]\n[2, "i", "y"]\n';
const user = { type: "user", timestamp: "2026-03-02T09:00:00Z", message: { role: "user", content: "go" } };
const answer = { type: "assistant", timestamp: "2026-03-02T09:00:05Z", message: { role: "assistant", content: [] } };

async function make(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  return folder;
}
const FULL = {
  "meta.json": JSON.stringify({ agent: "claude", mode: "tui", size: [100, 30], t_exit: 9, exit: 1, signal: null }),
  "session.cast": CAST,
  "hooks.jsonl": `${JSON.stringify({ t: 3, hook_event_name: "Stop" })}\nnot json\n`,
  "transcript-1.jsonl": `${JSON.stringify(user)}\n${JSON.stringify(answer)}\n`,
  "transcript-times.jsonl": [
    { t: 0.5, file: "/sessions/1.json", session: { status: "busy" } },
    { t: 1.5, file: "/projects/a.jsonl", lines: [{ type: "user", ts: user.timestamp }] },
    { t: 4, file: "/projects/a.jsonl", lines: [{ type: "assistant", ts: answer.timestamp }] },
    { t: 2, file: "/projects/other.jsonl", lines: [{ type: "summary" }] },
  ]
    .map((entry) => JSON.stringify(entry))
    .join("\n"),
};

async function inputsOf(folder: string, sources: readonly SourceName[] = SOURCE_NAMES) {
  const opened = await openCase(folder, new Set(sources));
  const inputs: RecordedInput[] = [];
  for await (const input of opened.inputs) inputs.push(input);
  return { opened, inputs };
}
const reported = (inputs: RecordedInput[]) =>
  inputs.map((i) => `${i.t} ${i.kind}${i.kind === "record" ? ` ${i.source}` : ""}`);

describe("a case folder", () => {
  it("puts every source on one clock, transcripts by the moment at which their lines were written", async () => {
    const { opened, inputs } = await inputsOf(await make("full/case", FULL));
    expect(opened).toMatchObject({ name: "full/case", startAt: 1_000_000, size: { cols: 100, rows: 30 } });
    expect(opened.profile.id).toBe("claude-code");
    expect(reported(inputs)).toEqual([
      "0.5 record session_file",
      "1 bytes",
      "1.5 record transcript",
      "2 keys",
      "3 record hook",
      "4 record transcript",
      "9 exit",
    ]);
  });

  it("gives only the chosen sources; keys and the exit always count", async () => {
    const folder = await make("full/chosen", FULL);
    expect(reported((await inputsOf(folder, ["hooks"])).inputs)).toEqual([
      "1 end",
      "2 keys",
      "3 record hook",
      "9 exit",
    ]);
    expect((await inputsOf(folder, ["transcript"])).opened.size).toBeNull();
  });

  it("has a stream and no screen for a headless run", async () => {
    const meta = JSON.stringify({ agent: "claude", mode: "headless" });
    const { opened, inputs } = await inputsOf(await make("headless/case", { "meta.json": meta, "session.cast": CAST }));
    expect(opened.size).toBeNull();
    expect(reported(inputs)).toEqual(["1 stdout", "2 keys"]);
  });

  it("lasts until its recorded end, even if its last byte came much earlier", async () => {
    const meta = JSON.stringify({ agent: "claude", mode: "tui", t_end: 300 });
    const { inputs } = await inputsOf(await make("quiet/case", { "meta.json": meta, "session.cast": CAST }));
    expect(reported(inputs)).toEqual(["1 bytes", "2 keys", "300 end"]);
  });

  it("is recognized by its files", async () => {
    expect(await isCaseFolder(await make("reported/case", { "session.cast": CAST }))).toBe(true);
    expect(await isCaseFolder(await make("reported/none", { "notes.txt": "" }))).toBe(false);
    expect(await isCaseFolder(join(root, "missing"))).toBe(false);
  });

  it.each([
    ["no recording", { "meta.json": "{}" }, /neither session\.cast/],
    ["an invalid meta.json", { "meta.json": "[]", "session.cast": CAST }, /meta\.json is not a JSON object/],
  ])("with %s is refused by name", async (name, files, message) => {
    await expect(
      openCase(await make(`bad/${name}`, files as Record<string, string>), new Set(SOURCE_NAMES)),
    ).rejects.toThrow(message);
  });

  it("with transcripts alone is read by the times that they name, as the program that wrote them", async () => {
    const lines = [user, { ...answer, parentUuid: null }].map((record) => JSON.stringify(record));
    const folder = await make("alone/case", { "transcript-1.jsonl": lines.join("\n") });
    expect(await isCaseFolder(folder)).toBe(true);
    const { opened, inputs } = await inputsOf(folder);
    expect(opened).toMatchObject({ startAt: Date.parse(user.timestamp), profile: { id: "claude-code" } });
    expect(reported(inputs)).toEqual(["0 record transcript", "5 record transcript"]);
    expect(reported((await inputsOf(folder, ["screen"])).inputs)).toEqual([]);
  });

  it("counts each damaged line of its transcripts, their times and its hooks", async () => {
    const { opened } = await inputsOf(
      await make("damaged/case", {
        ...FULL,
        "transcript-1.jsonl": `${FULL["transcript-1.jsonl"]}{"type": "assi\n\n`,
        "transcript-times.jsonl": `${FULL["transcript-times.jsonl"]}\n[1, 2]\n`,
      }),
    );
    expect(opened.lost()).toBe(3);
  });

  it("judges by process samples too: a program that is up and shows nothing has not started", async () => {
    const samples = Array.from({ length: 600 }, (_, t) => JSON.stringify({ t, alive: true, children: 0, cpuMs: 5 }));
    const folder = await make("silent/case", {
      "meta.json": JSON.stringify({ agent: "opencode", mode: "headless", recorded_at: "2026-03-02T09:00:00.000Z" }),
      "process.jsonl": [...samples, "not json", '{"t": 601, "alive": "perhaps"}'].join("\n"),
    });
    const { timeline, skipped } = await replayCase(folder, { sources: new Set(SOURCE_NAMES), zone: "UTC" });
    expect(timeline.at(-1)).toMatchObject({ state: "stuck", cause: "never_started" });
    expect(skipped.get("damaged line")).toBe(2);
    const { inputs } = await inputsOf(folder, ["screen"]);
    expect(inputs).toEqual([]);
  });
});
