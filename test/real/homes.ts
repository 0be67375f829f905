/** A home of rouse with a daemon of its own, and a tmux server that nobody else sees. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";
import { tmux } from "./seats.js";

export async function openHome(): Promise<Home> {
  const home = makeHome("on");
  delete home.env.TMUX;
  home.env.TMUX_TMPDIR = home.path;
  noteTmux(home);
  const { status, stderr } = await rouse(home, ["up"]);
  if (status !== 0) throw new Error(`rouse up ended with ${status}: ${stderr}`);
  return home;
}

/** Ends everything of it; whoever is left over fails the test. */
export async function leaveHome(home: Home): Promise<void> {
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await tmux(home, ["kill-server"]).catch(() => {});
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
}

const NOTE = "tmux-commands";

/** What is asked of tmux is written down: first on the way lies one that notes its arguments and is the real one then. */
function noteTmux(home: Home): void {
  const bin = join(home.path, "bin");
  mkdirSync(bin);
  const { PATH = "" } = home.env;
  const program = PATH.split(delimiter)
    .map((folder) => join(folder, "tmux"))
    .find((path) => existsSync(path));
  if (program === undefined) throw new Error("tmux is needed, and is not on the PATH");
  const note = join(home.path, NOTE);
  writeFileSync(join(bin, "tmux"), `#!/bin/sh\nprintf '%s\\n' "$*" >>'${note}'\nexec '${program}' "$@"\n`);
  chmodSync(join(bin, "tmux"), 0o755);
  home.env.PATH = [bin, PATH].join(delimiter);
}

/** The keys that rouse sent through tmux. The tests' own go by another option. */
export function keysThroughTmux(home: Home): string[] {
  const path = join(home.path, NOTE);
  if (!existsSync(path)) return [];
  return [...readFileSync(path, "utf8").matchAll(/send-keys -t \S+ -H ((?:[0-9a-f]{2} ?)+)/g)].map(([, hex = ""]) =>
    Buffer.from(hex.replaceAll(" ", ""), "hex").toString(),
  );
}
