import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerFrom, STORED_WIDTHS, type StoredHelp } from "../src/cli/help-store.js";
import { createProgram } from "../src/cli/program.js";
import { renderHelp } from "../src/cli/render-help.js";

const ROOT = join(import.meta.dirname, "..");

/** What commander writes to standard output when these words are parsed. */
async function commanderSays(width: number, words: readonly string[]): Promise<string> {
  let text = "";
  const program = await createProgram(words[0] ?? "", width, () => {});
  const capture = {
    writeOut: (part: string): void => {
      text += part;
    },
  };
  program.configureOutput(capture);
  for (const command of program.commands) {
    command.configureOutput(capture);
    for (const inner of command.commands) inner.configureOutput(capture);
  }
  await program.parseAsync([...words], { from: "user" }).catch(() => {});
  return text;
}

function run(entry: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, entry), ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

describe.each(STORED_WIDTHS)("the stored help, %s columns wide,", (width) => {
  it("equals what commander prints for every command", async () => {
    const stored = await renderHelp(width);
    expect(Object.keys(stored.help).length).toBeGreaterThan(40);
    for (const name of Object.keys(stored.help)) {
      const words = name === "" ? [] : name.split(" ");
      const text = await commanderSays(width, [...words, "--help"]);
      for (const asked of [
        [...words, "--help"],
        [...words, "-h"],
        ["help", ...words],
      ])
        expect(answerFrom(stored, asked), asked.join(" ")).toEqual({ text, isError: false, code: 0 });
    }
    const version = await commanderSays(width, ["--version"]);
    for (const asked of ["--version", "-V"])
      expect(answerFrom(stored, [asked])).toEqual({ text: version, isError: false, code: 0 });
  });
});

describe("the stored help", () => {
  const stored: StoredHelp = { version: "1.2.3", help: { "": "all", run: "of run" } };

  it.each([
    [["run"]],
    [["run", "--", "claude", "--version"]],
    [["run", "claude", "--help"]],
    [["--help", "run"]],
    [["nonsense", "--help"]],
    [["constructor", "--help"]],
    [["help", "--help"]],
    [["--version", "--help"]],
  ])("leaves %j to commander", (args) => {
    expect(answerFrom(stored, args)).toBeNull();
  });

  it.each([[[]], [["--version"]], [["messages", "send", "--help"]]])(
    "gives rouse %j the same output and exit code as the whole command line",
    (args) => {
      expect(run("bin/rouse", args)).toEqual(run("dist/cli/main.js", args));
    },
  );
});

it("lists the command help in a group with others", async () => {
  const text = await commanderSays(100, ["--help"]);
  const groups = text.split("\n\n").map((group) => group.split("\n").filter((line) => /^ {2}[a-z]/.test(line)));
  expect(groups.find((lines) => lines.some((line) => line.startsWith("  help ")))?.length).toBeGreaterThan(2);
});
