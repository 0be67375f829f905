import { expect, it } from "vitest";
import { nameOfCommand } from "./names.js";

it.each([
  [["/usr/bin/claude", "--resume"], "claude"],
  [["./my agent!.sh"], "my-agent-.sh"],
  [["/"], "agent"],
  // The sender of rouse's own messages.
  [["/usr/bin/rouse", "top"], "agent"],
])("the name of an agent that %j starts is %s", (command, name) => {
  expect(nameOfCommand(command)).toBe(name);
});
