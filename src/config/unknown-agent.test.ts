import { expect, it } from "vitest";
import { unknownAgent } from "./unknown-agent.js";

it.each([
  [["docs", "api"], 'no agent named "ap"; did you mean api? available: api, docs'],
  [["x\u001b[31m"], 'no agent named "ap"; available: x [31m'],
  [[], 'no agent named "ap"; no agents are running; start one with `rouse spawn`'],
])("an unknown agent is answered with the known ones or with the next command: %j", (names, text) => {
  expect(unknownAgent("ap", names)).toBe(text);
});
