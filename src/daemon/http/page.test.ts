import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openPage } from "./page.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-page-"));
  mkdirSync(join(folder, "assets"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const build = (digest: string): void => {
  writeFileSync(join(folder, "index.html"), `<script src="/assets/index-${digest}.js"></script>`);
  writeFileSync(join(folder, "assets", `index-${digest}.js`), `"${digest}"`);
};

it("serves a page and the files that it names, also after an upgrade replaced them", async () => {
  build("aaaaaaaa");
  const page = openPage(folder);
  rmSync(join(folder, "assets", "index-aaaaaaaa.js"));
  build("bbbbbbbb");
  const html = await page.answer("/").text();
  const [path = ""] = /\/assets\/[\w.-]+/.exec(html) ?? [];
  const asset = page.answer(path);
  expect({ path, isKnown: page.has(path), status: asset.status, text: await asset.text() }).toEqual({
    path: "/assets/index-aaaaaaaa.js",
    isKnown: true,
    status: 200,
    text: '"aaaaaaaa"',
  });
  expect(page.answer("/").headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(asset.headers.get("cache-control")).toContain("immutable");
});

it("says how to build the page if it is not there, and serves nothing else", async () => {
  const page = openPage(join(folder, "missing"));
  expect(page.answer("/").status).toBe(404);
  expect(await page.answer("/").text()).toContain("npm run build");
  expect(page.has("/../config.toml")).toBe(false);
});
