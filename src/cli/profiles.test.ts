import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { profileFor } from "../programs/registry.js";
import type { AgentProfile } from "../programs/shared/profile.js";
import { profileSchema } from "../programs/shared/profile-schema.js";
import { compileProfile } from "../readers/terminal/compiled.js";
import { loadProfiles } from "./profiles.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rouse-profiles-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a user's own profiles", () => {
  const load = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return loadProfiles(join(folder, name));
  };

  it("are read from TOML and JSON, one or several per file", async () => {
    expect(await load("one.toml", 'id = "codex"\nnoise = ["^~"]')).toEqual([{ id: "codex", noise: ["^~"] }]);
    expect(await load("many.json", '{"profiles": [{"id": "a"}, {"id": "b"}]}')).toEqual([{ id: "a" }, { id: "b" }]);
  });

  it.each([
    ["broken.toml", 'id = "codex', /broken\.toml:1:\d+/],
    ["broken.json", "{", /broken\.json: /],
    ["no-id.toml", "noise = []", /no-id\.toml: id:/],
    ["unknown.toml", 'id = "codex"\nrulez = []', /unknown\.toml: .*rulez/],
    ["pattern.toml", 'id = "codex"\nnoise = ["(open"]', /pattern\.toml: noise\.0: pattern "\(open" is not valid RE2/],
    [
      "draft.toml",
      'id = "codex"\n[composer]\nfirst = "^>"\nmore = "[z-a]"\nbelow_max = 4\nhidden_means_dialog = false\nplaceholders = []',
      /draft\.toml: composer\.more: pattern "\[z-a\]" is not valid RE2/,
    ],
    ["queued.toml", 'id = "codex"\nqueued = "(open"', /queued\.toml: queued: pattern "\(open" is not valid RE2/],
    [
      "second.toml",
      '[[profiles]]\nid = "a"\n[[profiles]]\nid = "b"\nmessage = "("',
      /second\.toml: profiles\.1\.message: pattern/,
    ],
    [
      "base.toml",
      'id = "zorp"\nextends = "clade-code"',
      /base\.toml: extends: unknown built-in profile "clade-code"; did you mean claude-code\? available: claude-code, codex/,
    ],
    ["records.toml", 'id = "zorp"\nrecords = "claude"', /records\.toml: records: unknown built-in profile "claude"/],
    ["twice.json", '{"profiles": [{"id": "a"}, {"id": "A"}]}', /twice\.json: there are two profiles with the id A/],
  ])("are refused with the file and the place: %s", async (name, content, message) => {
    await expect(load(name, content)).rejects.toThrow(message);
  });

  it("are refused if a pattern is unsafe for the screen reader", () => {
    const given = { ...profileFor("claude-code"), queued: "^x", message: "^x", versionRow: "^x" };
    const forgotten = leavesOf(given).filter((keys) => {
      const broken = withLeaf(given, keys, "(open");
      return chokes(broken) && profileSchema.safeParse(broken).success;
    });
    expect(forgotten).toEqual([]);
    expect(chokes(withLeaf(given, ["queued"], "(open"))).toBe(true);
  });

  it("are refused by name if the file does not exist", async () => {
    await expect(loadProfiles(join(folder, "missing.toml"))).rejects.toThrow(/missing\.toml/);
  });
});

/** The path of every text in a profile, and of every optional one. */
function leavesOf(value: unknown, keys: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return typeof value === "string" || value === null ? [keys] : [];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...keys, key]));
}

function withLeaf(profile: AgentProfile, keys: readonly string[], text: string): AgentProfile {
  const copy = structuredClone(profile);
  const last = keys.slice(0, -1).reduce((inner, key) => inner[key] as Keyed, copy as unknown as Keyed);
  last[keys.at(-1) as string] = text;
  return copy;
}
type Keyed = Record<string, unknown>;

function chokes(profile: AgentProfile): boolean {
  try {
    compileProfile(profile);
    return false;
  } catch {
    return true;
  }
}
