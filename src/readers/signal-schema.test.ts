import { describe, expect, it } from "vitest";
import { SIGNAL_VERSION } from "../core/signal.js";
import { parseSignal } from "./signal-schema.js";

const commit = { kind: "commit", at: 1, source: "workspace", id: "abc" };

describe("a stored signal", () => {
  it("is read back unchanged, without unknown fields", () => {
    expect(parseSignal({ ...commit, colour: "red" })).toEqual(commit);
  });

  it("is read whether it names its version or not", () => {
    expect(parseSignal({ ...commit, v: SIGNAL_VERSION })).toEqual(commit);
  });

  it.each([{ v: SIGNAL_VERSION + 1 }, { v: "1" }, { v: null }])("is refused in another version: %j", (version) => {
    expect(parseSignal({ ...commit, ...version })).toBeNull();
  });

  it.each([null, 7, "commit", {}, { kind: "hope" }, { kind: "__proto__" }, { ...commit, at: "noon" }])(
    "is refused if it is not a signal: %j",
    (value) => {
      expect(parseSignal(value)).toBeNull();
    },
  );
});
