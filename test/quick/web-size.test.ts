/** The size of the dashboard as it is built. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const DIST = join(import.meta.dirname, "../../dist/web");
const KILOBYTE = 1000;

describe("the first load of the dashboard", () => {
  const page = readFileSync(join(DIST, "index.html"), "utf8");
  const loaded = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path ?? "");

  it("is at most 40 kB, compressed", () => {
    expect(loaded.length).toBeGreaterThan(1);
    const bytes = [page, ...loaded.map((path) => readFileSync(join(DIST, path)))].map((text) => gzipSync(text).length);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(40 * KILOBYTE);
  });

  it("holds neither the terminal nor the charts, and no inline code", () => {
    for (const path of loaded) expect(path).not.toMatch(/terminal|chart/);
    expect(page).not.toMatch(/<style|<script(?![^>]*src=)|style=|\son\w+=/);
  });
});
