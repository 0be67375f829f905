/** A home of rouse with its own daemon, and a private tmux server. */
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

/** Ends all of its processes; a leftover process fails the test. */
export async function leaveHome(home: Home): Promise<void> {
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await tmux(home, ["kill-server"]).catch(() => {});
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
}

const NOTE = "tmux-commands";

/** Logs every call of tmux: a wrapper earlier on the PATH writes its arguments and runs the real one. */
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

/** The keys that rouse sent through tmux. The tests' own keys use another option. */
export function keysThroughTmux(home: Home): string[] {
  const path = join(home.path, NOTE);
  if (!existsSync(path)) return [];
  return [...readFileSync(path, "utf8").matchAll(/send-keys -t \S+ -H ((?:[0-9a-f]{2} ?)+)/g)].map(([, hex = ""]) =>
    Buffer.from(hex.replaceAll(" ", ""), "hex").toString(),
  );
}
