import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { issueText } from "./issue.js";
import { loadOwnProfiles } from "./own-profiles.js";

let config: string;
let folder: string;

beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), "rouse-own-profiles-"));
  folder = join(config, "profiles");
});

afterEach(() => rmSync(config, { recursive: true, force: true }));

function put(files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

function load(): { ids: string[]; issues: string[] } {
  const { profiles, issues } = loadOwnProfiles(config);
  return {
    ids: profiles.map(({ id }) => id),
    issues: issues.map((issue) => issueText(issue).replaceAll(`${folder}/`, "")),
  };
}

describe("the folder of a user's own profiles", () => {
  it("may be missing", () => {
    expect(load()).toEqual({ ids: [], issues: [] });
  });

  it("is read in the order of file names: TOML and JSON, one or several profiles per file", () => {
    put({
      "b.json": '{"profiles": [{"id": "b1"}, {"id": "b2"}]}',
      "a.toml": 'id = "a"',
      "README.md": "no profile",
      ".hidden.toml": "no = profile",
    });
    expect(load()).toEqual({ ids: ["a", "b1", "b2"], issues: [] });
    const { paths } = loadOwnProfiles(config);
    expect(paths).toEqual(["a.toml", "b.json", "b.json"].map((name) => join(folder, name)));
  });

  it.each([
    ["broken.toml", 'id = "codex', /^broken\.toml:1:\d+: .*; the file is not used$/],
    ["broken.json", "{", /^broken\.json: .*; the file is not used$/],
    ["unknown.toml", 'id = "codex"\nrulez = []', /^unknown\.toml: .*rulez.*; the file is not used$/],
    ["pattern.toml", 'id = "codex"\nnoise = ["(open"]', /^pattern\.toml: noise\.0: pattern "\(open" is not valid RE2/],
    [
      "camel.toml",
      'id = "codex"\nversionRow = "^v"',
      /^camel\.toml: the profile: unknown key "versionRow"; write version_row/,
    ],
    [
      "removed.toml",
      'id = "codex"\nremove_rules = ["busi"]',
      /^removed\.toml: remove_rules\.0: the base profile has no rule "busi"/,
    ],
    [
      "twice.toml",
      'id = "codex"\nrules = [{ id = "a", fact = "busy", region = "foot", when = "a" }, { id = "a", fact = "busy", region = "foot", when = "b" }]',
      /^twice\.toml: rules\.1: there are two rules with the id a/,
    ],
    ["queued.toml", 'id = "codex"\nqueued = "[z-a]"', /^queued\.toml: queued: pattern "\[z-a\]" is not valid RE2/],
    ["half.toml", '[[profiles]]\nid = "good"\n[[profiles]]\nnoise = []', /^half\.toml: profiles\.1\.id: /],
    [
      "large.toml",
      `id = "a" # ${"x".repeat(300_000)}`,
      /^large\.toml: it is larger than 256 kB; the file is not used$/,
    ],
  ])("is read without a file that has an error, and the file is named: %s", (name, text, description) => {
    put({ [name]: text, "zz.toml": 'id = "sketch"' });
    expect(load()).toEqual({ ids: ["sketch"], issues: [expect.stringMatching(description)] });
  });

  it("is read without entries that are not files, and without broken links", () => {
    put({ "sketch.toml": 'id = "sketch"' });
    mkdirSync(join(folder, "folder.toml"));
    execFileSync("mkfifo", [join(folder, "pipe.toml")]);
    symlinkSync("nowhere", join(folder, "nowhere.toml"));
    symlinkSync("circle.toml", join(folder, "circle.toml"));
    expect(load()).toEqual({
      ids: ["sketch"],
      issues: [
        expect.stringMatching(/^circle\.toml: ELOOP/),
        "folder.toml: it is not a regular file; the file is not used",
        "pipe.toml: it is not a regular file; the file is not used",
      ],
    });
  });

  it("uses the first of two profiles with the same id, and reports the second", () => {
    put({ "a.toml": 'id = "codex"\nnoise = ["^~"]', "b.toml": 'id = "codex"' });
    expect(load()).toEqual({
      ids: ["codex"],
      issues: ["b.toml: a.toml already defines a profile with the id codex, and that one is used; merge the two"],
    });
    expect(loadOwnProfiles(config).profiles[0]?.noise).toEqual(["^~"]);
  });

  it("is reported if it cannot be read", () => {
    writeFileSync(folder, "");
    expect(load().issues).toEqual([expect.stringMatching(/profiles: ENOTDIR.*; none of your own profiles is used$/)]);
    rmSync(folder);
    put({ "a.toml": 'id = "a"' });
    chmodSync(folder, 0);
    // Root can read every file.
    if (process.getuid?.() !== 0) expect(load().issues).toEqual([expect.stringContaining("EACCES")]);
    chmodSync(folder, 0o700);
  });
});
