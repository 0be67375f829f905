import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HubError } from "../hub/hub-error.js";
import { parseTaskText } from "./task-file.js";

const MARKDOWN = `---
priority: 5
tags: [backend, "urgent"]
blocked_by: 3, 4
---
# Fix the login

Users are logged out after a minute.

## Diagnosis

The cookie has no expiry.

## Steps

- [x] Reproduce it
- [ ] Set the expiry
- [ ] Add a test

\`\`\`
- [ ] not a step
\`\`\`

## QA requirements

Log in, wait two minutes.

## Notes

Ask Ana.
`;

describe("a task in Markdown", () => {
  it("has its title, fields, steps and sections, and keeps everything else as the description", () => {
    expect(parseTaskText(MARKDOWN, "task.md")).toEqual({
      title: "Fix the login",
      priority: 5,
      tags: ["backend", "urgent"],
      blockedBy: [3, 4],
      diagnosis: "The cookie has no expiry.",
      qa: "Log in, wait two minutes.",
      steps: ["Set the expiry", "Add a test"],
      description:
        "Users are logged out after a minute.\n\n```\n- [ ] not a step\n```\n\n## Notes\n\nAsk Ana.\n\nFinished before:\n- Reproduce it",
    });
  });

  it("takes the numbered list under Steps if there is no checklist, and the first line as the title", () => {
    expect(parseTaskText("Fix it\n\n1. no step\n\n## Steps\n1. One\n2. Two\n", "t.md")).toMatchObject({
      title: "Fix it",
      description: "1. no step",
      steps: ["One", "Two"],
    });
  });

  it.each([
    ["", "t.md has no title"],
    ["# \n\n- [ ] step", "t.md has no title"],
    ["---\npriority 5\n---\n# X", 't.md: "priority 5" is no "field: value" line'],
    ["---\nowner: me\n---\n# X", 't.md has an unknown field "owner"; expected title, description'],
    ["---\ncheck: rm -rf /\n---\n# X", "t.md sets check, which a file cannot"],
  ])("refuses %j with one clear error", (text, error) => {
    expect(() => parseTaskText(text, "t.md")).toThrow(error);
  });
});

describe("a task in JSON", () => {
  it("has the fields of the API", () => {
    expect(parseTaskText('{"title":"X","qa_requirements":"run it","max_continuations":1}', "-")).toEqual({
      title: "X",
      qa: "run it",
      maxContinuations: 1,
    });
  });

  it.each([
    ['{"title":', "t.json is not valid JSON"],
    ['{"title":"X","check":["rm"]}', "t.json sets check, which a file cannot"],
    ['{"titel":"X"}', 't.json has an unknown field "titel"'],
  ])("refuses %j with one clear error", (text, error) => {
    expect(() => parseTaskText(text, "t.json")).toThrow(error);
  });
});

it("any text gives a task or a clear error", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      try {
        const { title, steps } = parseTaskText(text, "t");
        expect(title === undefined || typeof title === "string" || text.trimStart().startsWith("{")).toBe(true);
        expect(steps === undefined || Array.isArray(steps) || text.trimStart().startsWith("{")).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(HubError);
      }
    }),
    { numRuns: process.env.ROUSE_FULL ? 20_000 : 1000 },
  );
});
