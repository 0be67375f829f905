import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { taskReference } from "./task-reference.js";
import { CLOSED, nextStatus, TASK_STATUSES, TASK_TRANSITIONS, type TaskTransition } from "./task-states.js";

describe("the states of a task", () => {
  const rows: readonly TaskTransition[] = TASK_TRANSITIONS;

  it("lead from a new task to every state", () => {
    const reached = new Set<string>(["proposed", "pending"]);
    for (let before = -1; before < reached.size; ) {
      before = reached.size;
      for (const { from, to } of rows) if (from.some((status) => reached.has(status))) reached.add(to);
    }
    expect([...reached].sort()).toEqual([...TASK_STATUSES].sort());
  });

  it("have one row per operation, and a way out of every state", () => {
    const operations = rows.map(({ operation }) => operation);
    expect(new Set(operations).size).toBe(operations.length);
    for (const status of TASK_STATUSES) expect(rows.some(({ from }) => from.includes(status))).toBe(true);
  });

  it("leave a closed task only by reopen", () => {
    for (const status of CLOSED)
      expect(rows.filter(({ from }) => from.includes(status)).map(({ operation }) => operation)).toEqual(["reopen"]);
  });

  it("let a holder neither approve nor reopen its own work", () => {
    expect(nextStatus("proposed", "approve", "holder")).toEqual({ refused: "actor" });
    expect(nextStatus("failed", "reopen", "holder")).toEqual({ refused: "actor" });
    expect(nextStatus("in_progress", "done", "rouse")).toEqual({ refused: "actor" });
    expect(nextStatus("in_progress", "done", "holder")).toEqual({ to: "done" });
  });

  it("are drawn in docs/work.md as `npm run docs:config` writes them", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/work.md"), "utf8");
    expect(page).toContain(`written by npm run docs:config -->\n\n${taskReference()}\n<!-- end of the states -->`);
  });
});
