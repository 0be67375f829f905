/**
 * Runs a program of a source: an argument array without a shell, JSON in and out, with a time limit and bounded output. It has
 * its own process group, so that the limit ends everything that it started.
 */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { redact } from "../../core/text/redact.js";
import { sanitize } from "../../core/text/sanitize.js";
import { SourceError } from "./source.js";

export interface RunOptions {
  cwd?: string | undefined;
  /** Goes to its standard input. */
  input?: unknown;
  timeoutMs: number;
  env?: Readonly<Record<string, string>>;
}

const OUTPUT_MAX = 8 * 1024 * 1024;
const ERROR_MAX = 16 * 1024;
const SHOWN_MAX = 300;
const OUTPUT_GRACE_MS = 500;
const LIMITED = /rate limit|abuse detection|too many requests|HTTP 429/i;

/** Throws `SourceError`. An empty output is null. */
export async function runJson(command: readonly string[], options: RunOptions): Promise<unknown> {
  const { output, error, code, file } = await run(command, options);
  if (code !== 0) {
    const shown = sanitize(redact(error || output))
      .replace(/\s+/g, " ")
      .trim()
      .slice(-SHOWN_MAX);
    const kind = LIMITED.test(error) ? "limited" : "unreachable";
    throw new SourceError(kind, `${file} exited with ${code}${shown === "" ? "" : `: ${shown}`}`);
  }
  if (output.trim() === "") return null;
  try {
    return JSON.parse(output);
  } catch {
    throw new SourceError("broken", `${file} printed something else than JSON`);
  }
}

interface Ran {
  file: string;
  output: string;
  error: string;
  code: number | string;
}

function run([file = "", ...args]: readonly string[], options: RunOptions): Promise<Ran> {
  const { ROUSE_SESSION: _mark, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? homedir(),
      env: { ...env, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    const output: Buffer[] = [];
    let bytes = 0;
    let error = "";
    const end = (then: () => void): void => {
      clearTimeout(late);
      // Processes that outlive the program may hold its output open.
      child.stdout.destroy();
      child.stderr.destroy();
      then();
    };
    const fail = (kind: SourceError["kind"], text: string): void =>
      end(() => {
        endGroup(child.pid);
        reject(new SourceError(kind, text));
      });
    const late = setTimeout(
      () => fail("unreachable", `${file} exceeded its time limit of ${options.timeoutMs / 1000} s and was ended`),
      options.timeoutMs,
    );
    child.stdout.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > OUTPUT_MAX) fail("broken", `${file} printed more than ${OUTPUT_MAX / 1024 / 1024} MB`);
      else output.push(part);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      error = (error + text).slice(-ERROR_MAX);
    });
    child.once("error", (problem: NodeJS.ErrnoException) => {
      const text = problem.code === "ENOENT" ? "program not found" : problem.message;
      end(() => reject(new SourceError("unreachable", `${file}: ${text}`)));
    });
    const finish = (code: number | string): void =>
      end(() => resolve({ file, output: Buffer.concat(output).toString("utf8"), error, code }));
    child.once("exit", (code, signal) => {
      const grace = setTimeout(() => finish(code ?? signal ?? "?"), OUTPUT_GRACE_MS);
      child.once("close", () => {
        clearTimeout(grace);
        finish(code ?? signal ?? "?");
      });
    });
    // A program that does not read its input is fine too.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input === undefined ? "" : JSON.stringify(options.input));
  });
}

/** Called only while the child is known to run: it has not been reaped, so its number is its own. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
