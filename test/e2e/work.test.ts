/** `rouse work`: real agents over a real queue. Each task's title says what its agent does. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TaskDetailView } from "../../src/api/service/task-views.js";
import { BIN, closeHome, type Home, makeHome, processesOf, rouse, TestTerminal, until } from "../support/hosts.js";

let home: Home;
let agent: string[];

/** The agent reads what it is to do from its task, and reports as its prompt says. */
const AGENT = `
import { spawnSync } from "node:child_process";
const rouse = (...words) => spawnSync(process.execPath, [${JSON.stringify(BIN)}, ...words], { encoding: "utf8" });
const id = process.env.ROUSE_TASK;
const task = JSON.parse(rouse("task", "show", id, "--json").stdout);
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
rouse("checkpoint", "--step", "1", "first step");
if (task.title === "die once" && task.attempts === 1) process.exit(3);
if (task.title === "die") process.exit(4);
if (task.title === "block") rouse("task", "block", id, "needs a key");
else if (task.title === "wait") await rest(60_000);
else rouse("task", "done", id, "finished by " + process.env.ROUSE_SESSION);
`;

beforeEach(() => {
  home = makeHome("on");
  const file = join(home.path, "agent.mjs");
  writeFileSync(file, AGENT);
  agent = [process.execPath, file, "{prompt_file}"];
});

