import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

describe("docs/promises.md", () => {
  const text = readFileSync(join(ROOT, "docs", "promises.md"), "utf8");

  it("names only tests that exist", () => {
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, path]) => path as string);
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
