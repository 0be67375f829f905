import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { createWorld, takeWorld } from "./world.js";

const s = (fields: object) => ({ at: 0, source: "transcript", ...fields }) as Signal;
const edit = (id: string, after: string, ok = true) => [
  s({ kind: "tool_start", id, tool: "Edit", class: "edit", call: "c", after }),
  s({ kind: "tool_end", id, ok, outcome: "o", raw: "r" }),
];
const changes = (signals: Signal[]) => {
  const state = createWorld();
  return signals.filter((signal) => takeWorld(state, signal)).length;
};

describe("a change of the workspace", () => {
  it.each([
    ["an edit", edit("1", "a"), 1],
    ["an edit that failed", edit("1", "a", false), 0],
    ["an edit, its undo, and the same edit again", ["a", "b", "a", "b"].flatMap((after) => edit("1", after)), 2],
    ["a read", [s({ kind: "tool_end", id: "9", ok: true, outcome: "o", raw: "r" })], 0],
    ["one commit seen twice", [1, 2].map(() => s({ kind: "commit", id: "c" })), 1],
    ["one test that passes twice", [1, 2].map(() => s({ kind: "test", ok: true, digest: "d" })), 1],
    ["a test that fails", [s({ kind: "test", ok: false, digest: "d" })], 0],
    ["two steps", [1, 2].map((step) => s({ kind: "checkpoint", task: "t", step })), 2],
    ["a file in two states", ["a", "b", "a"].map((digest) => s({ kind: "file", path: "p", digest })), 2],
    ["a file of unknown state", [s({ kind: "file", path: "p" })], 0],
    ["a status file", [s({ kind: "file", path: "p", digest: "d", role: "status" })], 0],
  ])("of %s", (_, signals, count) => {
    expect(changes(signals)).toBe(count);
  });
});
