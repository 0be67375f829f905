import { expect, it } from "vitest";
import { START, type Step, screen, walk } from "../../../../test/support/steps.js";

const QUESTION = "Username for 'https://git.example.com':";
const shows = (row: string, reply = row) =>
  screen({
    busy: true,
    moving: true,
    composer: "hidden",
    reply,
    tail: [row],
    tool: { class: "shell", subject: "git" },
  });
const process = (at: number, fields: object): Step => ({
  at,
  signal: { kind: "process", source: "process", alive: true, children: 1, cpuMs: 10, ...fields },
});
const shell: Step["signal"] = {
  kind: "tool_start",
  source: "transcript",
  id: "t",
  tool: "Bash",
  class: "shell",
  subject: "git",
  call: "c",
};
const begin: Step = { at: 0, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true } };

it.each<[string, Partial<Parameters<typeof walk>[1]>, readonly Step[]]>([
  [
    "a question below a running command needs the user within seconds if the user can answer it",
    { takesToolInput: true },
    [
      { at: 0, signal: shows(QUESTION) },
      { at: 2, expect: "working" },
      { at: 6, expect: "needs_input/input" },
    ],
  ],
  [
    "a question that nobody can answer is a stall",
    { takesToolInput: false },
    [
      { at: 0, signal: shows(QUESTION) },
      { at: 6, expect: "stuck/waiting_on_stdin" },
    ],
  ],
  [
    "a row that a log may contain has to stay longer",
    { takesToolInput: true },
    [
      { at: 0, signal: shows("package name: (x)") },
      { at: 12, expect: "waiting/tool" },
      { at: 16, expect: "needs_input/input" },
    ],
  ],
  [
    "a command that goes on after text that looks like a question is work",
    { takesToolInput: true },
    [
      { at: 0, signal: shows("Overwrite? [y/N]") },
      { at: 3, signal: shows("overwritten") },
      { at: 30, expect: "waiting/tool" },
    ],
  ],
  [
    "a question mark at the end of a log row is no question",
    { takesToolInput: true },
    [
      { at: 0, signal: shows("Did you mean 'foo'?") },
      { at: 90, expect: "waiting/tool" },
    ],
  ],
  [
    "a question mark counts if the command reads from its terminal",
    { takesToolInput: true },
    [
      { at: 0, signal: shows("Which template do you want to use?") },
      process(1, { terminalReaderAt: START }),
      { at: 20, expect: "needs_input/input" },
    ],
  ],
  [
    "a command that reads from its terminal is a stall without any text",
    {},
    [
      begin,
      { at: 1, signal: shell },
      process(3, { terminalReaderAt: START + 2000, newestChildAt: START + 2000 }),
      { at: 12, expect: "waiting/tool" },
      { at: 20, expect: "stuck/waiting_on_stdin" },
    ],
  ],
  [
    "a shell that was started before the call may read its terminal",
    {},
    [
      { ...begin, at: 10 },
      { at: 20, signal: shell },
      process(21, { terminalReaderAt: START + 5000 }),
      { at: 90, expect: "waiting/tool" },
    ],
  ],
  [
    "a command that stops reading is work again",
    {},
    [
      begin,
      { at: 1, signal: shell },
      process(3, { terminalReaderAt: START + 2000 }),
      process(13, {}),
      { at: 60, expect: "waiting/tool" },
    ],
  ],
])("%s", (_, traits, steps) => {
  const { said, expected } = walk(steps, traits);
  expect(said).toEqual(expected);
});
