import { describe, expect, it } from "vitest";
import { profileFor } from "../../programs/registry.js";
import { compileProfile } from "./compiled.js";
import { oncePerRow, rowOf } from "./row.js";

describe("a row", () => {
  it("is the same object for the same text", () => {
    const row = rowOf("✻ Baking… (3s)");
    expect(row.text).toBe("✻ Baking… (3s)");
    expect(rowOf(["✻ Baking…", "(3s)"].join(" "))).toBe(row);
    expect(rowOf("✻ Baking… (4s)")).not.toBe(row);
  });

  it("computes an answer once", () => {
    let asked = 0;
    const length = oncePerRow((text) => {
      asked++;
      return text.length;
    });
    expect([length(rowOf("three")), length(rowOf("three")), length(rowOf("four"))]).toEqual([5, 5, 4]);
    expect(asked).toBe(2);
  });

  it("is kept while it is seen now and then, and dropped among many others", () => {
    const [seen, unseen] = [rowOf("seen"), rowOf("unseen")];
    for (let n = 0; n < 10_000; n++) {
      rowOf(`passing ${n}`);
      rowOf("seen");
    }
    expect(rowOf("seen")).toBe(seen);
    expect(rowOf("unseen")).not.toBe(unseen);
  });

  it("is not shared if it is longer than any usual row", () => {
    const long = "x".repeat(500);
    expect(rowOf(long)).not.toBe(rowOf(long));
    expect(rowOf(long).text).toBe(long);
  });

  it("gives each profile its own matches, even with many profiles", () => {
    const row = rowOf("• Working (3s • esc to interrupt)");
    const rules = (agent: string, marker: string) => {
      const profile = { ...profileFor(agent), message: `^${marker} (?P<text>.*)$` };
      return compileProfile(profile).says(row).message;
    };
    for (let n = 0; n < 12; n++) {
      expect(rules("claude", "•")).toBe("Working (3s • esc to interrupt)");
      expect(rules("codex", "◆")).toBeNull();
    }
  });
});
