import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OWN_CASES } from "../support/recordings.js";
import { type Ran, rouse } from "../support/rouse.js";
import { BROKEN_CASES, DAMAGED, UNREADABLE, writeHostile } from "./hostile-files.js";

let root: string;
const GOOD = "claude/normal";

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-hostile-"));
  writeHostile(root);
  for (const name of ["aaa-good", "zzz-good"])
    cpSync(join(OWN_CASES, GOOD), join(root, "cases", name), { recursive: true });
});
afterAll(() => {
  chmodSync(join(root, "locked.cast"), 0o600);
  rmSync(root, { recursive: true, force: true });
});

const linesOf = (text: string): string[] => text.split("\n").filter(Boolean);
const casesOf = ({ stdout }: Ran): string[] =>
  linesOf(stdout).map((line) => (JSON.parse(line) as { case: string }).case);
const isClean = (stderr: string): boolean =>
  linesOf(stderr).every((line) => line.startsWith("rouse: ") && line.length < 400);

describe("rouse replay with bad recordings among good ones", () => {
  let ran: Ran;
  const names = [
    ...Object.keys(UNREADABLE),
    ...Object.keys(DAMAGED),
    "nowhere.cast",
    "dangling.cast",
    "loop.cast",
    "folder.cast",
  ];
  beforeAll(() => {
    const bad = names.map((name) => join(root, name));
    ran = rouse(["replay", "--json", join(root, "cases", "aaa-good"), ...bad, join(root, "cases", "zzz-good")]);
  });

  it("prints the good ones and exits with 1", () => {
    expect(ran.status).toBe(1);
    expect(casesOf(ran)).toEqual(expect.arrayContaining(["cases/aaa-good", "cases/zzz-good"]));
    expect(casesOf(ran).at(0)).toBe("cases/aaa-good");
    expect(casesOf(ran).at(-1)).toBe("cases/zzz-good");
  });

  it("reports errors in lines, never as a stack trace", () => {
    expect(isClean(ran.stderr), ran.stderr).toBe(true);
  });

  it.each([...Object.keys(UNREADABLE), "nowhere.cast", "dangling.cast", "loop.cast", "folder.cast"])(
    "reports %s in one clear line",
    (name) => {
      const about = new RegExp(`/${name.replaceAll(".", "\\.")}(?:[ :]|$)`);
      expect(linesOf(ran.stderr).filter((line) => about.test(line))).toHaveLength(1);
      expect(casesOf(ran).filter((one) => one.endsWith(`/${name}`))).toEqual([]);
    },
  );

  it.each(Object.keys(DAMAGED))("judges the remaining part of %s", (name) => {
    expect(casesOf(ran).filter((one) => one.endsWith(`/${name}`))).toHaveLength(1);
  });

  it.each([
    ["torn-line.cast", 1],
    ["long-event.cast", 1],
    ["deep-event.cast", 1],
    ["odd-times.cast", 3],
    ["huge-time.cast", 1],
    ["far-time.cast", 1],
    ["odd-kinds.cast", 4],
  ])("counts the lost lines of %s: %d", (name, lost) => {
    const said = linesOf(ran.stderr).filter((line) => line.includes(`/${name}: `));
    expect(said).toEqual([expect.stringMatching(new RegExp(`skipped ${lost} unreadable lines?$`))]);
  });
});

describe.each(["replay", "eval"])("rouse %s with a folder of broken cases", (command) => {
  it("continues with the good ones and prints one line for each that it skips", () => {
    const ran = rouse([command, "--json", join(root, "cases")]);
    expect(isClean(ran.stderr), ran.stderr).toBe(true);
    for (const name of [
      "meta-torn",
      "meta-array",
      "meta-word",
      "meta-binary",
      "meta-huge",
      "meta-is-folder",
      "cast-is-folder",
      "no-recording",
    ]) {
      expect(
        linesOf(ran.stderr).filter((line) => line.includes(`/${name}`)),
        name,
      ).toHaveLength(1);
    }
    if (command === "replay")
      expect(casesOf(ran)).toEqual(expect.arrayContaining(["cases/aaa-good", "cases/zzz-good"]));
    else expect(JSON.parse(ran.stdout)).toMatchObject({ live: { states: { done: { detected: 2, of: 2 } } } });
    expect(Object.keys(BROKEN_CASES).length).toBeGreaterThan(8);
  });
});

describe.each(["--events", "--transcript", "--signals"])("rouse replay %s", (option) => {
  it.each(["empty.cast", "random.cast", "nul.cast", "long-line.cast", "deep-header.cast", "folder.cast", "nowhere"])(
    "reports %s in one clear line and exits with 1",
    (name) => {
      const { status, stdout, stderr } = rouse(["replay", option, join(root, name)]);
      expect({ status, stdout, lines: linesOf(stderr).length }).toEqual({ status: 1, stdout: "", lines: 1 });
      expect(isClean(stderr)).toBe(true);
      expect(stderr).toContain(name);
    },
  );
});

describe("rouse", () => {
  it.each(["replay", "eval"])("%s names a path that does not exist", (command) => {
    const { status, stderr } = rouse([command, join(root, "nowhere")]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^rouse: no such file or folder: .*nowhere\n$/);
  });

  it.each([undefined, "", "x", '{"version":2,"width":80,"height":24}'])(
    "replay - ends when standard input does: %j",
    (input) => {
      const { status, stderr } = rouse(["replay", "-"], input);
      expect(linesOf(stderr).length).toBe(status);
      expect(isClean(stderr)).toBe(true);
    },
  );

  it.skipIf(process.getuid?.() === 0)(
    "names a file that it cannot read (skipped for root, which can read all files)",
    () => {
      const { status, stderr } = rouse(["replay", join(root, "locked.cast")]);
      expect({ status, lines: linesOf(stderr).length }).toEqual({ status: 1, lines: 1 });
    },
  );

  it("does not follow a folder link that leads back to itself", () => {
    mkdirSync(join(root, "round"), { recursive: true });
    writeFileSync(join(root, "round", "note.txt"), "nothing here");
    const { status, stderr } = rouse(["replay", join(root, "round")]);
    expect({ status, lines: linesOf(stderr).length }).toEqual({ status: 1, lines: 1 });
  });
});
