/**
 * `rouse hook PROGRAM`: the command in an agent's hook. Passes the payload to the daemon unchanged and exits 0 within two
 * seconds in all cases, without output: hooks must never affect an agent.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { rousePaths } from "../../config/paths.js";
import { sendRequest } from "../send.js";

const PAYLOAD_MAX = 1024 * 1024;
const LIMIT_MS = 2000;
const PROGRAM = /^[a-z0-9][a-z0-9-]{0,39}$/;

/**
 * Claude Code and Gemini CLI write the payload to standard input; Codex passes it as the last argument. `--then`
 * names the program that was configured before rouse: it runs with the same payload. `--plugin` marks a hook of the plugin,
 * which does nothing if the same hooks are in the settings: every event would be reported twice.
 */
export async function runHook(args: readonly string[]): Promise<number> {
  // A session that rouse started for itself, which its own hooks would report to it again.
  if (process.env.ROUSE_INTERNAL === "1") return 0;
  const limit = setTimeout(() => process.exit(0), LIMIT_MS);
  const isPlugins = args[1] === "--plugin";
  const [program = "", second, ...rest] = isPlugins ? args.toSpliced(1, 1) : args;
  const next = second === "--then" ? rest.slice(0, -1) : [];
  const given = second === "--then" ? rest.at(-1) : second;
  const payload = given === undefined ? await readInput() : Buffer.from(given);
  const isKnown = PROGRAM.test(program) && !(isPlugins && (await hasHooksInSettings(program)));
  if (isKnown && payload.length > 0 && payload.length <= PAYLOAD_MAX) {
    await sendRequest({
      socketPath: rousePaths().daemonSocket,
      path: `/v1/hooks/${program}`,
      body: payload,
      headers: callerHeaders(),
      limitMs: LIMIT_MS / 2,
      waits: false,
    });
  }
  if (next[0] !== undefined && given !== undefined) {
    const { spawn } = await import("node:child_process");
    spawn(next[0], [...next.slice(1), given], { stdio: "ignore", detached: true })
      .on("error", () => {})
      .unref();
  }
  clearTimeout(limit);
  return 0;
}

/** Finds both forms that `rouse init` writes: command and URL. Only Claude Code has a plugin. */
async function hasHooksInSettings(program: string): Promise<boolean> {
  const { hooks } = await import("../../programs/claude-code/hooks.js");
  try {
    const text = readFileSync(join(hooks.folder(process.env, homedir()), hooks.file), "utf8");
    return text.includes(` hook ${program}"`) || text.includes(`/v1/hooks/${program}"`);
  } catch {
    return false;
  }
}

/** Identifies the agent of a payload: by the session in its environment, else by the parent process. */
export function callerHeaders(): Record<string, string> {
  const { ROUSE_SESSION: session, ROUSE_AGENT: agent } = process.env;
  return {
    ...(session ? { "x-rouse-session": session } : {}),
    ...(agent ? { "x-rouse-agent": agent } : {}),
    "x-rouse-pid": String(process.ppid),
  };
}

async function readInput(): Promise<Buffer> {
  if (process.stdin.isTTY) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of process.stdin) {
      length += (chunk as Buffer).length;
      // Read to the end: the writer would fail on a closed pipe.
      if (length <= PAYLOAD_MAX) chunks.push(chunk as Buffer);
    }
  } catch {
    return Buffer.alloc(0);
  }
  return length <= PAYLOAD_MAX ? Buffer.concat(chunks) : Buffer.alloc(0);
}
