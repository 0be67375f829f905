/** Lists in the documentation that have to name everything of their kind. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TOOLS } from "../src/api/mcp/tools.js";

const ROOT = join(import.meta.dirname, "..");
const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");
const foldersIn = (place: string): string[] =>
  readdirSync(join(ROOT, place), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

it("CONTRIBUTING.md names every folder", () => {
  const page = read("CONTRIBUTING.md");
  const whole = foldersIn(".").filter((name) => !["src", "test"].includes(name) && !IGNORED.has(name));
  const all = [
    ...foldersIn("src").map((name) => `src/${name}`),
    ...foldersIn("test").map((name) => `test/${name}`),
    ...whole,
  ];
  expect(all.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
const IGNORED = new Set([".git", "node_modules", "dist", ".timelines", ".mutate", "recordings", "package"]);

it("docs/architecture.md names every folder of src", () => {
  const page = read("docs/architecture.md");
  expect(foldersIn("src").filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it("docs/api.md names every tool of MCP", () => {
  const page = read("docs/api.md");
  expect(TOOLS.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\` {`))).toEqual([]);
});

it("the README or CONTRIBUTING.md leads to every page of docs", () => {
  const index = read("README.md") + read("CONTRIBUTING.md");
  const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  expect(pages.filter((name) => !index.includes(`docs/${name}`))).toEqual([]);
});
