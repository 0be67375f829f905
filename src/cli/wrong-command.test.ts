import { Command } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { unknownCommand, withoutHelp } from "./wrong-command.js";

const program = new Command("rouse");
program.command("status");
program.command("run").argument("<command...>");
const alert = program.command("alert");
alert.command("test");
alert.command("list");

describe("a command that there is not", () => {
  it.each([
    [["nope"], 'there is no command nope; "rouse --help" lists the commands'],
    [["nope", "--help"], 'there is no command nope; "rouse --help" lists the commands'],
    [["statsu"], "there is no command statsu; did you mean rouse status?"],
    [["ps"], "there is no command ps; did you mean rouse status?"],
    [["alert", "lst", "x"], "there is no command alert lst; did you mean rouse alert list?"],
    [["alert", "nope", "--help"], 'there is no command alert nope; "rouse alert --help" lists the commands'],
  ])("is told in one line, also where help is asked for: %j", (args, text) => {
    expect(unknownCommand(program, args)).toBe(text);
  });

  it.each([[[]], [["status"]], [["run", "nope"]], [["alert", "test", "ops"]], [["--help"]], [["alert", "--help"]]])(
    "is none of %j",
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
  ])("is not help: %j is %j", (args, meant) => {
    expect(withoutHelp(args)).toEqual(meant);
  });
});
