import { describe, expect, it } from "vitest";
import { isKind, profileFor, traitsOf } from "./registry.js";
import { compilePattern } from "./shared/pattern.js";
import { mergeProfile, recordsOf } from "./shared/profile.js";
import { profileOverrideSchema, profileSchema } from "./shared/profile-schema.js";

const NAMES = ["claude-code", "codex", "gemini", "opencode", "goose", "generic"];

describe("the built-in profiles", () => {
  it.each(NAMES)("are valid data with valid patterns: %s", (name) => {
    const profile = profileSchema.parse(profileFor(name));
    expect(profile.id).toBe(name);
  });

  it.each(NAMES)("match no empty row: %s", (name) => {
    const profile = profileFor(name);
    for (const { when } of profile.rules) expect(compilePattern(when).test(""), when).toBe(false);
  });
});

describe("the profile of a program", () => {
  it.each([
    ["claude", "claude-code"],
    ["CLAUDE", "claude-code"],
    ["codex", "codex"],
    ["gemini", "gemini"],
    ["opencode", "opencode"],
    ["goose", "goose"],
    ["a-fork-of-something", "generic"],
    ["", "generic"],
  ])("of %j is %s", (program, id) => {
    expect(profileFor(program).id).toBe(id);
  });

  it("is overridden part by part by a user's own", () => {
    const own = profileOverrideSchema.parse({ id: "codex", noise: ["^~"] });
    const profile = profileFor("codex", [own]);
    expect(profile.noise).toEqual(["^~"]);
    expect(profile.rules).toBe(profileFor("codex").rules);
  });

  const rule = (id: string | undefined, when: string) => ({
    ...(id ? { id } : {}),
    fact: "busy",
    region: "status",
    when,
  });
  const rulesOf = (own: object) => profileFor("codex", [profileOverrideSchema.parse({ id: "codex", ...own })]).rules;
  const known = profileFor("codex").rules;
  const [first, second] = known.map(({ id }) => id ?? "") as [string, string];

  it("keeps the rules of its base when a user's own adds some, and asks those first", () => {
    const added = [rule("mine", "^~"), rule(undefined, "^#")];
    expect(rulesOf({ rules: added })).toEqual([...added, ...known]);
  });

  it("replaces a rule of its base by the user's own with the same id, in its place", () => {
    const replaced = rule(second, "^~");
    expect(rulesOf({ rules: [replaced] })).toEqual([known[0], replaced, ...known.slice(2)]);
  });

  it("loses the rules that a user's own removes by id, and all of them by a star", () => {
    expect(rulesOf({ removeRules: [first] })).toEqual(known.slice(1));
    expect(rulesOf({ removeRules: ["*"], rules: [rule("mine", "^~")] })).toEqual([rule("mine", "^~")]);
  });

  it("can extend another program's for a fork with its own name", () => {
    const own = profileOverrideSchema.parse({ id: "my-fork", extends: "gemini", programs: ["myfork"] });
    expect(profileFor("myfork", [own])).toMatchObject({ id: "my-fork", message: profileFor("gemini").message });
    expect(profileFor("my-fork", [own]).id).toBe("my-fork");
    expect(recordsOf(profileFor("my-fork", [own]))).toBe("gemini");
    expect(recordsOf(profileFor("my-fork", [{ ...own, records: "codex" }]))).toBe("codex");
    expect(profileFor("gemini", [own])).toBe(profileFor("gemini"));
  });

  it("is found by its name before the one over its base, in any order", () => {
    const own = [{ id: "generic", noise: ["^~"] }, { id: "zorp" }];
    expect(profileFor("zorp", own).id).toBe("zorp");
    expect(profileFor("zorp", own.toReversed()).id).toBe("zorp");
    expect(profileFor("other", own)).toMatchObject({ id: "generic", noise: ["^~"] });
  });

  it("is found by its names in upper or lower case", () => {
    const own = [{ id: "Zorp", programs: ["ZorpCLI"] }];
    for (const name of ["Zorp", "zorp", "/usr/bin/ZorpCLI", "zorpcli"]) expect(profileFor(name, own).id).toBe("Zorp");
    expect(["Zorp", "zorp", "ZORPCLI", "other"].map((name) => isKind(name, own))).toEqual([true, true, true, false]);
  });

  it("refuses a key that no profile has, so that a misspelt one is not silently ignored", () => {
    expect(profileOverrideSchema.safeParse({ id: "codex", rulez: [] }).success).toBe(false);
    expect(profileOverrideSchema.safeParse({ noise: [] }).success).toBe(false);
  });

  it("never removes the name of an override", () => {
    expect(mergeProfile(profileFor("codex"), { id: "mine" }).id).toBe("mine");
  });

  it("contains its traits and the releases it was checked against", () => {
    const profile = profileFor("codex");
    expect(traitsOf(profile)).toEqual({ ...profile.traits, versions: profile.versions });
  });
});
