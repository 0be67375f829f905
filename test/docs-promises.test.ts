import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
// @ts-expect-error: a script without types
import * as breaks from "../scripts/promises/breaks.mjs";

interface Break {
  promise: string;
  test: string;
  file: string;
  from: string;
}
const BREAKS = breaks.BREAKS as Break[];
const mutantOf = breaks.mutantOf as (one: Break, source: string) => { text: string };

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

describe("a break of a promise", () => {
  const text = readFileSync(join(ROOT, "docs/promises.md"), "utf8");
  const rows = [...text.matchAll(/^\| ([A-Z][^|]+) \| (`[^|]+) \|/gm)].map(([, promise = "", tests = ""]) => ({
    promise: promise.trim(),
    tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, test]) => test as string),
  }));

  it.each(BREAKS)("is named on the page and fits its file: $promise ($file)", (one) => {
    expect(rows.find(({ promise }) => promise === one.promise)?.tests).toContain(one.test);
    expect(mutantOf(one, readFileSync(join(ROOT, one.file), "utf8")).text).not.toBe(one.from);
  });

  it("exists for every promise of the page", () => {
    const broken = new Set(BREAKS.map(({ promise }) => promise));
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.map(({ promise }) => promise).filter((promise) => !broken.has(promise))).toEqual([]);
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
