/**
 * The process behind `rouse demo`: a daemon with a home of its own and the six agents, all on the fast clock that this
 * process was started with. It says on its standard output what went wrong, and lives as long as its standard input
 * stays open: when whoever started it ends, in whatever way, everything here is ended and the home removed.
 */
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openApi } from "../api/open.js";
import { callOperation } from "../api/remote.js";
import { rousePaths } from "../config/paths.js";
import { type RunningDaemon, serve } from "../daemon/serve.js";
import { startHost } from "../terminal/start-host.js";
import { CAST, type Member } from "./cast.js";
import { endBelow } from "./sweep.js";

const HOST_SCRIPT = fileURLToPath(new URL("../cli/commands/host.js", import.meta.url));
const AGENT_SCRIPT = fileURLToPath(new URL("./agent/claude.js", import.meta.url));
const COLS = 100;
const ROWS = 30;

const home = process.env.ROUSE_HOME;
if (!home) throw new Error("ROUSE_HOME names the folder that is removed at the end");
const paths = rousePaths();

let daemon: RunningDaemon | null = null;
let isEnding = false;
/** The daemon first: it would take the end of the others for problem, and fix it. */
const end = async (): Promise<void> => {
  if (isEnding) return;
  isEnding = true;
  await daemon?.stop("stays down");
  await endBelow(process.pid);
  rmSync(home, { recursive: true, force: true });
  process.exit(0);
};
process.stdin.on("end", () => void end()).on("error", () => void end());
process.stdin.resume();
process.stdout.on("error", () => {});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end());

try {
  // Nobody but whoever looks on asks this daemon anything: its socket is enough.
  daemon = await serve(paths, "demo", HOST_SCRIPT, openApi);
  await callOperation(paths.daemonSocket, "allow", { agents: "all" });
  const program = makeProgram(home);
  // Programs see their folder by its real name, and name their transcripts by it.
  const room = realpathSync(home);
  // One after the other: six at once keep a small machine from looking, and what nobody saw does not count.
  for (const member of CAST) if (!isEnding) await enter(member, program, join(room, "work", member.name));
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: (error as Error).message })}\n`);
  await end();
}

/** A program that is called as Claude Code is. */
function makeProgram(folder: string): string {
  const program = join(folder, "bin", "claude");
  mkdirSync(join(folder, "bin"), { recursive: true });
  const quoted = [process.execPath, AGENT_SCRIPT].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  writeFileSync(program, `#!/bin/sh\nexec ${quoted.join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

async function enter({ name, prompt }: Member, program: string, workspace: string): Promise<void> {
  mkdirSync(workspace, { recursive: true });
  const command = [program, "--session-id", randomUUID(), prompt];
  const about = { tags: ["demo"], task: null, policy: null };
  const started = await startHost(
    {
      spec: { wanted: name, kind: "claude-code", ...about, command, workspace, origin: "spawn" },
      cols: COLS,
      rows: ROWS,
    },
    { script: HOST_SCRIPT, paths },
  );
  if (started.error !== undefined) throw new Error(`the agent ${name} could not be started: ${started.error}`);
}
