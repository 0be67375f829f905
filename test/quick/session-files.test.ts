/**
 * Session files, event streams and exports of real programs, made with the scripted model server: the program is
 * recognised by its records, and the last verdict is what the server did.
 */
import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SOURCE_NAMES } from "../../src/replay/case-folder.js";
import { replayTranscript } from "../../src/replay/replay-records.js";

const FOLDER = join(import.meta.dirname, "..", "fixtures", "records");
const OPTIONS = { sources: new Set(SOURCE_NAMES), zone: "UTC" };

/** By file: the kind of program, and the verdict at its end. */
const FILES: Readonly<Record<string, readonly [kind: string, verdict: string]>> = {
  "copilot/events-approved.jsonl": ["copilot", "complete"],
  "copilot/events-auth.jsonl": ["copilot", "error/auth"],
  "copilot/events-done.jsonl": ["copilot", "complete"],
  "copilot/events-interrupted.jsonl": ["copilot", "idle"],
  "copilot/events-permission.jsonl": ["copilot", "needs_input/permission"],
  "copilot/events-quota.jsonl": ["copilot", "error/billing"],
  "gemini/session-0.20.json": ["gemini", "complete"],
  "gemini/session-credit.jsonl": ["gemini", "error/billing"],
  "gemini/session-done.jsonl": ["gemini", "complete"],
  "gemini/session-safety.jsonl": ["gemini", "error/policy_refusal"],
  "gemini/stream-auth.jsonl": ["gemini", "error/auth"],
  "gemini/stream-credit.jsonl": ["gemini", "error/billing"],
  "gemini/stream-done.jsonl": ["gemini", "complete"],
  "gemini/stream-quota.jsonl": ["gemini", "rate_limited/limit"],
  "gemini/stream-safety.jsonl": ["gemini", "error/policy_refusal"],
  "opencode/export-auth.json": ["opencode", "error/auth"],
  "opencode/export-done.json": ["opencode", "complete"],
  "opencode/run-done.jsonl": ["opencode", "complete"],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rouse-session-files-"));
});
afterAll(() => rm(folder, { recursive: true }));

const judged = async (path: string): Promise<{ kind: string; verdicts: string[]; skipped: object }> => {
  const { kind, timeline, skipped } = await replayTranscript(path, OPTIONS);
  const verdicts = timeline.map(({ state, cause }) => (cause === null ? state : `${state}/${cause}`));
  return { kind, verdicts, skipped: Object.fromEntries(skipped) };
};

describe("a file of a real program", () => {
  it("is listed here", () => {
    const found = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => /\.jsonl?$/.test(name));
    expect(found.sort()).toEqual(Object.keys(FILES).sort());
  });

  it.each(Object.entries(FILES))(
    "%s is recognised and judged, and no record of it is unknown",
    async (name, wanted) => {
      const { kind, verdicts, skipped } = await judged(join(FOLDER, name));
      expect([kind, verdicts.at(-1)]).toEqual(wanted);
      expect(skipped).toEqual({});
    },
  );

  it("is read the same on one line and on many", async () => {
    for (const name of Object.keys(FILES).filter((one) => one.endsWith(".json"))) {
      const document: unknown = JSON.parse(await readFile(join(FOLDER, name), "utf8"));
      const path = join(folder, "one-line.json");
      await writeFile(path, `\n${JSON.stringify(document)}\n`);
      expect(await judged(path)).toEqual(await judged(join(FOLDER, name)));
    }
  });

  it("is a permission of Copilot CLI until it is answered", async () => {
    const { verdicts } = await judged(join(FOLDER, "copilot/events-approved.jsonl"));
    expect(verdicts).toContain("needs_input/permission");
  });

  it.each([
    ["a document of another program", '{\n  "name": "x",\n  "messages": []\n}\n'],
    ["a document that is cut off", '{\n  "sessionId": "s",\n  "projectHash": "h",\n'],
  ])("is refused if it is %s", async (_, text) => {
    const path = join(folder, "foreign.json");
    await writeFile(path, text);
    await expect(judged(path)).rejects.toThrow(/foreign\.json is not a transcript/);
  });
});
