import { execFileSync } from "node:child_process";
import { type IPty, spawn as openPty } from "@lydell/node-pty";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import { reaches, statusOf } from "../support/fake-agent.js";
import { BIN, closeHome, type Home, hasTmux, makeHome, rouse, until } from "../support/hosts.js";

let home: Home;
let client: IPty | null = null;
const tmux = (...args: string[]): string =>
  execFileSync("tmux", ["-f", "/dev/null", "-L", "own", ...args], { env: home.env, encoding: "utf8" }).trim();
/** The session that the user's client shows; the daemon has a client too, in control mode. */
const shown = (): string => tmux("list-clients", "-F", "#{?client_control_mode,,#{session_name}}").split("\n").join("");
const paneOf = (session: string): string => tmux("list-panes", "-t", session, "-F", "#{pane_id}");
/** As a key binding of the user would. */
const inUserPane = (...args: string[]): void =>
  void tmux("respawn-pane", "-k", "-t", "desk", process.execPath, BIN, ...args);

beforeAll(async () => {
  home = makeHome("on");
  const { TMUX: _server, TMUX_PANE: _pane, ...env } = home.env;
  home.env = { ...env, TMUX_TMPDIR: home.path };
  if (!hasTmux) return;
  tmux("new-session", "-d", "-s", "desk", "sleep 600");
  tmux("set-option", "-g", "remain-on-exit", "on");
  for (const name of ["paper", "press"]) {
    tmux("new-session", "-d", "-s", name, "sh", "-c", 'echo "Continue? [y/N]"; exec sleep 600');
    tmux("set-option", "-t", name, "@rouse_tags", "pens");
  }
  client = openPty("tmux", ["-L", "own", "attach", "-t", "desk"], {
    env: { ...(home.env as Record<string, string>) },
    cols: 80,
    rows: 24,
  });
  await rouse(home, ["watch", "--tag", "pens"]);
  await reaches(home, "paper", "needs_input/confirmation");
  await reaches(home, "press", "needs_input/confirmation");
});

afterAll(async () => {
  client?.kill();
  if (hasTmux) tmux("kill-server");
  for (const { name } of listSessions(rousePaths(home.env)).filter(({ isAlive }) => isAlive))
    await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

describe.skipIf(!hasTmux)("rouse go and rouse next", () => {
  it("switch the tmux client to the pane of an agent, by its name and by its pane", async () => {
    await until("the client to attach", () => shown() === "desk");
    inUserPane("go", "paper");
    await until("the client to show it", () => shown() === "paper");
    inUserPane("go", paneOf("press"));
    await until("the client to show it", () => shown() === "press");
  });

  it("go on to the next agent that needs the user, from the pane of the first", async () => {
    inUserPane("next");
    await until("the client to show one", () => shown() === "paper");
    tmux("split-window", "-d", "-t", "paper", "sleep 600");
    const env = {
      ...home.env,
      TMUX: `${home.path}/tmux-${process.getuid?.()}/own,1,0`,
      TMUX_PANE: paneOf("paper").split("\n")[0],
    };
    expect(await rouse({ ...home, env: env as Home["env"] }, ["next"])).toMatchObject({ status: 0, stderr: "" });
    await until("the client to show the other", () => shown() === "press");
  });

  it("name the command when there is no terminal to switch", async () => {
    expect(await rouse(home, ["go", "paper"])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/needs a terminal; in one, run `tmux -S \S+ attach -t '%\d+'`/),
    });
  });

  it("name unknown and ended agents, and a pane that is gone", async () => {
    expect(await rouse(home, ["go", "nosuch"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no agent named "nosuch"; available: '),
    });
    tmux("set-option", "-t", "press", "remain-on-exit", "off");
    tmux("kill-session", "-t", "press");
    const { status, stderr } = await rouse(home, ["go", "press"]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/pane of press is gone|press ended/),
    });
    await until("its end", async () => (await statusOf(home, "press"))?.ended_at !== null);
    expect((await rouse(home, ["go", "press"])).stderr).toMatch(
      /^rouse: press ended at \S+; see `rouse why press`, `rouse logs press` or `rouse history press`\n$/,
    );
  });

  it("ask for a session id when a pane id is that of two servers", async () => {
    const other = (...args: string[]): string =>
      execFileSync("tmux", ["-f", "/dev/null", "-L", "other", ...args], { env: home.env, encoding: "utf8" }).trim();
    other("new-session", "-d", "-s", "far", "sh", "-c", 'echo "Continue? [y/N]"; exec sleep 600');
    try {
      const id = other("list-panes", "-t", "far", "-F", "#{pane_id}");
      tmux("respawn-pane", "-k", "-t", "desk", "sh", "-c", 'echo "Continue? [y/N]"; exec sleep 600');
      expect(id).toBe(paneOf("desk"));
      await rouse(home, ["watch", "far", "desk"]);
      await reaches(home, "far", "needs_input/confirmation");
      await reaches(home, "desk", "needs_input/confirmation");
      expect((await rouse(home, ["go", id])).stderr).toMatch(/2 agents match "%0": .*; use a session id/s);
    } finally {
      other("kill-server");
    }
  });
});

describe("rouse rename", () => {
  it("gives an agent a name that its host, attach and history use, also after a restart of the daemon", async () => {
    expect((await rouse(home, ["spawn", "--name", "own", "--", "sh", "-c", "echo ready; exec sleep 600"])).status).toBe(
      0,
    );
    await until("it to be listed", async () => (await statusOf(home, "own")) !== null);
    expect(await rouse(home, ["rename", "own", "ours"])).toMatchObject({ status: 0, stdout: "Renamed own to ours.\n" });
    await rouse(home, ["down"]);
    await rouse(home, ["up"]);
    await until("the host to report again", async () => (await statusOf(home, "ours"))?.unobserved === null);
    expect(await statusOf(home, "own")).toBeNull();
    expect((await rouse(home, ["logs", "ours"])).stdout).toContain("ready");
    expect((await rouse(home, ["history", "ours"])).stdout).toMatch(/^ours from .*generic \(spawn\), running/s);
    expect((await rouse(home, ["spawn", "--name", "ours", "--", "sleep", "9"])).stderr).toMatch(/already/);
  });

  it("refuses a name in use and a reserved one", async () => {
    expect((await rouse(home, ["rename", "ours", "third"])).status).toBe(0);
    expect((await rouse(home, ["rename", "third", "own"])).status).toBe(0);
    expect((await rouse(home, ["spawn", "--name", "fourth", "--", "sleep", "600"])).status).toBe(0);
    await until("it to be listed", async () => (await statusOf(home, "fourth")) !== null);
    expect((await rouse(home, ["rename", "fourth", "own"])).stderr).toContain("own is the name of another agent");
    expect(await rouse(home, ["rename", "fourth", "Rouse"])).toMatchObject({ status: 2 });
  });

  it.skipIf(!hasTmux)(
    "of an agent in tmux moves its incident and keeps its name while the pane is read on",
    async () => {
      expect((await rouse(home, ["rename", "paper", "scroll"])).status).toBe(0);
      await rouse(home, ["status"]);
      expect((await rouse(home, ["incidents"])).stdout).toMatch(/scroll/);
      expect((await rouse(home, ["incidents"])).stdout).not.toMatch(/paper/);
    },
  );
});
