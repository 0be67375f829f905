/** The ways in which a client runs under rouse: in a user's terminal, detached, or already running in tmux. */
import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { callOperation } from "../../src/api/remote.js";
import { rousePaths } from "../../src/config/paths.js";
import { typeInto } from "../support/fake-agent.js";
import { BIN, type Home, rouse } from "../support/hosts.js";

export const WAYS = ["run", "spawn", "watch"] as const;
export type Way = (typeof WAYS)[number];

export interface Seat {
  /** A text and Enter. */
  say(text: string): Promise<void>;
  enter(): Promise<void>;
  screen(): Promise<string>;
  leave(): Promise<void>;
}

const SIZE = ["-x", "120", "-y", "40"];

/** One private tmux server for all cases: the terminal of `run`, and what `watch` finds. */
export const tmux = async (home: Home, args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)("tmux", ["-u", "-f", "/dev/null", ...args], { env: home.env });
  return stdout;
};

export interface Sitting {
  /** The home of the daemon. */
  home: Home;
  name: string;
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

export async function sit(way: Way, sitting: Sitting): Promise<Seat> {
  return way === "spawn" ? spawned(sitting) : inPane(way, sitting);
}

async function spawned({ home, name, command, cwd, env }: Sitting): Promise<Seat> {
  const place: Home = { path: cwd, env: { ...env, ...rouseEnv(home) } };
  const { status, stderr } = await rouse(place, ["spawn", "--name", name, "--", ...command]);
  if (status !== 0) throw new Error(`rouse spawn ended with ${status}: ${stderr}`);
  return {
    say: (text) => typeInto(home, name, text),
    enter: () => typeInto(home, name, ""),
    screen: () => screenOf(home, name),
    leave: async () => void (await rouse(home, ["stop", name, "--grace", "3"])),
  };
}

/** The view of an orchestrator. */
async function screenOf(home: Home, name: string): Promise<string> {
  const asked = { agent: name, lines: 60 };
  const { lines } = await callOperation(rousePaths(home.env).daemonSocket, "read_pane", asked);
  return lines.join("\n");
}

async function inPane(way: "run" | "watch", { home, name, command, cwd, env }: Sitting): Promise<Seat> {
  const line = way === "run" ? [process.execPath, BIN, "run", "--name", name, "--", ...command] : command;
  // The user's name of the pane must differ from rouse's name of the agent: `run` chooses its own.
  const pane = way === "run" ? `terminal-of-${name}` : name;
  const given = Object.entries({ ...env, ...rouseEnv(home) }).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
  await tmux(home, ["new-session", "-d", "-s", pane, "-c", cwd, ...SIZE, ...given, "--", ...line]);
  if (way === "watch") {
    const { status, stderr } = await rouse(home, ["watch", name]);
    if (status !== 0) throw new Error(`rouse watch ended with ${status}: ${stderr}`);
  }
  const keys = async (...args: string[]): Promise<void> =>
    void (await tmux(home, ["send-keys", "-t", `=${pane}:`, ...args]));
  return {
    say: async (text) => {
      await keys("-l", text);
      // Keys that arrive together are read as a paste, and an Enter in it as a line break.
      await setTimeout(200);
      await keys("Enter");
    },
    enter: () => keys("Enter"),
    screen: () => tmux(home, ["capture-pane", "-p", "-t", `=${pane}:`]),
    leave: async () => {
      if (way === "run") await rouse(home, ["stop", name, "--grace", "3"]);
      await tmux(home, ["kill-session", "-t", `=${pane}`]).catch(() => {});
    },
  };
}

function rouseEnv(home: Home): Record<string, string> {
  const { ROUSE_HOME = "", ROUSE_DAEMON = "", TMUX_TMPDIR = "" } = home.env;
  return { ROUSE_HOME, ROUSE_DAEMON, TMUX_TMPDIR };
}
