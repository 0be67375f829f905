import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const FULL = process.env.ROUSE_FULL === "1";
const MEGABYTES = FULL ? 200 : 20;
/** Bare Node.js with the emulator and the patterns loaded takes about 110 MB. */
const PEAK_MAX_MB = 400;
const BIN = join(import.meta.dirname, "..", "..", "bin", "rouse");

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-gigantic-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Writes pieces until the file has this many megabytes. */
function grow(name: string, head: string, piece: (i: number) => string, megabytes = MEGABYTES): string {
  const path = join(root, name);
  const file = openSync(path, "w");
  let bytes = writeSync(file, head);
  for (let i = 0; bytes < megabytes * 1e6; i++) {
    let block = "";
    while (block.length < 500_000) block += piece(i++);
    bytes += writeSync(file, block);
  }
  closeSync(file);
  return path;
}

function measured(args: readonly string[]): { status: number | null; stdout: string; stderr: string; peakMb: number } {
  const peak = join(root, "peak");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", join(import.meta.dirname, "peak-memory.mjs"), BIN, ...args],
    {
      encoding: "utf8",
      env: { ...process.env, ROUSE_TEST_PEAK: peak },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  return { status, stdout, stderr, peakMb: Number(readFileSync(peak, "utf8")) / 1024 };
}

const HEADER = '{"version":2,"width":120,"height":40,"timestamp":1767614400}\n';
const json = JSON.stringify;
const stamp = (i: number): string => new Date(1767614400000 + i * 1000).toISOString();
const record = (i: number): string =>
  `${json({ type: "assistant", uuid: `u${i}`, sessionId: "s", timestamp: stamp(i), message: { role: "assistant", id: `m${i}`, content: [{ type: "text", text: `step ${i} ${"word ".repeat(200)}` }] } })}\n`;

describe(`a file of ${MEGABYTES} MB`, () => {
  it.each([
    [
      "a cast of small events",
      () =>
        grow(
          "small.cast",
          HEADER,
          (i) => `[${(i / 500).toFixed(3)},"o","line ${i} \\u001b[31mred\\u001b[0m text of a build\\r\\n"]\n`,
        ),
      0,
    ],
    ["a cast of large events", () => grow("large.cast", HEADER, (i) => `[${i},"o",${json("x".repeat(400_000))}]\n`), 0],
    ["a cast that is one line", () => grow("line.cast", HEADER, () => "x".repeat(100_000)), 0],
    ["a header that is one line", () => grow("header.cast", "", () => "x".repeat(100_000)), 1],
  ] as const)("%s is read in bounded memory", (_, make, wanted) => {
    const { status, stderr, peakMb } = measured(["replay", "--json", make()]);
    expect(status, stderr).toBe(wanted);
    expect(stderr.split("\n").length).toBeLessThanOrEqual(2);
    expect(peakMb).toBeLessThan(PEAK_MAX_MB);
  });

  it("a transcript is read in bounded memory", () => {
    const { status, stderr, peakMb } = measured(["replay", "--transcript", grow("long.jsonl", "", record)]);
    expect(status, stderr).toBe(0);
    expect(peakMb).toBeLessThan(PEAK_MAX_MB);
  });

  it("stored signals are read in bounded memory", () => {
    const signal = (i: number): string =>
      `${json({ kind: "delta", at: 1767614400000 + i * 1000, source: "stream", channel: "content", chars: 9 })}\n`;
    const { status, stderr, peakMb } = measured(["replay", "--json", "--signals", grow("signals.jsonl", "", signal)]);
    expect(status, stderr).toBe(0);
    expect(peakMb).toBeLessThan(PEAK_MAX_MB);
  });

  it("a bomb of zeros is unpacked in bounded memory", () => {
    const path = join(root, "bomb.cast.gz");
    writeFileSync(path, gzipSync(Buffer.concat([Buffer.from(HEADER), Buffer.alloc(MEGABYTES * 1_000_000)])));
    const { status, stderr, peakMb } = measured(["replay", "--json", path]);
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/skipped 1 unreadable line\n$/);
    expect(peakMb).toBeLessThan(PEAK_MAX_MB);
  });

  it("a case with a transcript, hooks and rows of that size is read in bounded memory", () => {
    const folder = join(root, "case");
    mkdirSync(folder);
    writeFileSync(join(folder, "meta.json"), '{"agent":"claude","t_end":9,"timeline":[[0,"working"]]}');
    writeFileSync(join(folder, "session.cast"), HEADER);
    grow("case/transcript-1.jsonl", "", record);
    grow(
      "case/transcript-times.jsonl",
      "",
      (i) => `${json({ t: i, file: "a.jsonl", lines: [{ type: "assistant", ts: stamp(i) }] })}\n`,
    );
    grow(
      "case/hooks.jsonl",
      "",
      (i) => `${json({ t: i, hook_event_name: "PostToolUse", tool_name: "Bash", tool_response: "y".repeat(2000) })}\n`,
    );
    grow(
      "case/transcript-db.jsonl",
      "",
      (i) => `${json({ table: "part", data: { id: `p${i}`, type: "text", text: "z".repeat(2000) } })}\n`,
    );
    const { status, stderr, peakMb } = measured(["replay", "--json", folder]);
    expect(status, stderr).toBe(0);
    expect(peakMb).toBeLessThan(PEAK_MAX_MB);
  });
});
