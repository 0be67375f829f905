import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readTaskFiles } from "../../src/programs/claude-code/task-files.js";
import { todosOfCall } from "../../src/programs/shared/todos.js";
import { ToolCalls } from "../../src/readers/records/tool-calls.js";
import { programFiles } from "../../src/sensors/process/program-files.js";

it.each([
  [
    "TodoWrite",
    {
      todos: [
        { content: "Read", status: "completed" },
        { content: "Fix", status: "in_progress" },
      ],
    },
  ],
  [
    "todowrite",
    {
      todos: [
        { content: "Read", status: "completed", id: "1", priority: "high" },
        { content: "Fix", status: "pending" },
      ],
    },
  ],
  [
    "update_plan",
    JSON.stringify({
      plan: [
        { step: "Read", status: "completed" },
        { step: "Fix", status: "pending" },
      ],
    }),
  ],
  [
    "write_todos",
    {
      todos: [
        { description: "Read", status: "completed" },
        { description: "Fix", status: "cancelled" },
      ],
    },
  ],
])("the list of %s gives what is done", (tool, args) => {
  expect(todosOfCall(tool, args)).toEqual({ done: 1, of: 2, last: "Read" });
  const [start] = new ToolCalls().start({ at: 0, source: "transcript" }, { id: "1", tool, args });
  expect(start).toMatchObject({ kind: "tool_start", todos: { done: 1, of: 2, last: "Read" } });
});

it("other tools and lists that are none give nothing", () => {
  for (const args of [null, "", "{", [], {}, { todos: "x" }, { todos: [] }, { todos: null }])
    expect(todosOfCall("TodoWrite", args), JSON.stringify(args)).toBeNull();
  expect(todosOfCall("Bash", { todos: [{ status: "completed" }] })).toBeNull();
  expect(todosOfCall("TodoWrite", { todos: [null, 1, "x", { status: "completed", content: 7 }] })).toEqual({
    done: 1,
    of: 4,
  });
});

it("the task files of Claude Code are those of the transcript's session, read without following links", async () => {
  const home = mkdtempSync(join(tmpdir(), "rouse-tasks-"));
  try {
    const session = "0a1b2c3d-0000-4000-8000-000000000001";
    const transcript = join(home, "projects", "-shop", `${session}.jsonl`);
    expect(await readTaskFiles(transcript, programFiles)).toBeNull();
    const folder = join(home, "tasks", session);
    mkdirSync(folder, { recursive: true });
    const write = (name: string, value: unknown): void => writeFileSync(join(folder, name), JSON.stringify(value));
    write("1.json", { id: "1", subject: "Read the code", status: "completed" });
    write("2.json", { id: "2", subject: "Fix it", status: "completed" });
    write("10.json", { id: "10", subject: "Test it", status: "in_progress" });
    writeFileSync(join(folder, "3.json"), "{ broken");
    writeFileSync(join(folder, ".lock"), "");
    writeFileSync(join(home, "secret"), JSON.stringify({ subject: "secret", status: "completed" }));
    symlinkSync(join(home, "secret"), join(folder, "11.json"));
    expect(await readTaskFiles(transcript, programFiles)).toEqual({ done: 2, of: 4, last: "Fix it" });
    for (const name of ["..", "../..", "x"])
      expect(await readTaskFiles(join(home, "projects", "-shop", `${name}.jsonl`), programFiles)).toBeNull();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
