import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { explainInvalidInput } from "./explain.js";
import { OPERATIONS, type OperationName } from "./index.js";

function complaint(name: OperationName, input: unknown): string {
  const schema: z.ZodObject = OPERATIONS[name].input;
  const parsed = schema.safeParse(input);
  if (parsed.success) throw new Error("it is valid");
  return explainInvalidInput(parsed.error, schema, input);
}

describe("an invalid input", () => {
  it.each<[OperationName, unknown, string]>([
    ["send_input", { agent: "a" }, "text: missing; expected a string of 1 to 10000 characters"],
    ["send_input", { agent: "a", text: 7 }, "text: 7 is not accepted; expected a string of 1 to 10000 characters"],
    ["read_pane", { agent: "a", lines: "many" }, 'lines: "many" is not accepted; expected an integer from 1 to 500'],
    ["read_pane", { agent: "a", lines: 501 }, "lines: 501 is not accepted; expected an integer from 1 to 500"],
    [
      "summary",
      { since: "soon" },
      'since: "soon" is not accepted; expected an ISO 8601 time or milliseconds since 1970',
    ],
    ["incidents", { all: "maybe" }, 'all: "maybe" is not accepted; expected true or false'],
    [
      "feedback",
      { incident: "i", feedback: "so" },
      'feedback: "so" is not accepted; expected one of false-alarm, right',
    ],
    ["send_message", { target: {} }, "target.tag: missing; expected a string of 1 to 200 characters"],
    [
      "send_message",
      { target: { tag: "ops" }, msg_type: "Note!" },
      'msg_type: "Note!" is not accepted; expected lower-case letters, digits, dots, dashes and underscores, such as note',
    ],
    ["spawn", { command: [], cwd: "/" }, "command: [] is not accepted; expected a list of 1 to 10000 strings"],
    ["allow", { agents: 7 }, 'agents: 7 is not accepted; expected "all" or a list of 1 to 200 strings'],
    [
      "silence",
      { what: "web", for_secs: -1 },
      "for_secs: -1 is not accepted; expected a number above 0, at most 31622400 or null",
    ],
    ["strips", { slot_mins: 20 }, "slot_mins: 20 is not accepted; expected one of 15, 30, 60"],
    ["watch", { programs: true, tags: 3 }, "tags: 3 is not accepted; expected a list of at most 100 strings"],
    ["health", null, "the input must be a JSON object"],
  ])("for %s, %j, is explained with the field, the error and the expected value", (name, input, text) => {
    expect(complaint(name, input)).toBe(text);
  });

  it("is quoted without control bytes, and not at full length", () => {
    const text = complaint("read_pane", { agent: "a", lines: `\u001b[2J${"x".repeat(500)}` });
    expect(text).not.toContain("\u001b");
    expect(text.length).toBeLessThan(150);
  });

  it("is never explained in the words of the schema library", () => {
    for (const name of Object.keys(OPERATIONS) as OperationName[]) {
      const schema: z.ZodObject = OPERATIONS[name].input;
      for (const field of Object.keys(schema.shape)) {
        const input = { [field]: Symbol.for("wrong") };
        const parsed = schema.safeParse(input);
        if (parsed.success) continue;
        expect(explainInvalidInput(parsed.error, schema, input)).not.toMatch(
          /Invalid|expected string, received|must match/,
        );
      }
    }
  });
});
