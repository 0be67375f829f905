import { describe, expect, it } from "vitest";
import { facts } from "../../../test/support/screen-facts.js";

const SENT = ["🪿 Find out why the total is wrong.", ""];
const atPrompt = (hint: string, ...reply: string[]) => [
  ...SENT,
  ...reply,
  "  ⏱ 1m 4s",
  "  ━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 3% 4k/128k",
  `🪿 ${hint}`,
];
const finished = (...reply: string[]) => atPrompt("Enter to send · Ctrl+J newline", ...reply);
const call = (tool: string, ...parameters: string[]) => [
  "I look.",
  `  ${"─".repeat(40)}`,
  `  ▸ ${tool}`,
  ...parameters,
  "",
];
const asked = (question: string, ...options: string[]) => [
  ...SENT,
  ...call("shell", "    command: rm -rf build"),
  `◆  ${question}`,
  ...options.map((option) => `│  ${option}`),
  "└",
];

describe("a screen of Goose", () => {
  it.each([
    ["its spinner", [...SENT, "◐  Flapping wings...  (Ctrl+C to interrupt)"], { busy: true }],
    [
      "a command that runs without a spinner",
      [...SENT, ...call("shell", "    command: tail -f server.log", "    timeout_secs: 180")],
      { busy: true, tool: { class: "endless", subject: "tail -f server.log" } },
    ],
    [
      "another tool that runs",
      [...SENT, ...call("write", "    path: sum.mjs")],
      { busy: null, tool: { class: "other", subject: "write" } },
    ],
    [
      "the result of a command",
      [...SENT, ...call("shell", "    command: tail -f server.log"), "    ready"],
      { busy: null },
    ],
    [
      "a compaction",
      [...SENT, "◐  goose is compacting the conversation...  (Ctrl+C to interrupt)"],
      { busy: true, compacting: true },
    ],
    ["the end of a turn", finished("All tests pass."), { busy: false, ended: true, composer: "empty" }],
    [
      "the end of a turn in an early release",
      ["( O)> hello", "Done.", "", "⏱️  Elapsed time: 9.36s", "Context: ○○○○○○○○○○ 0% (4067/1048576 tokens)", "( O)> "],
      { ended: true, composer: "empty" },
    ],
    [
      "an interruption",
      atPrompt("Interrupted, what should goose work on instead?", "Yes — what would you like me to do?"),
      { interrupted: true, composer: "empty" },
    ],
    ["a draft", [...finished("Done.").slice(0, -1), "🪿 and also check the"], { composer: "draft" }],
  ])("shows %s", (_, lines, expected) => {
    expect(facts("goose", lines)).toMatchObject(expected);
  });

  it.each([
    ["Goose would like to call the above tool, do you allow?", ["● Allow (once)", "○ Deny"], "permission"],
    ["Do you allow this tool call?", ["● Allow (once)", "○ Deny"], "permission"],
    ["Do you want to clear message history & act on this plan?", ["● Yes / ○ No"], "plan"],
    ["Approve?", ["● Yes / ○ No"], "confirmation"],
    ["database", ["○ postgres", "● sqlite"], "input"],
  ])("with the question %j is a prompt", (question, options, prompt) => {
    expect(facts("goose", asked(question, ...options))).toMatchObject({ dialog: { prompt } });
  });

  it.each([
    ["Ran into this error: Authentication error: Status: 401 Unauthorized.", "auth"],
    ["Ran into this error: Request failed: Bad request (400): the field is unknown.", "api"],
    ["Unable to continue: Context limit still exceeded after compaction.", "context_full"],
    ["The conversation is too long for the model's context window.", "context_full"],
    ["  error: The error above was an exception we were not able to handle.", "api"],
  ])("with the words %j is an error", (row, cause) => {
    expect(facts("goose", finished(row))).toMatchObject({ error: { cause } });
  });

  it.each([
    ["Ran into this error: ENOENT in build.js. I created the folder and the tests pass."],
    ["The log says: Ran into this error: Request failed: 400"],
  ])("with the reply %j is no error", (row) => {
    expect(facts("goose", finished(row)).error).toBeUndefined();
  });
});
