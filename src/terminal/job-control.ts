/**
 * Ctrl-Z under `rouse run`: the agent stops, rouse stops with it, the shell gets the terminal; `fg` resumes both.
 *
 * A stop shows as the state of the process, whatever caused it: the system (Ctrl-Z as a signal), the program by SIGTSTP
 * (vim, less, Codex; see `job-keeper.ts`) or by SIGSTOP (Claude Code). The state is checked after a Ctrl-Z, and on
 * every key for a stopped program, because that user wants the shell back. An agent that was stopped from elsewhere
 * stays stopped, and watched, until then. Without a keeper the kernel drops SIGTSTP; a program that leaves Ctrl-Z to
 * the system is then stopped by SIGSTOP here.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

export interface StoppableAgent {
  readonly pid: number;
  readonly terminalPath: string;
  kill(signal: NodeJS.Signals, to: "agent" | "group"): void;
}

const CTRL_Z = 0x1a;
/** The same key if the program requested the kitty keyboard protocol. */
const CTRL_Z_KITTY = "\u001b[122;5u";
const CHECKS_MS = [40, 100, 250, 500, 1000, 2000] as const;
/** A stopped process does not notice this timer; one that could not be stopped continues after it. */
const RESUME_MS = 100;
const LAST_BYTES_MS = 30;
const SIGTSTP_BIT = 1n << 19n;

export class JobControl {
  readonly #agent: StoppableAgent;
  readonly #terminal: { enter(): void; leave(): void };
  readonly #resumed: () => void;
  readonly #stopsItself: boolean;
  readonly #onContinue = (): void => this.#resume();
  #timers: NodeJS.Timeout[] = [];
  #isSuspended = false;

  /** `stopsItself`: a keeper runs, so the agent can stop itself. */
  constructor(
    agent: StoppableAgent,
    terminal: { enter(): void; leave(): void },
    resumed: () => void,
    stopsItself: boolean,
  ) {
    this.#stopsItself = stopsItself;
    this.#agent = agent;
    this.#terminal = terminal;
    this.#resumed = resumed;
    process.on("SIGCONT", this.#onContinue);
  }

  /** False if the keys must not reach the agent: it is stopped, and rouse returns to the shell instead. */
  keys(bytes: Buffer): boolean {
    if (process.platform !== "linux") return true;
    if (!this.#isSuspended && statOf(this.#agent.pid)?.state === "T") {
      this.#suspend();
      return false;
    }
    if (!bytes.includes(CTRL_Z) && !bytes.includes(CTRL_Z_KITTY)) return true;
    this.#cancel();
    this.#timers = CHECKS_MS.map((ms, check) => setTimeout(() => void this.#check(check === 0), ms));
    return true;
  }

  close(): void {
    this.#cancel();
    process.off("SIGCONT", this.#onContinue);
  }

  async #check(isFirst: boolean): Promise<void> {
    const stat = statOf(this.#agent.pid);
    if (stat === null || this.#isSuspended) return;
    if (stat.state === "T") {
      // Its last output, such as leaving the alternate screen, must come before the shell's prompt.
      this.#cancel();
      this.#timers = [setTimeout(() => this.#suspend(), LAST_BYTES_MS)];
      return;
    }
    if (this.#stopsItself || !isFirst || stat.foreground !== this.#agent.pid || !leavesStopToSystem(this.#agent.pid))
      return;
    if (!(await isCtrlZSignal(this.#agent.terminalPath))) return;
    this.#agent.kill("SIGSTOP", "group");
  }

  #suspend(): void {
    this.#cancel();
    this.#isSuspended = true;
    this.#terminal.leave();
    // Stops the whole job, as the terminal would: rouse may be part of a pipeline.
    process.kill(0, "SIGTSTP");
    this.#timers = [setTimeout(() => this.#resume(), RESUME_MS)];
  }

  #resume(): void {
    if (!this.#isSuspended) return;
    this.#isSuspended = false;
    this.#cancel();
    this.#terminal.enter();
    this.#resumed();
    this.#agent.kill("SIGCONT", "group");
  }

  #cancel(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}

function statOf(pid: number): { state: string; foreground: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", foreground: Number(fields[5]) };
  } catch {
    return null;
  }
}

/** It neither ignores nor handles SIGTSTP. */
function leavesStopToSystem(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const masks = [...status.matchAll(/^Sig(?:Ign|Cgt):\s{0,8}([0-9a-f]{1,32})$/gm)].map(([, hex]) =>
      BigInt(`0x${hex}`),
    );
    return masks.length === 2 && masks.every((mask) => (mask & SIGTSTP_BIT) === 0n);
  } catch {
    return false;
  }
}

/** Node.js cannot ask a terminal for its settings; `stty` can. */
function isCtrlZSignal(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("stty", ["-a", "-F", path], { timeout: 1000 }, (error, stdout) => {
      resolve(!error && /(?:^|\s)isig(?:\s|$)/.test(stdout) && stdout.includes("susp = ^Z"));
    });
  });
}
