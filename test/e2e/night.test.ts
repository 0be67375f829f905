/**
 * A night: `rouse work` runs four agents over a queue while agents crash at every step boundary, hang and reach a limit,
 * and the daemon is killed. Agents, daemon and terminals are real processes; only the waits are shorter.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MetricsView } from "../../src/api/service/incidents.js";
import type { TaskDetailView } from "../../src/api/service/task-views.js";
import { rousePaths } from "../../src/config/paths.js";
import { POLICIES } from "../../src/core/policy/builtin.js";
import { askDaemon } from "../../src/daemon/client.js";
import { withConstants } from "../support/constants.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";
import { quickPolicy } from "../support/plan-file.js";

const AGENT = join(import.meta.dirname, "..", "fake-agent", "night.mjs");
const TASKS = process.env.ROUSE_FULL ? 40 : 12;
const KILLS = process.env.ROUSE_FULL ? 4 : 1;
const AGENTS = 4;
const STEPS = 3;
/** What the agent of each task does: also between claim and first checkpoint, and between work and report. */
const TITLES = [
  "finish",
  "crash before 1",
  "hang at 2",
  "limit at 2",
  "crash within 2",
  "die before 2",
  "lie",
  "crash after 3",
  "surrender",
  "crash after 1",
  "hang at 1",
  "crash within 3",
  "limit at 1",
];
/** Tasks that fail, with the reason. */
const FAILING: Readonly<Record<string, RegExp>> = {
  "die before 2": /exit code 7/,
  surrender: /disk/,
};

const home: Home = makeHome("on");
const folder = join(home.path, "steps");
const titleOf = (task: number): string => TITLES[(task - 1) % TITLES.length] as string;
const tasks = Array.from({ length: TASKS }, (_, index) => index + 1);

async function add(task: number): Promise<void> {
  const steps = Array.from({ length: STEPS }, (_, index) => ["--step", `part ${index + 1}`]).flat();
  const check = ["--check", JSON.stringify(["test", "-e", join(folder, `${task}-${STEPS}`)])];
  const workspace = join(home.path, "work", String(task));
  mkdirSync(workspace, { recursive: true });
  const { status, stderr } = await rouse(home, [
    "task",
    "add",
    titleOf(task),
    "--workspace",
    workspace,
    ...steps,
    ...check,
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}

beforeAll(async () => {
  home.env = {
    ...home.env,
    CLAUDE_CONFIG_DIR: join(home.path, ".claude"),
    ...withConstants({
      DEFAULTS: { silence_patience: 0.1, stopped_early_seconds: 4 },
      OUTAGE_WINDOWS: { machine: 300, service: 300 },
      CHECK_TIMING: { recheckMs: 2000, wakeGraceMs: 1000, unseenMaxMs: 20_000 },
    }),
  };
  // Its process has the name of a program that rouse knows, and its transcripts are where that program writes them.
  mkdirSync(join(home.path, "bin"));
  symlinkSync(process.execPath, join(home.path, "bin", "claude"));
  const program = join(home.path, "claude");
  const transcripts = join(home.path, ".claude", "projects");
  const words = [join(home.path, "bin", "claude"), AGENT, folder, "8", transcripts].map((word) => `"${word}"`);
  writeFileSync(program, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
  mkdirSync(folder);
  const { config } = rousePaths(home.env);
  mkdirSync(join(config, "policies"), { recursive: true });
  const command = JSON.stringify([program, "{prompt_file}"]);
  writeFileSync(
    join(config, "config.toml"),
    `version = 1\n[agents.night]\ncommand = ${command}\nkind = "claude-code"\npolicy = "quick"\n[detectors]\nown_timeout_seconds = 5\n`,
  );
  const recovery = POLICIES.default.plans.frozen_screen ?? [];
  const plan = recovery.filter(({ do: name }) => name === "stop" || name === "continue");
  writeFileSync(join(config, "policies", "quick.toml"), quickPolicy([], { frozen_screen: plan, silent_stream: plan }));
  await rouse(home, ["up"]);
  await rouse(home, ["allow", "--all"]);
  for (const task of tasks) await add(task);
}, 300_000);

afterAll(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
}, 60_000);

const show = async (task: number): Promise<TaskDetailView> =>
  JSON.parse((await rouse(home, ["task", "show", String(task), "--json"])).stdout) as TaskDetailView;

/** Kills the daemon as often as wanted, each time after more of the work is done. */
async function killDaemon(isOver: () => boolean): Promise<number> {
  let kills = 0;
  while (!isOver() && kills < KILLS) {
    await sleep(200);
    const reported = readdirSync(folder).filter((name) => name.endsWith(".reported")).length;
    if (reported < ((kills + 1) * TASKS * STEPS) / (KILLS + 2)) continue;
    const { daemonSocket } = rousePaths(home.env);
    const health = await askDaemon(daemonSocket, "GET", "/v1/health").catch(() => null);
    if (health === null) continue;
    process.kill((health as { pid: number }).pid, "SIGKILL");
    kills++;
  }
  return kills;
}

it(`finishes ${TASKS} tasks with ${AGENTS} agents through crashes, hangs, limits and ${KILLS} kills of the daemon`, {
  timeout: TASKS * 60_000,
}, async () => {
  let isOver = false;
  const killing = killDaemon(() => isOver);
  const night = await rouse(home, ["work", "--max", String(AGENTS), "--as", "night", "--json"]);
  isOver = true;
  expect(await killing).toBe(KILLS);
  expect({ status: night.status, error: night.stderr.slice(-3000) }).toMatchObject({ status: 1 });
  const { why, started, skipped, running } = JSON.parse(night.stdout);
  expect({ why, skipped, running, started: started.toSorted((a: number, b: number) => a - b) }).toEqual({
    why: "empty",
    skipped: [],
    running: [],
    started: tasks,
  });

  const details = await Promise.all(tasks.map(show));
  for (const { id, title, status, completed_steps, last_error, claims } of details) {
    const about = `task ${id}, ${title}: ${last_error}; ${night.stderr}`;
    const reason = FAILING[title];
    expect(status, about).toBe(reason ? "failed" : "done");
    if (reason) expect(last_error, about).toMatch(reason);
    else expect(completed_steps, about).toEqual([1, 2, 3]);
    expect(
      claims.every(({ ended }) => ended !== null),
      about,
    ).toBe(true);
  }
  const faults = join(folder, "faults");
  expect(existsSync(faults) ? readFileSync(faults, "utf8") : "").toBe("");

  const { stdout } = await rouse(home, ["metrics"]);
  for (const figure of ["Stall detection", "Recovery success", "False positives", "Time to recovery"])
    expect(stdout).toMatch(new RegExp(`^${figure} +\\S`, "m"));
  const metrics = JSON.parse((await rouse(home, ["metrics", "--json"])).stdout) as MetricsView;
  const hangs = tasks.filter((task) => titleOf(task).startsWith("hang")).length;
  expect(metrics.overall.stalls).toBeGreaterThanOrEqual(hangs);
});
