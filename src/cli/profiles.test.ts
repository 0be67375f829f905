import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

  it("are read from TOML and JSON, one or many", async () => {
    expect(await load("one.toml", 'id = "codex"\nnoise = ["^~"]')).toEqual([{ id: "codex", noise: ["^~"] }]);
    expect(await load("many.json", '{"profiles": [{"id": "a"}, {"id": "b"}]}')).toEqual([{ id: "a" }, { id: "b" }]);
  });

  it.each([
    ["broken.toml", 'id = "codex', /broken\.toml:1:\d+/],
    ["broken.json", "{", /broken\.json: /],
    ["no-id.toml", "noise = []", /no-id\.toml: id:/],
    ["unknown.toml", 'id = "codex"\nrulez = []', /unknown\.toml: .*rulez/],
    ["pattern.toml", 'id = "codex"\nnoise = ["(open"]', /pattern\.toml: pattern "\(open" is not valid RE2/],
    [
      "draft.toml",
      'id = "codex"\n[composer]\nfirst = "^>"\nmore = "[z-a]"\nbelowMax = 4\nhiddenMeansDialog = false\nplaceholders = []',
      /draft\.toml: pattern "\[z-a\]" is not valid RE2/,
    ],
  ])("are refused with the file and the place: %s", async (name, content, message) => {
    await expect(load(name, content)).rejects.toThrow(message);
  });

  it("that are not there are refused by name", async () => {
    await expect(loadProfiles(join(folder, "missing.toml"))).rejects.toThrow(/missing\.toml/);
  });
});
