/** What watched agents may do with each command, compared with the commands and operations that exist. */
import { expect, it } from "vitest";
import { OPERATIONS } from "../src/api/operations/index.js";
import type { Operation } from "../src/api/operations/operation.js";
import { allCommands } from "../src/cli/commands/completions.js";
import { COMMANDS } from "../src/cli/commands.js";
import { INSIDE_COMMANDS, REFUSED_COMMANDS } from "./support/inside-commands.js";

it("every command has a row for calls inside of a watched agent", async () => {
  const names = (await allCommands(COMMANDS)).map(({ words }) => words.join(" "));
  // `rouse messages` lists messages itself; the other groups print their help.
  const isGroup = (name: string): boolean => names.some((other) => other.startsWith(`${name} `));
  expect(names.filter((name) => !isGroup(name) || name in INSIDE_COMMANDS).sort()).toEqual(
    Object.keys(INSIDE_COMMANDS).sort(),
  );
});

it("every operation that is refused inside of an agent has a command there that is refused", () => {
  const refused = new Set(REFUSED_COMMANDS.map(([command]) => command));
  for (const [name, { fromInside, surfaces }] of Object.entries<Operation>(OPERATIONS)) {
    if (fromInside === "allowed" || fromInside === "itself" || surfaces.cli.length === 0) continue;
    // Their commands need a terminal, or start what an agent can start without rouse; the operations are refused.
    if (name === "local_attach" || name === "spawn") continue;
    expect([name, surfaces.cli.some((command) => refused.has(command.split(" ")[0]))]).toEqual([name, true]);
  }
});
