/**
 * The process behind `rouse demo`: a daemon with a separate home and the six agents, all on the fast clock of this
 * process. It reports errors on standard output and runs until its standard input closes: however `rouse demo` ends, this
 * process then ends everything and removes the home.
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
if (!home) throw new Error("ROUSE_HOME must name the folder that is removed at the end");
const paths = rousePaths();

let daemon: RunningDaemon | null = null;
let isEnding = false;
/** The daemon first: it would treat the end of the agents as a problem and recover them. */
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
  // Only `rouse demo` connects to this daemon: the socket is enough.
  daemon = await serve(paths, "demo", HOST_SCRIPT, openApi);
  await callOperation(paths.daemonSocket, "allow", { agents: "all" });
  const program = makeProgram(home);
  // Programs name their transcripts by the real path of their folder.
  const room = realpathSync(home);
  // One after the other: starting six at once delays checks on a small machine, and unobserved time does not count.
  for (const member of CAST) if (!isEnding) await enter(member, program, join(room, "work", member.name));
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: (error as Error).message })}\n`);
  await end();
}

/** A stand-in that is called like Claude Code. */
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
  if (started.error !== undefined) throw new Error(`cannot start the agent ${name}: ${started.error}`);
}
