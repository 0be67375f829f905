/** Busy processes beside a client, or in its way: load on the machine, and a client without CPU time. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { promisify } from "node:util";

const BUSY = ["nice", "-n", "10", "sh", "-c", "while :; do :; done"];

/** Niced, so that the machine stays usable for others; ends by `stop`. */
export class Load {
  readonly #processes: ChildProcess[] = [];

  /** With a processor number all of them run there. */
  static start(count: number, cpu?: number): Load {
    const load = new Load();
    const [program = "", ...args] = cpu === undefined ? BUSY : ["taskset", "-c", String(cpu), ...BUSY];
    for (let i = 0; i < count; i++) load.#processes.push(spawn(program, args, { stdio: "ignore" }));
    return load;
  }

  stop(): void {
    for (const child of this.#processes) child.kill("SIGKILL");
  }
}

const STARVED_CPU = 0;
const LOWEST = 19;

/** Leaves these processes and their later children about one hundredth of one processor. */
export async function starve(pids: readonly number[]): Promise<Load> {
  const load = Load.start(20, STARVED_CPU);
  for (const pid of pids) {
    await promisify(execFile)("taskset", ["-a", "-c", "-p", String(STARVED_CPU), String(pid)]).catch(() => {});
    // Every thread has its own priority.
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), LOWEST);
  }
  return load;
}
