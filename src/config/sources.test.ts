import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "./load.js";
import { loadSources } from "./sources.js";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-sources-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function load(...lines: string[]) {
  const folder = join(home, ".config", "rouse");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.toml"), ["version = 1", ...lines].join("\n"));
  return { ...loadSources({ HOME: home }), config: loadConfig({ cwd: home, env: { HOME: home } }) };
}

describe("sources of work", () => {
  it("are read from tables below [work.sources], with their defaults", () => {
    const { sources, issues, config } = load(
      "[work.sources.issues]",
      'kind = "github"',
      'repo = "me/shop"',
      'label = "agent"',
    );
    expect(issues).toEqual([]);
    expect(config.issues).toEqual([]);
    expect(sources).toEqual([
      expect.objectContaining({ name: "issues", kind: "github", program: "gh", poll_secs: 60, settle_secs: 2 }),
    ]);
  });

  it.each([
    [['kind = "jira"'], "work.sources.a.kind: must be beads, github or command; it is not used"],
    [['kind = "beads"', 'folder = "beads"'], "work.sources.a.folder: must be an absolute path; it is not used"],
    [['kind = "github"', 'repo = "../x"', 'label = "l"'], "work.sources.a.repo: must be owner/name; it is not used"],
    [['kind = "beads"', 'folder = "/b"', "pol_secs = 1"], "work.sources.a: unknown setting pol_secs; it is not used"],
  ])("with the settings %j are reported and not used", (lines, text) => {
    const { sources, issues } = load("[work.sources.a]", ...lines);
    expect(sources).toEqual([]);
    expect(issues.map((issue) => issue.text)).toEqual([text]);
  });

  it("cannot be polled more than once per minute", () => {
    const { issues } = load("[work.sources.a]", 'kind = "beads"', 'folder = "/b"', "poll_secs = 5");
    expect(issues[0]?.text).toMatch(/^work\.sources\.a\.poll_secs: .*60/);
  });

  it("are refused in a project file", () => {
    writeFileSync(join(home, ".rouse.toml"), '[work.sources.a]\nkind = "command"\nlist = ["rm"]\n');
    const { sources, config } = load("");
    expect(sources).toEqual([]);
    expect(config.issues.map(({ level, text }) => [level, text])).toContainEqual([
      "refused",
      "work.sources: a project file may not define work.sources; define them in your own configuration",
    ]);
  });
});
