import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allCommands } from "../src/cli/commands/completions.js";
import { COMMANDS } from "../src/cli/commands.js";

describe("docs/cli.md", () => {
  it("names every command and every option", async () => {
    const text = readFileSync(join(import.meta.dirname, "..", "docs", "cli.md"), "utf8");
    const missing = (await allCommands(COMMANDS)).flatMap(({ words, options }) => {
      const rows = text.split("\n").filter((line) => line.includes(`rouse ${words.join(" ")}`));
      const names = options.map(({ names: all }) => all.at(-1) ?? "");
      return rows.length === 0
        ? [words.join(" ")]
        : names.filter((name) => !rows.some((row) => row.includes(name))).map((name) => `${words.join(" ")} ${name}`);
    });
    expect(missing).toEqual([]);
  });
});
