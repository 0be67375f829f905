import { describe, expect, it } from "vitest";
import { unifiedDiff } from "./unified-diff.js";

describe("unifiedDiff", () => {
  it("shows changes with their context", () => {
    const lines = Array.from({ length: 12 }, (_, i) => `l${i}`);
    const after = [...lines.slice(0, 2), "new", ...lines.slice(3, 11), "end", "l11"];
    expect(unifiedDiff("f", `${lines.join("\n")}\n`, `${after.join("\n")}\n`)).toBe(
      "--- f\n+++ f\n@@ -1,6 +1,6 @@\n l0\n l1\n-l2\n+new\n l3\n l4\n l5\n@@ -9,4 +9,5 @@\n l8\n l9\n l10\n+end\n l11\n",
    );
  });

  it("is empty for equal texts, and complete for a new one", () => {
    expect(unifiedDiff("f", "a\n", "a\n")).toBe("");
    expect(unifiedDiff("f", "", "a\nb\n")).toBe("--- f\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  });
});
