import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUSE_MARK } from "../../core/judgement/noise.js";
import { ClaudeTranscriptReader } from "../../programs/claude-code/readers/transcript.js";
import { markedCheckpoints } from "./marked-checkpoints.js";

const LINE = "@rouse checkpoint 7 step 3: added the endpoint";

describe("a marked checkpoint", () => {
  it("is a line of its own in a reply, with or without task and step", () => {
    expect(markedCheckpoints(`Done with this part.\n\n${LINE}\nNow the tests.`)).toEqual([
      { task: 7, step: 3, text: "added the endpoint" },
    ]);
    expect(
      markedCheckpoints("@rouse checkpoint step 2: two\r\n@rouse checkpoint #12: went on\r\n@rouse checkpoint: x"),
    ).toEqual([{ step: 2, text: "two" }, { task: 12, text: "went on" }, { text: "x" }]);
  });

  it.each([
    ["in a sentence", `I will print ${LINE} now.`],
    ["after other text", `- ${LINE}`],
    ["indented", `    ${LINE}`],
    ["in a quotation", `> ${LINE}`],
    ["as an added line of a diff", `+${LINE}`],
    ["as a removed line of a diff", `-${LINE}`],
    ["as a context line of a diff", ` ${LINE}`],
    ["in backticks", `\`${LINE}\``],
    ["in a block of code", `See:\n\`\`\`sh\n${LINE}\n\`\`\`\n`],
    ["in a block with tildes that holds backticks", `~~~\n\`\`\`\n${LINE}\n\`\`\`\n${LINE}\n~~~`],
    ["in a longer fence", `\`\`\`\`\n\`\`\`\n${LINE}\n\`\`\`\`\n`],
    ["in a block that is never closed", `\`\`\`\n${LINE}`],
    ["in a message that quotes rouse's prompt", `${LINE}\n${ROUSE_MARK}`],
    ["with the placeholder of the prompt", "@rouse checkpoint 7 step 3: <what you completed>"],
    ["without a text", "@rouse checkpoint 7 step 3:"],
    ["in other words", "@rouse checkpoints 7 step 3: x\n@Rouse checkpoint 7: x\nrouse checkpoint 7: x"],
    [
      "with a number that is none",
      "@rouse checkpoint 7.5 step 3: x\n@rouse checkpoint -7: x\n@rouse checkpoint 7777777777: x",
    ],
  ])("is not one %s", (_, text) => {
    expect(markedCheckpoints(text)).toEqual([]);
  });

  it("counts again after a closed block of code", () => {
    expect(markedCheckpoints(`\`\`\`\n${LINE}\n\`\`\`\n${LINE}`)).toHaveLength(1);
  });

  it("of one reply are the newest five, without control bytes and secrets, on bounded text", () => {
    const many = Array.from({ length: 50 }, (_, n) => `@rouse checkpoint 7 step ${n}: did ${n}`).join("\n");
    expect(markedCheckpoints(many).map(({ step }) => step)).toEqual([45, 46, 47, 48, 49]);
    const [dirty] = markedCheckpoints(`@rouse checkpoint 7: red \u001b[31m key sk-ant-api03-${"a".repeat(90)} end`);
    expect(dirty?.text).not.toMatch(/\u001b|sk-ant-api03-a{20}/);
    expect(markedCheckpoints(`@rouse checkpoint 7: ${"x".repeat(5000)}`)).toEqual([]);
  });

  it("never throws, whatever an agent writes", () => {
    const piece = fc.constantFrom(
      "@rouse checkpoint",
      " 7",
      " step 3",
      ": ",
      "```",
      "~~~",
      "\n",
      "\r",
      "x",
      "<",
      "\u0000",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        for (const { text } of markedCheckpoints(pieces.join(""))) expect(text).not.toBe("");
      }),
    );
  });
});

describe("a transcript", () => {
  const record = (message: object, type: "user" | "assistant"): object => ({
    type,
    uuid: String(Math.random()),
    sessionId: "s",
    timestamp: "2026-11-19T08:00:00Z",
    message,
  });
  const marks = (...records: object[]): unknown[] => {
    const reader = new ClaudeTranscriptReader();
    return records
      .flatMap((one) => reader.read(one, 0))
      .flatMap((signal) => (signal.kind === "message" ? (signal.checkpoints ?? []) : []));
  };

  it("reports the line of a reply, and none of a prompt, a tool's input or its result", () => {
    const reply = record({ id: "m1", role: "assistant", content: [{ type: "text", text: LINE }] }, "assistant");
    expect(marks(reply)).toHaveLength(1);
    const call = record(
      {
        id: "m2",
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: `echo '\n${LINE}\n'` } }],
      },
      "assistant",
    );
    const result = record(
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: LINE }] },
      "user",
    );
    const prompt = record({ role: "user", content: LINE }, "user");
    const thought = record(
      { id: "m3", role: "assistant", content: [{ type: "thinking", thinking: LINE }] },
      "assistant",
    );
    expect(marks(call, result, prompt, thought)).toEqual([]);
  });

  it("with rouse's own prompt in a reply reports none", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../prompts/checkpoints.md"), "utf8").replaceAll(
      "{{id}}",
      "7",
    );
    expect(text).toContain("@rouse checkpoint 7");
    expect(marks(record({ id: "m1", role: "assistant", content: [{ type: "text", text }] }, "assistant"))).toEqual([]);
  });
});
