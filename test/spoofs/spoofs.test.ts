import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { profileFor } from "../../src/programs/registry.js";
import { OWN_CASES, screenAt, textOf } from "../support/recordings.js";
import { type Chrome, chromeOf, PROGRAMS } from "./chrome.js";
import { specimens } from "./specimens.js";
import { allSpoofs, nameOf, type Spoof, sampleOf, screenOf, statesOf } from "./spoofs.js";

const FULL = process.env.ROUSE_FULL === "1";
const ALARMS: ReadonlySet<string> = new Set(["needs_input", "error", "rate_limited", "stuck"]);

/**
 * Known limits: screens that are cell for cell what the program itself draws, so that no reader of the screen alone can
 * distinguish them. Each is excluded from the promise with its reason and counted in the test's name; a transcript, a
 * hook or a program status is right for all of them, and outranks the screen.
 */
const LIMITS: readonly { reason: string; holds: (profile: string, chrome: string, spoof: Spoof) => boolean }[] = [
  {
    // An agent cannot colour its own message, and a turn seldom ends on a tool's red output without a message.
    reason: "the words of an error in its colours, right where the program puts them, with nothing after them",
    holds: (_, chrome, { phase, last, colour, place }) =>
      chrome === "claude-code" &&
      phase === "finished" &&
      last &&
      ["its own", "red", "yellow"].includes(colour) &&
      (place === "output" || place === "message start"),
  },
  {
    // Nothing marks the start of an unknown program's composer if its rows have neither frame nor bar.
    reason: "a menu in a draft of several rows, in a composer without a frame, of a program without a profile",
    holds: (profile, chrome, { place }) => profile === "generic" && chrome === "codex" && place === "draft",
  },
];

function judged(profile: string, chrome: Chrome, spoofs: readonly Spoof[]): string[] {
  const wrong: string[] = [];
  for (const spoof of spoofs) {
    const screen = screenOf(spoof, chrome);
    const alarm = statesOf(profileFor(profile), chrome, screen).find(({ state }) => ALARMS.has(state));
    if (alarm) wrong.push([`${nameOf(spoof)}: ${alarm.state}, ${alarm.reason}`, ...screen.map(textOf)].join("\n"));
  }
  return wrong;
}

describe("spoofs", async () => {
  const all = allSpoofs(await specimens());
  const runs = [
    ...PROGRAMS.map((chrome) => ({ profile: chrome, chrome, count: FULL ? all.length : 2500 })),
    ...PROGRAMS.map((chrome) => ({ profile: "generic", chrome, count: FULL ? all.length : 2500 })),
  ];

  describe.each(runs)("$profile in the chrome of $chrome", ({ profile, chrome, count }) => {
    const sample = sampleOf(all, count);
    const reported = sample.filter((spoof) => !LIMITS.some(({ holds }) => holds(profile, chrome, spoof)));

    it(`reports no problem on any of ${reported.length} spoof screens (${sample.length - reported.length} of ${sample.length} are known limits)`, async () => {
      expect(reported.length).toBeGreaterThanOrEqual(200);
      const wrong = judged(profile, await chromeOf(chrome), reported);
      expect(wrong.slice(0, 3)).toEqual([]);
    });
  });

  it("covers every place, colour, phase and specimen in the quick run too", () => {
    const sample = sampleOf(all, 300);
    const seen = (key: (spoof: Spoof) => string): number => new Set(sample.map(key)).size;
    const whole = (key: (spoof: Spoof) => string): number => new Set(all.map(key)).size;
    for (const key of [
      (s: Spoof) => s.specimen.name,
      (s: Spoof) => `${s.place} ${s.phase}`,
      (s: Spoof) => `${s.colour} ${s.last} ${s.spread}`,
    ]) {
      expect(seen(key)).toBe(whole(key));
    }
  });
});

describe("the originals of the spoofs", () => {
  it.each([
    ["claude-code", "claude/permission", 60, "needs_input"],
    ["claude-code", "claude/ask-tool", 60, "needs_input"],
    ["claude-code", "claude/trust-dialog", 20, "needs_input"],
    ["claude-code", "claude/auth-401-mid", 40, "error"],
    ["claude-code", "claude/overloaded-529", 100, "error"],
    ["claude-code", "claude/usage-limit", 40, "rate_limited"],
    ["codex", "codex/permission", 60, "needs_input"],
    ["codex", "codex/usage-limit", 40, "rate_limited"],
    ["gemini", "gemini/permission", 60, "needs_input"],
    ["gemini", "gemini/trust-dialog", 20, "needs_input"],
    ["gemini", "gemini/loop-identical", 60, "needs_input"],
    ["gemini", "gemini/ask-question", 60, "needs_input"],
    ["opencode", "opencode/permission", 60, "needs_input"],
    ["opencode", "opencode/usage-limit", 60, "rate_limited"],
    ["generic", "claude/permission", 60, "needs_input"],
    ["generic", "codex/permission", 60, "needs_input"],
    ["generic", "gemini/permission", 60, "needs_input"],
  ] as const)("are detected by the same reader: %s, %s at %d s is %s", async (profile, folder, t, state) => {
    const chrome = await chromeOf(
      profile === "generic"
        ? folder.startsWith("claude")
          ? "claude-code"
          : (folder.split("/")[0] as string)
        : profile,
    );
    const said = statesOf(profileFor(profile), chrome, await screenAt(join(OWN_CASES, folder), t));
    expect(said.at(-1)?.state).toBe(state);
  });
});
