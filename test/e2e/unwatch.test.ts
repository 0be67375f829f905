import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import { reaches, statusOf } from "../support/fake-agent.js";
import { closeHome, type Home, hasTmux, makeHome, rouse, until } from "../support/hosts.js";

let home: Home;
const isWatched = async (): Promise<boolean> => (await statusOf(home, "paper"))?.ended_at === null;
const tmux = (...args: string[]): string =>
  execFileSync("tmux", ["-f", "/dev/null", "-L", "own", ...args], { env: home.env, encoding: "utf8" });

beforeAll(() => {
  home = makeHome("on");
  home.env.TMUX_TMPDIR = home.path;
});

afterAll(async () => {
  for (const { name } of listSessions(rousePaths(home.env)).filter(({ isAlive }) => isAlive))
    await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

describe("rouse unwatch", () => {
  it.skipIf(!hasTmux)("drops an adopted agent, which keeps running, until rouse watch adopts it again", async () => {
    tmux("new-session", "-d", "-s", "paper", "sh", "-c", 'echo "Continue? [y/N]"; exec sleep 600');
    tmux("set-option", "-t", "paper", "@rouse_tags", "pens");
    try {
      // By its tag: the name alone would be forgotten, the tag would adopt it again.
      await rouse(home, ["watch", "--tag", "pens"]);
      await reaches(home, "paper", "needs_input/confirmation");
      const incidents = async (): Promise<string> => (await rouse(home, ["incidents"])).stdout;
      await until("its incident", async () => (await incidents()).includes("paper"));
      expect(await rouse(home, ["unwatch", "paper"])).toMatchObject({
        status: 0,
        stdout: "No longer watching paper.\n",
        stderr: "",
      });
      // Longer than the time between two searches for panes.
      for (let n = 0; n < 6; n++, await sleep(1000)) expect(await isWatched()).toBe(false);
      expect(await incidents()).not.toContain("paper");
      expect((await rouse(home, ["status", "--all"])).stdout).not.toContain("paper");
      expect(tmux("list-panes", "-t", "paper", "-F", "#{pane_dead}").trim()).toBe("0");
      await rouse(home, ["watch", "--tag", "pens"]);
      await until("it to be watched again", isWatched);
    } finally {
      tmux("kill-server");
    }
  });

  it("refuses an agent that rouse started, and a name that no agent has", async () => {
    expect((await rouse(home, ["spawn", "--name", "own", "--", "sleep", "600"])).status).toBe(0);
    await reaches(home, "own", "starting");
    expect(await rouse(home, ["unwatch", "own"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("own was started by rouse; to end it, use `rouse stop own`"),
    });
    expect(await rouse(home, ["unwatch", "nosuch"])).toMatchObject({
      stderr: expect.stringContaining('no adopted agent named "nosuch"'),
    });
  });
});

describe("rouse watch", () => {
  it("says that tmux was not found, and watches agents outside tmux", async () => {
    const folder = join(home.path, "bin");
    mkdirSync(folder);
    symlinkSync(process.execPath, join(folder, "node"));
    const without: Home = { ...home, env: { ...home.env, PATH: folder } };
    expect(await rouse(without, ["watch"])).toMatchObject({
      status: 0,
      stderr: "rouse: warning: tmux not found; only agents outside tmux are watched\n",
    });
  });
});
