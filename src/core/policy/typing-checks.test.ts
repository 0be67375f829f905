import { describe, expect, it } from "vitest";
import {
  type Precondition,
  refuseReason,
  type ScreenState,
  sameText,
  type TerminalState,
  typableText,
} from "./typing-checks.js";

const screenState: ScreenState = {
  composer: "empty",
  draft: "",
  dialog: null,
  busy: false,
  says: "idle",
  queued: false,
  structural: false,
  composerDigest: "here",
};
const idle: Precondition = { draft: "", turn: "idle", quietMs: 60_000, composerDigest: "here" };
const asked = (
  seen: Partial<ScreenState>,
  precondition: Partial<Precondition> = {},
  quietMs = Number.POSITIVE_INFINITY,
): string | null =>
  refuseReason({ screenState: { ...screenState, ...seen }, quietMs } satisfies TerminalState, {
    ...idle,
    ...precondition,
  });

describe("refuseReason", () => {
  it("is null for the empty composer of an idle program without recent user input", () => {
    expect(asked({})).toBeNull();
    expect(asked({ busy: true, says: "working" }, { turn: "running" })).toBeNull();
    expect(asked({ composer: "draft", draft: "continue" }, { draft: "continue" })).toBeNull();
  });

  it.each<[string, Partial<ScreenState>, Partial<Precondition>, number]>([
    ["a dialog is open (permission)", { dialog: "permission" }, {}, Number.POSITIVE_INFINITY],
    ["the program is waiting for an answer", { says: "blocked" }, {}, Number.POSITIVE_INFINITY],
    ["a user typed 3 s ago", {}, {}, 3999],
    ["the screen does not match the program's profile", { structural: true }, {}, Number.POSITIVE_INFINITY],
    ["no composer is visible", { composer: "hidden" }, {}, Number.POSITIVE_INFINITY],
    ["the composer contains a draft", { composer: "draft", draft: "a" }, {}, Number.POSITIVE_INFINITY],
    ["the composer does not contain the typed text", { draft: "ab" }, { draft: "a" }, Number.POSITIVE_INFINITY],
    ["a turn is running", { busy: true }, {}, Number.POSITIVE_INFINITY],
    ["a turn is running", { says: "working" }, {}, Number.POSITIVE_INFINITY],
    ["no turn is running", {}, { turn: "running" }, Number.POSITIVE_INFINITY],
    ["the composer has changed", { composerDigest: "there" }, {}, Number.POSITIVE_INFINITY],
  ])("says %s", (objection, seen, precondition, quietMs) => {
    expect(asked(seen, precondition, quietMs)).toBe(objection);
  });

  it("names an open dialog before any other objection", () => {
    expect(asked({ dialog: "trust", structural: true, composer: "hidden" }, {}, 0)).toBe("a dialog is open (trust)");
  });
});

describe("sameText", () => {
  it("ignores where a composer wraps a text, and compares every letter", () => {
    expect(sameText("│ go on\n│ now │", "go on now")).toBe(true);
    expect(sameText("go on now", "go on no")).toBe(false);
    expect(sameText("", "")).toBe(true);
  });
});

it("a composer that shows only the end of a long text shows the same text, if it is at least 200 characters", () => {
  const typed = Array.from({ length: 80 }, (_, n) => `word${n}`).join("");
  const end = (length: number): boolean => sameText(typed.slice(-length), typed);
  expect([end(199), end(200), end(201)]).toEqual([false, true, true]);
  expect(sameText(`${typed.slice(-250)}x`, typed)).toBe(false);
});

it("a task may have one character in twenty of another script", () => {
  expect(typableText(`${"a".repeat(19)}é`)).toBe(`${"a".repeat(19)}?`);
  expect(typableText(`${"a".repeat(18)}é`)).toBeNull();
});

it("a task is typed again as one plain line, without names to complete, or not at all", () => {
  expect(typableText("  Fix @src/a.ts\n and \\n it’s done ")).toBe("Fix src/a.ts and n it?s done");
  expect(typableText("修复解析器")).toBeNull();
  expect(typableText(" \n")).toBeNull();
  expect(typableText(null)).toBeNull();
});
