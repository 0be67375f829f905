import { Command } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { unknownCommand, withoutHelp } from "./wrong-command.js";

const program = new Command("rouse");
program.command("status");
program.command("run").argument("<command...>");
const alert = program.command("alert");
alert.command("test");
alert.command("list");

describe("an unknown command", () => {
  it.each([
    [["nope"], "unknown command nope; `rouse --help` lists the commands"],
    [["nope", "--help"], "unknown command nope; `rouse --help` lists the commands"],
    [["statsu"], "unknown command statsu; did you mean rouse status?"],
    [["version"], "unknown command version; did you mean rouse --version?"],
    [["ps"], "unknown command ps; did you mean rouse status?"],
    [["alert", "lst", "x"], "unknown command alert lst; did you mean rouse alert list?"],
    [["alert", "nope", "--help"], "unknown command alert nope; `rouse alert --help` lists the commands"],
  ])("is reported in one line, with or without --help: %j", (args, text) => {
    expect(unknownCommand(program, args)).toBe(text);
  });

  it.each([[[]], [["status"]], [["run", "nope"]], [["alert", "test", "ops"]], [["--help"]], [["alert", "--help"]]])(
    "is not found in %j",
    (args) => {
      expect(unknownCommand(program, args)).toBeNull();
    },
  );

  it.each([
    [["help"], ["--help"]],
    [["help", "help"], ["--help"]],
    [
      ["help", "alert", "test"],
      ["alert", "test", "--help"],
    ],
    [
      ["run", "help"],
      ["run", "help"],
    ],
  ])("is not assumed for help: %j means %j", (args, meant) => {
    expect(withoutHelp(args)).toEqual(meant);
  });
});
