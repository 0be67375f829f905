/** Agents under the real `bin/rouse`: in a terminal of the test, detached, and all ended after each test. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pty, type PtyExit, type PtyOptions } from "../../src/terminal/pty.js";

export const BIN: string = join(import.meta.dirname, "..", "..", "bin", "rouse");
const DEADLINE_MS = 20_000;

export interface Home {
  path: string;
  env: NodeJS.ProcessEnv;
}

export function makeHome(daemon: "off" | "on" = "off"): Home {
  const path = mkdtempSync(join(tmpdir(), "rouse-"));
  const { ROUSE_FULL: _f, ...env } = process.env;
  // A port belongs to the whole machine: only tests of the port open one.
  const own = { ROUSE_HOME: path, ROUSE_DAEMON: daemon, ROUSE_DAEMON_HTTP_PORT: "0" };
  return { path, env: { ...env, ...own, NO_COLOR: "1", TERM: "xterm-256color" } };
}

/** Ends the processes of this home, removes it, and returns what was left: a leak fails the test. */
export async function closeHome(home: Home): Promise<{ processes: string[]; sockets: string[] }> {
  const isClean = (): boolean => processesOf(home).length === 0;
  await until("every process of the test to end", isClean, 5000).catch(() => {});
  const processes = processesOf(home).map(({ pid, argv }) => {
    process.kill(pid, "SIGKILL");
    return argv;
  });
  const run = join(home.path, "run");
  const sockets = readdirSync(home.path).includes("run")
    ? readdirSync(run).filter((name) => name.endsWith(".sock"))
    : [];
  rmSync(home.path, { recursive: true, force: true });
  return { processes, sockets };
}

/** A process with this home in its environment was started by the test. */
export function processesOf(home: Home): { pid: number; argv: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "utf8").includes(`ROUSE_HOME=${home.path}\0`)) return [];
        if (/\) Z /.test(readFileSync(`/proc/${name}/stat`, "latin1"))) return [];
        return [{ pid: Number(name), argv: readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ") }];
      } catch {
        return [];
      }
    });
}

export async function until(what: string, isSo: () => boolean | Promise<boolean>, ms = DEADLINE_MS): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`timed out after ${ms} ms waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** `rouse` with pipes. Not synchronous: a server of the test must be able to answer meanwhile. */
export function rouse(
  home: Home,
  args: readonly string[],
  input = "",
): Promise<{ status: number | null; signal: string | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], { env: home.env, cwd: home.path });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
    child.stderr.on("data", (bytes: Buffer) => err.push(bytes));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("close", (status, signal) =>
      resolve({ status, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}

type TerminalSize = Pick<PtyOptions, "cols" | "rows" | "pixels">;

/** A program in a terminal that the test holds: types into it, reads its output. */
export class TestTerminal {
  readonly exited: Promise<PtyExit>;
  readonly pty: Pty;
  #chunks: Buffer[] = [];

  constructor(home: Home, command: readonly string[], size: TerminalSize = { cols: 100, rows: 30 }) {
    let exited: (exit: PtyExit) => void = () => {};
    this.exited = new Promise((resolve) => {
      exited = resolve;
    });
    const data = (bytes: Buffer): boolean => {
      this.#chunks.push(Buffer.from(bytes));
      return false;
    };
    this.pty = new Pty({ command, cwd: home.path, env: home.env, ...size }, { data, exit: exited });
  }

  get bytes(): Buffer {
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }

  get text(): string {
    return this.bytes.toString("utf8");
  }

  write(text: string): void {
    this.pty.write(Buffer.from(text));
  }

  shows(text: string): Promise<void> {
    return until(`the terminal to show ${JSON.stringify(text)}`, () => this.text.includes(text)).catch(
      (error: Error) => {
        throw new Error(`${error.message}; it shows ${JSON.stringify(this.text.slice(-500))}`);
      },
    );
  }
}

export const rouseInTerminal = (home: Home, args: readonly string[], size?: TerminalSize): TestTerminal =>
  new TestTerminal(home, [process.execPath, BIN, ...args], size);

export const hasTmux: boolean = (() => {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
