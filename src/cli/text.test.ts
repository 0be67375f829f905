import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STATES } from "../core/states.js";
import { scoreLive } from "../eval/live.js";
import { figuresText, worstText } from "./eval-text.js";
import { parseSources, parseZone } from "./options.js";
import { isColoured, paint, paintState } from "./paint.js";
import { loadProfiles } from "./profiles.js";
import { clock, timelineText } from "./timeline-text.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rouse-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("colours", () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: false }, {}, false],
    [{ isTTY: true }, { NO_COLOR: "1" }, false],
    [{ isTTY: true }, { NO_COLOR: "" }, true],
    [{ isTTY: false }, { FORCE_COLOR: "1" }, true],
    [{ isTTY: true }, { FORCE_COLOR: "0" }, false],
  ])("of %j with %j are on: %s", (stream, env, on) => {
    expect(isColoured(stream, env)).toBe(on);
  });

  it("are left out when they are off, for every state", () => {
    expect(paint("text", "red", false)).toBe("text");
    for (const state of STATES) {
      expect(paintState(state, 14, false)).toBe(state.padEnd(14));
      expect(paintState(state, 0, true)).toContain("\u001b[");
    }
  });
});

describe("options", () => {
  it("are checked where they are read, with what there is", () => {
    expect(parseSources("screen, hooks")).toEqual(new Set(["screen", "hooks"]));
    expect(() => parseSources("screen,telepathy")).toThrow(/"telepathy"; there are screen, transcript/);
    expect(parseZone("Europe/Berlin")).toBe("Europe/Berlin");
    expect(() => parseZone("Mars/Olympus")).toThrow(/IANA zone/);
  });
});

describe("a timeline for people", () => {
  it.each([
    [0, "0:00.0"],
    [59.96, "1:00.0"],
    [3725.5, "1:02:05.5"],
  ])("counts %d seconds as %s", (seconds, text) => {
    expect(clock(seconds)).toBe(text);
  });

  it("says when, what, until when and why, and wraps at the width", () => {
    const text = timelineText(
      "claude/limit",
      [
        {
          t: 61,
          state: "rate_limited",
          cause: "limit",
          confidence: 0.9,
          until: "2026-03-02T15:00:00.000Z",
          reasons: ["a usage limit stops it for 3 s (transcript): You have hit your limit"],
        },
      ],
      { colour: false, columns: 60 },
    );
    expect(text.split("\n")).toEqual([
      "claude/limit",
      "   1:01.0  rate_limited/limit until 2026-03-02 15:00 UTC",
      "           a usage limit stops it for 3 s (transcript):",
      "           You have hit your limit",
      "",
    ]);
  });
});

describe("figures for people", () => {
  it("have a line for each bar, and say which is met, missed or without cases", () => {
    const bar = { name: "false alarms", unit: "count" as const, relation: "<=" as const, bar: 0, figure: 1 };
    const text = figuresText(
      {},
      [
        { ...bar, met: false },
        { ...bar, met: true, figure: 0 },
        { ...bar, met: null, figure: null },
      ] as unknown as Parameters<typeof figuresText>[1],
      false,
    );
    expect(text.match(/MISSED|\bmet\b|no cases/g)).toEqual(["MISSED", "met", "no cases"]);
  });

  it("name what was told late, and what stood in the place of a verdict that was not held", () => {
    const working = { t: 111, state: "working" as const, cause: null, reasons: ["a turn runs (title)"] };
    const live = {
      ...scoreLive([]),
      late: [{ case: "claude/a", truth: "waiting_input", from: 61, delay: 6.04 }],
      notHeld: [{ case: "claude/b", truth: "waiting_input", share: 0.1, instead: [working] }],
    };
    const text = worstText({ live }, false);
    expect(text).toContain("late: waiting_input in claude/a at 1:01.0, told after 6.0 s");
    expect(text).toContain("not held: waiting_input in claude/b\n      1:51.0 working: a turn runs (title)");
  });

  it("say so when nothing went wrong", () => {
    expect(worstText({}, false)).toBe("\nnothing went wrong\n");
  });
});

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
