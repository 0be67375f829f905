/** Options of `rouse replay`: each is honoured, or refused as wrong usage; and an output that cannot be written. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OWN_CASES } from "../support/recordings.js";
import { BIN, rouse } from "../support/rouse.js";

const NORMAL = join(OWN_CASES, "claude/normal");
let root: string;
const file = (name: string, text: string): string => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-options-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const states = (stdout: string): string[] =>
  (JSON.parse(stdout) as { timeline: { state: string }[] }).timeline.map(({ state }) => state);

describe("an option of rouse replay", () => {
  it.each([
    [["--origin", "tmux", "CASE"], "--origin requires --policy"],
    [["--sources", "screen", "--transcript", "f"], "--sources cannot be combined with --transcript"],
    [["--sources", "screen", "--events", "f"], "--sources cannot be combined with --events"],
    [["--sources", "screen", "--signals", "f"], "--sources cannot be combined with --signals"],
    [["--policy", "./nowhere.toml", "CASE"], "./nowhere.toml: no such file"],
    [["--profile", "./nowhere.toml", "CASE"], "cannot read the profile"],
  ])("is refused in one line with exit code 2 if it is wrong or has no effect: %j", (args, complaint) => {
    const { status, stdout, stderr } = rouse(["replay", ...args.map((arg) => (arg === "CASE" ? NORMAL : arg))]);
    expect({ status, stdout, lines: stderr.split("\n").length }).toEqual({ status: 2, stdout: "", lines: 2 });
    expect(stderr).toContain(`rouse: ${complaint}`);
  });

  it("applies to event streams: the kind", () => {
    const events = file("events.jsonl", '{"id": "a", "events": [{"t": 0, "kind": "message", "role": "user"}]}\n');
    const run = rouse(["replay", "--json", "--events", events, "--kind", "codex"]);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(states(run.stdout)).toEqual(["starting", "working"]);
  });

  it("that excludes the screen leaves only the length of a bare cast", () => {
    const cast = join(OWN_CASES, "codex/permission/session.cast.gz");
    expect(states(rouse(["replay", "--json", cast]).stdout)).toContain("needs_input");
    expect(states(rouse(["replay", "--json", "--sources", "hooks", cast]).stdout)).not.toContain("needs_input");
  });
});

describe("an event stream with unknown kinds of events", () => {
  it("is judged without them, and they are counted", () => {
    const events = file("odd.jsonl", '{"id": "odd", "events": [{"foo": 1}, {"t": 1, "kind": "telepathy"}]}\n');
    const { status, stderr } = rouse(["replay", "--events", events]);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: "rouse: odd: skipped records of unknown kinds: no kind 1, telepathy 1\n",
    });
  });
});

describe.skipIf(!existsSync("/dev/full"))("an output that cannot be written", () => {
  it.each([["replay", NORMAL], ["--help"], ["policy", "show"]])(
    "is reported in one line with exit code 1: %s",
    (...args) => {
      const full = openSync("/dev/full", "w");
      const run = spawnSync(process.execPath, [BIN, ...args], { encoding: "utf8", stdio: ["ignore", full, "pipe"] });
      expect(run.stderr).toMatch(/^rouse: cannot write to standard output: ENOSPC[^\n]*\n$/);
      expect(run.status).toBe(1);
    },
  );
});
