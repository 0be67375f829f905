/** `rouse demo` as a new user runs it: in a pipe, in a terminal, and interrupted in every way. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CAST } from "../../src/demo/cast.js";
import type { StoryEvent } from "../../src/demo/story.js";
import { BIN, closeHome, type Home, makeHome, rouse, rouseInTerminal, until } from "../support/hosts.js";

/** The demo ends after 40 minutes of the agents' clocks in any case: ten minutes at a speed of 4. */
const LONG_MS = 900_000;
/**
 * The speeds to try. At the usual speed, a program has 0.6 s for what takes up to five, which a busy machine may
 * miss: then the next try is slower.
 */
const SPEEDS = ["8", "4"];

let home: Home;
let temp: string;

beforeEach(() => {
  home = makeHome();
  temp = mkdtempSync(join(tmpdir(), "rd-"));
  home.env.TMPDIR = temp;
});

afterEach(async () => {
  await until("the demo to end", () => remains().length === 0, 60_000).catch(() => {});
  const left = remains();
  for (const { pid } of left.filter(({ pid }) => pid !== null)) process.kill(pid as number, "SIGKILL");
  rmSync(temp, { recursive: true, force: true });
  expect(left).toEqual([]);
  expect((await closeHome(home)).processes).toEqual([]);
});

/** Folders of a demo, and processes that use one as their home. */
function remains(): { pid: number | null; what: string }[] {
  const folders = readdirSync(temp).map((what) => ({ pid: null, what }));
  const processes = readdirSync("/proc").flatMap((name) => {
    try {
      if (!/^\d+$/.test(name) || !readFileSync(`/proc/${name}/environ`, "utf8").includes(`ROUSE_HOME=${temp}/`))
        return [];
      if (/\) Z /.test(readFileSync(`/proc/${name}/stat`, "latin1"))) return [];
      return [{ pid: Number(name), what: readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ") }];
    } catch {
      return [];
    }
  });
  return [...folders, ...processes];
}

const agentsUp = (): number => remains().filter(({ what }) => what.includes("demo/agent/claude.js")).length;

/** Runs the demo until all goes as planned; the unconditional promises are checked each time. */
async function played(check: (speed: string) => Promise<boolean>): Promise<void> {
  for (const speed of SPEEDS) if (await check(speed)) return;
  expect.fail(`it went otherwise than planned at each speed of ${SPEEDS.join(", ")}`);
}

describe.skipIf(process.platform !== "linux")("rouse demo", { timeout: LONG_MS }, () => {
  it("recovers three agents, escalates two, leaves one alone and types nothing into the one that asks, in a pipe and in a terminal", async () => {
    await played(async (speed) => {
      const terminal = rouseInTerminal(home, ["demo", "--speed", speed], { cols: 80, rows: 24 });
      const [ran, { code }] = await Promise.all([rouse(home, ["demo", "--json", "--speed", speed]), terminal.exited]);
      expect(remains()).toEqual([]);
      checkAtPicture(terminal.text);
      checkAtEvents(ran);
      return ran.status === 0 && code === 0;
    });
  });

  it("prints plain lines without a terminal, and leaves nothing behind when its reader closes the pipe", async () => {
    const child = spawn(process.execPath, [BIN, "demo"], { env: home.env, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    await until(
      "a line about the agent that asks",
      () => /\d s {2}permission +needs_input\/permission /.test(text),
      120_000,
    );
    expect(text).toMatch(/^Six scripted agents: .* at 8x speed\.\n/);
    expect(text).not.toContain("\u001b");
    child.stdout.destroy();
    await until("it to end", () => hasEnded(child), 60_000);
  });

  it("leaves nothing running after Ctrl-C in the middle, and restores the terminal", async () => {
    const terminal = rouseInTerminal(home, ["demo"]);
    await until("all six", () => agentsUp() >= CAST.length - 1, 120_000);
    terminal.write("\u0003");
    expect((await terminal.exited).code).toBe(0);
    expect(remains()).toEqual([]);
    expect(terminal.text).toMatch(/\u001b\[\?25h\u001b\[\?1049lStopped; /);
  });

  it("leaves nothing running when its terminal is closed", async () => {
    const terminal = rouseInTerminal(home, ["demo"]);
    await until("some of the agents", () => agentsUp() >= 2, 120_000);
    process.kill(terminal.pty.pid, "SIGHUP");
    await terminal.exited;
  });

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "leaves nothing running after %s, whether its agents are up or not",
    async (signal) => {
      for (const wanted of [0, 2]) {
        const child = spawn(process.execPath, [BIN, "demo", "--json"], {
          env: home.env,
          stdio: ["ignore", "pipe", "inherit"],
        });
        child.stdout.resume();
        // Before the stage exists, no process is left to remove the folder of a killed one.
        await until("its stage", () => remains().some(({ what }) => what.includes("demo/stage.js")), 60_000);
        await until("some of the agents", () => agentsUp() >= wanted, 120_000);
        child.kill(signal);
        await until("it to end", () => hasEnded(child), 60_000);
        await until("all processes and folders to be gone", () => remains().length === 0, 60_000);
      }
    },
  );

  it("leaves nothing running when its main process is killed, and reports the failure", async () => {
    const ran = rouse(home, ["demo"]);
    await until("some of the agents", () => agentsUp() >= 2, 120_000);
    const stage = remains().find(({ what }) => what.includes("demo/stage.js"));
    process.kill(stage?.pid as number, "SIGKILL");
    const { status, stderr } = await ran;
    expect({ status, stderr }).toEqual({ status: 1, stderr: "rouse: the demo failed: its process exited\n" });
  });

  it("refuses an invalid speed", async () => {
    const { status, stderr } = await rouse(home, ["demo", "--speed", "0"]);
    expect(status).toBe(2);
    expect(stderr).toContain("a number from 1 to 20");
  });
});

/** Drawn on the alternate screen, which is left before the summary. */
function checkAtPicture(text: string): void {
  const [, picture = "", after = ""] = text.split(/\u001b\[\?1049[hl]/);
  expect(picture).toContain("six scripted agents at");
  expect(picture).toContain("needs_input/permission");
  expect(after).toContain("Took ");
  expect(after).not.toContain("\u001b[?25l");
}

function checkAtEvents({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): void {
  expect(stderr).toBe("");
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as StoryEvent & { agents: { agent: string; ending: string }[] });
  const events = lines.slice(0, -1);
  expect(events.filter(({ agent, do: name }) => agent === "permission" && name !== null)).toEqual([]);
  if (status !== 0) return;
  const endings = lines.at(-1)?.agents.map(({ agent, ending }) => [agent, ending]);
  expect(endings).toEqual(CAST.map(({ name, ending }) => [name, ending]));
  expect(events.filter(({ agent, event }) => agent === "healthy" && event !== "state")).toEqual([]);
  const done = (name: string) =>
    events.filter(({ agent, event }) => agent === name && event === "action").map((one) => one.do);
  expect(done("hang")).toEqual(expect.arrayContaining(["interrupt", "nudge"]));
  expect(done("crash")).toContain("resume");
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
