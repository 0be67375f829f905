import { describe, expect, it } from "vitest";
import { agent } from "../../test/support/loops.js";
import { AGENT_LIMITS, checkAgentLimits } from "../core/agent-limits.js";
import { parseSession } from "./session-schema.js";

const { word, tags, task, workspace, argument } = AGENT_LIMITS;
const long = (length: number): string => "x".repeat(length);

const FIELDS: [string, object, object][] = [
  ["a name", { name: long(word) }, { name: long(word + 1) }],
  ["a tag", { tags: [long(word)] }, { tags: [""] }],
  ["the number of tags", { tags: Array(tags).fill("t") }, { tags: Array(tags + 1).fill("t") }],
  ["a task", { task: long(task) }, { task: long(task + 1) }],
  ["a folder", { workspace: long(workspace) }, { workspace: long(workspace + 1) }],
  ["an argument", { command: [long(argument)] }, { command: [long(argument + 1)] }],
  ["the number of arguments", { command: Array(10_000).fill("") }, { command: Array(10_001).fill("") }],
];

describe("the stored record of an agent", () => {
  it.each(FIELDS)("has a limit for %s that matches what the daemon refuses", (_, fits, breaks) => {
    for (const fields of [fits, breaks])
      expect(checkAgentLimits(fields) === null).toBe(parseSession({ ...agent(), ...fields }) !== null);
    expect(checkAgentLimits(fits)).toBeNull();
    expect(checkAgentLimits(breaks)).toMatch(/\d+ (characters|tags|arguments)$/);
  });

  it("is bounded as a whole, so that it can be read again", () => {
    expect(checkAgentLimits({ command: Array(4).fill(long(70_000)) })).toContain("a command has at most");
  });
});
