/** A small user profile, over the recordings of Goose, replayed as a program that rouse does not know. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { profilesIn } from "../../src/config/profile-check.js";
import type { ProfileOverride } from "../../src/programs/shared/profile.js";
import { SOURCE_NAMES } from "../../src/replay/case-folder.js";
import { replayCase } from "../../src/replay/replay-case.js";

const CASES = join(import.meta.dirname, "..", "fixtures", "cases", "goose");
const HEAD = 'id = "stranger"\nextends = "generic"\nprograms = ["stranger"]\n';
const BUSY = `
[[rules]]
id = "stranger-busy"
fact = "busy"
region = "status"
when = '^[◐◑◒◓] .*\\(Ctrl\\+C to interrupt\\)'
`;

const PROFILES = [
  ["nothing but its name", HEAD],
  ["one rule of its own", `${HEAD}${BUSY}`],
  ["one rule of its own, and one of the base removed", `${HEAD}remove_rules = ["busy-foot"]\n${BUSY}`],
] as const;

async function statesIn(name: string, profiles: readonly ProfileOverride[]): Promise<string[]> {
  const options = { zone: "UTC", agent: "stranger", sources: new Set(SOURCE_NAMES), profiles };
  const { timeline } = await replayCase(join(CASES, name), options);
  return timeline.map(({ t, state, cause }) => `${t} ${state} ${cause}`);
}

describe.each(PROFILES)("a profile of a stranger over the generic one with %s", (_, text) => {
  const profiles = profilesIn("stranger.toml", text);

  it.each(readdirSync(CASES))("judges the recording %s as soon as no profile does", async (name) => {
    if (!Array.isArray(profiles)) throw new Error(profiles.text);
    expect(await statesIn(name, profiles)).toEqual(await statesIn(name, []));
  });
});
