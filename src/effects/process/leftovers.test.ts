import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../../config/paths.js";
import { leftoversOf } from "./leftovers.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-leftovers-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** `meanwhile` happens between the two checks. */
function left(session: string, transcript: string | null, meanwhile: () => void = () => {}) {
  const sleep = async (): Promise<void> => meanwhile();
  return leftoversOf(session, transcript, rousePaths({ HOME: folder }), { now: () => 0, sleep });
}

describe("what a session leaves behind", () => {
  it("is nothing if no process has its mark and its transcript rests", async () => {
    const transcript = join(folder, "t.jsonl");
    writeFileSync(transcript, "{}\n");
    expect(await left("none-such", transcript)).toEqual({ working: null, idle: null });
    expect(await left("none-such", null)).toEqual({ working: null, idle: null });
  });

  it("is at work while its transcript grows", async () => {
    const transcript = join(folder, "t.jsonl");
    writeFileSync(transcript, "{}\n");
    const { working } = await left("none-such", transcript, () => appendFileSync(transcript, "{}\n"));
    expect(working).toBe("its transcript is still growing");
  });

  it("includes a detached process with its mark, but no process below rouse itself", async () => {
    const session = `left-${process.pid}`;
    const env = { ...process.env, ROUSE_SESSION: session };
    const below = spawn("sleep", ["20"], { env, stdio: "ignore" });
    const shell = spawn("sh", ["-c", "sleep 20 >/dev/null 2>&1 & echo $!"], { env });
    const pid = Number(await new Promise((resolve) => shell.stdout.once("data", (text) => resolve(String(text)))));
    await new Promise((resolve) => shell.once("close", resolve));
    try {
      expect(await left(session, null)).toEqual({ working: null, idle: expect.stringMatching(`^process ${pid} \\(`) });
    } finally {
      process.kill(pid);
      below.kill();
    }
  });
});