afterEach(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

const add = async (title: string, ...more: string[]): Promise<void> => {
  const { status, stderr } = await rouse(home, ["task", "add", title, "--step", "one", ...more]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
};
const show = async (id: number): Promise<TaskDetailView> =>
  JSON.parse((await rouse(home, ["task", "show", String(id), "--json"])).stdout) as TaskDetailView;

describe("rouse work", () => {
  it("runs agents over the queue until it is empty", { timeout: 180_000 }, async () => {
    await rouse(home, ["up"]);
    await add("finish");
    await add("die once");
    await add("die", "--max-continuations", "0");
    await add("block", "--priority", "5");
    await add("after the block", "--blocked-by", "4");
    await add("after the first", "--blocked-by", "1");
    const { status, stdout, stderr } = await rouse(home, ["work", "--max", "2", "--json", "--", ...agent]);
    const { why, started, tasks, running } = JSON.parse(stdout);
    expect({ why, running, status }).toEqual({ why: "empty", running: [], status: 1 });
    // The highest priority first; what waits for a blocked task stays.
    expect(started[0]).toBe(4);
    const ended = Object.fromEntries(tasks.map((one: { task: number; status: string }) => [one.task, one.status]));
    expect(ended, stderr).toEqual({ 1: "done", 2: "done", 3: "failed", 4: "blocked", 6: "done" });
    const [once, dead, after] = [await show(2), await show(3), await show(5)];
    expect(once).toMatchObject({ attempts: 2, continuations: 1, completed_steps: [1] });
    expect(dead.last_error).toContain("exit code 4");
    expect(after).toMatchObject({ status: "pending", attempts: 0 });
    expect(processesOf(home).some(({ argv }) => argv.includes("agent.mjs"))).toBe(false);
  });

  it("continues a task whose agent ended before it took its prompt, and fails it in the end", {
    timeout: 180_000,
  }, async () => {
    await add("x", "--max-continuations", "1", "--workspace", home.path);
    const { status, stdout } = await rouse(home, ["work", "--max", "1", "--", "true"]);
    expect({ status, text: stdout }).toEqual({ status: 1, text: expect.stringMatching(/continues task 1.* failed/s) });
    expect(stdout).not.toContain("keeps running");
    expect(await show(1)).toMatchObject({ status: "failed", attempts: 2, claim: null });
  });

  it("leaves running agents alone at Ctrl-C", { timeout: 120_000 }, async () => {
    await rouse(home, ["up"]);
    await add("wait");
    await add("wait");
    const terminal = new TestTerminal(home, [process.execPath, BIN, "work", "--", ...agent]);
    await terminal.shows("started on task 1");
    await until("the first step", async () => (await show(1)).completed_steps.length === 1, 60_000);
    terminal.write("\x03");
    expect((await terminal.exited).code).toBe(130);
    await terminal.shows("no more tasks are taken");
    await terminal.shows("keeps running on task 1");
    expect(await show(1)).toMatchObject({ status: "in_progress" });
    expect(await show(2)).toMatchObject({ status: "pending", attempts: 0 });
    const [name] = /\S+-1(?= keeps running)/.exec(terminal.text) ?? [""];
    expect((await rouse(home, ["stop", name])).status).toBe(0);
  });

  it("refuses wrong input, and changes nothing", { timeout: 60_000 }, async () => {
    const work = async (...words: string[]) => {
      const { status, stdout, stderr } = await rouse(home, ["work", ...words]);
      return { status, text: `${stdout}${stderr}`.split("\n")[0] };
    };
    expect(await work("--", ...agent)).toEqual({ status: 0, text: expect.stringContaining("No task is ready") });
    for (const count of ["0", "-1", "51", "1e1", "0x2", "1.5", "many", ""])
      expect(await work("--max", count, "--", ...agent), count).toEqual({
        status: 2,
        text: expect.stringContaining("--max"),
      });
    expect(await work()).toEqual({ status: 2, text: expect.stringContaining("name a program") });
    expect(await work("--as", "x", "--", "node")).toMatchObject({ status: 2 });
    expect(await work("--as", "x")).toEqual({ status: 1, text: expect.stringContaining("no agent is configured") });
    expect(await work("--kind", "x", "--", "node")).toEqual({
      status: 2,
      text: expect.stringContaining("unknown kind"),
    });
    expect(await work("--", "no-such-program")).toEqual({ status: 1, text: 'rouse: "no-such-program" was not found' });
    expect(await work("--", ...agent)).toEqual({ status: 0, text: expect.stringContaining("No task is ready") });
    await add("nowhere", "--workspace", join(home.path, "missing"));
    expect(await work("--", ...agent)).toEqual({
      status: 1,
      text: expect.stringMatching(/Task 1 was not started: the folder of task 1 does not exist/),
    });
    expect(await show(1)).toMatchObject({ status: "pending", attempts: 0 });
  });
});

describe("rouse spawn --task", () => {
  const spawn = async (...words: string[]) => {
    const { status, stdout, stderr } = await rouse(home, ["spawn", ...words]);
    return { status, out: stdout.trim(), error: stderr.split("\n")[0] };
  };

  it("claims a task of the hub for the program, and keeps any other text as a label", {
    timeout: 120_000,
  }, async () => {
    await rouse(home, ["up"]);
    await add("wait");
    const { status, out: name } = await spawn("--task", "1", "--name", "ann", "--tag", "w", "--", ...agent);
    expect({ status, name }).toEqual({ status: 0, name: "ann" });
    await until("the first step", async () => (await show(1)).completed_steps.length === 1, 60_000);
    expect(await show(1)).toMatchObject({ status: "in_progress", claim: { agent: "ann" }, attempts: 1 });
    const held = await spawn("--task", "1", "--", ...agent);
    expect(held).toEqual({ status: 1, out: "", error: expect.stringContaining("task 1 is held by ann") });
    const taken = await spawn("--task", "1", "--take-over", "--", ...agent);
    expect(taken).toMatchObject({ status: 0 });
    expect(await show(1)).toMatchObject({ claim: { agent: taken.out }, attempts: 2 });
    for (const label of ["99", "shop-1"]) {
      const labelled = await spawn("--task", label, "--", process.execPath, "-e", "setTimeout(() => {}, 60000)");
      expect(labelled).toMatchObject({ status: 0, error: "" });
      expect((await rouse(home, ["stop", labelled.out])).status).toBe(0);
    }
    expect((await rouse(home, ["stop", taken.out])).status).toBe(0);
  });

  it("refuses options that do not fit, and starts nothing", { timeout: 60_000 }, async () => {
    await rouse(home, ["up"]);
    await add("wait");
    const bad = (text: string) => ({ status: 2, out: "", error: expect.stringContaining(text) });
    expect(await spawn("--directive", "x", "--", ...agent)).toEqual(bad("need --task with the number of a task"));
    expect(await spawn("--task", "shop-1", "--worktree", "--", ...agent)).toEqual(bad("need --task with the number"));
    expect(await spawn("--task", "1", "--prompt", "x", "--", ...agent)).toEqual(bad("use --directive"));
    expect(await spawn("--task", "1", "--as", "x", "--tag", "w")).toEqual(bad("leave out"));
    expect(await spawn("--as", "x")).toEqual(bad("--as needs the number of a task"));
    expect(await spawn("--task", "99", "--directive", "x", "--", ...agent)).toEqual({
      status: 1,
      out: "",
      error: expect.stringContaining("99"),
    });
    expect(await show(1)).toMatchObject({ status: "pending", attempts: 0 });
  });
});
