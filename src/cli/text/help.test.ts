import { describe, expect, it } from "vitest";
import { allCommands } from "../commands/completions.js";
import { COMMANDS } from "../commands.js";
import { helpItem, helpList } from "./help.js";

const TEXT = "Turn automatic recovery on or off; show what is allowed";

describe("an item of a help text", () => {
  it("is beside its term and wraps below itself", () => {
    expect(helpItem("allow", 8, "let rouse act on agents that it starts", 36)).toBe(
      ["  allow     let rouse act on agents", "            that it starts"].join("\n"),
    );
  });

  it("is below its term if there is no room beside it", () => {
    expect(helpItem("silence [options] [what]", 24, "take no action and send no alert", 40)).toBe(
      ["  silence [options] [what]", "      take no action and send no alert"].join("\n"),
    );
  });

  it.each([40, 50, 60, 80, 100])("breaks between words alone, at %d columns", (width) => {
    const lines = helpItem("allow [options] [agents...]", 34, TEXT, width).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines.join(" ").split(/\s+/).slice(4).join(" ")).toBe(TEXT);
  });

  it("may be a term without text", () => {
    expect(helpItem("help", 10, "", 80)).toBe("  help");
  });
});

describe("a titled list in the help", () => {
  it("aligns its texts in one column", () => {
    expect(
      helpList(
        "Getting started:",
        [
          ["rouse demo", "all of it"],
          ["rouse", "this"],
        ],
        80,
      ),
    ).toBe("\nGetting started:\n  rouse demo  all of it\n  rouse       this\n");
  });
});

describe("the summary of a command", () => {
  it("is one phrase of at most 60 characters without a period, also for subcommands", async () => {
    const specs = await allCommands(COMMANDS);
    const wrong = specs.filter(({ summary }) => summary === "" || summary.length > 60 || summary.endsWith("."));
    expect(wrong.map(({ words, summary }) => `${words.join(" ")}: ${summary}`)).toEqual([]);
  });
});
