import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { allCommands } from "../src/cli/commands/completions.js";
import { COMMANDS } from "../src/cli/commands.js";
import { cliReference } from "../src/cli/reference.js";

const page = (): string => readFileSync(join(import.meta.dirname, "..", "docs", "cli.md"), "utf8");

it("docs/cli.md is what `npm run docs:cli` writes", async () => {
  expect(page()).toBe(await cliReference());
});

it("docs/cli.md has a heading for every command", async () => {
  const headings = new Set(
    page()
      .split("\n")
      .filter((line) => line.startsWith("### ")),
  );
  const missing = (await allCommands(COMMANDS)).filter(({ words }) => !headings.has(`### rouse ${words.join(" ")}`));
  expect(missing).toEqual([]);
});
