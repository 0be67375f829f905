import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

describe.each([
  ["docs/promises.md", 15],
  ["docs/evidence/promises.md", 100],
])("%s", (page, atLeast) => {
  it("names only tests that exist", () => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, path]) => path as string);
    expect(named.length).toBeGreaterThan(atLeast);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe("the documentation", () => {
  it("has no link to a page that does not exist", () => {
    const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join("docs", name));
    const broken = [...pages, "README.md", "CONTRIBUTING.md", "CHANGELOG.md"].flatMap((page) => {
      const text = readFileSync(join(ROOT, page), "utf8");
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link]) => link as string);
      return links.filter((link) => !existsSync(join(ROOT, dirname(page), link))).map((link) => `${page}: ${link}`);
    });
    expect(broken).toEqual([]);
  });
});
