/**
 * Runs the check of a task: an argument array without a shell, in the task's workspace, with a time limit. The check runs in a
 * process group of its own; when it ends, or takes too long, everything that it started is ended and proven dead, also what left
 * the group. Its output is kept in bounded memory.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { formatDuration } from "../core/text/duration.js";
import { redact } from "../core/text/redact.js";
import { sanitize } from "../core/text/sanitize.js";
import type { Verification } from "../hub/hub.js";
import { isOwn, readEnviron } from "../sensors/process/proc.js";
import { identityOf, readProcesses } from "../sensors/process/process-sensor.js";

export interface CheckRequest {
  command: readonly string[];
  folder: string | null;
  limitMs: number;
  /** Called with the leader of the process group, before the check can end. */
  started?: (leader: CheckLeader) => void;
}

/** Identifies the process group of a check after a restart of the daemon. */
export interface CheckLeader {
  pid: number;
  start: string;
  /** Value of `MARK` in all of its processes. */
  mark: string;
}

export interface CheckResult {
  verification: Verification;
  /** One sentence, such as "`npm test` exited with 1". */
  text: string;
  /** The end of its output. */
  output: string;
}

/** Every process of a check inherits this variable. */
const MARK = "ROUSE_CHECK";
const OUTPUT_MAX = 64 * 1024;
/** Characters of the output that are kept with the result. */
export const OUTPUT_KEPT = 4_000;
/** The last output may be read after the exit; processes that outlive the check may hold its output open. */
const OUTPUT_GRACE_MS = 300;
const END_WITHIN_MS = 5_000;
const END_POLL_MS = 25;

/** Never throws. */
export async function runCheck(request: CheckRequest): Promise<CheckResult> {
  const [file, ...args] = request.command;
  const objection = file === undefined ? "the check names no program" : checkFolder(request.folder);
  if (objection !== null) return notRun(objection);
  const mark = randomUUID();
  let child: ChildProcess;
  try {
    child = spawn(file ?? "", args, {
      cwd: request.folder ?? "/",
      env: environment(mark),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
  } catch (error) {
    return notRun(`${shown(request.command)} could not be started: ${(error as Error).message}`);
  }
  return await supervise(child, request, mark);
}

async function supervise(
  child: ChildProcess,
  { command, limitMs, started }: CheckRequest,
  mark: string,
): Promise<CheckResult> {
  const ends = [new OutputEnd(child.stdout), new OutputEnd(child.stderr)];
  const start = child.pid === undefined ? null : identityOf(child.pid);
  if (child.pid !== undefined && start !== null) started?.({ pid: child.pid, start, mark });
  let late: NodeJS.Timeout | undefined;
  const ended = await new Promise<CheckEnd>((resolve) => {
    late = setTimeout(() => resolve({ kind: "late" }), limitMs);
    child.once("error", (error) => resolve({ kind: "error", message: error.message }));
    child.once("exit", (code, signal) => resolve({ kind: "exit", code, signal }));
  });
  clearTimeout(late);
  if (ended.kind === "error") return notRun(`${shown(command)} could not be started: ${ended.message}`);
  const survivor = child.pid === undefined ? null : await endAll(child.pid, mark);
  await closed(child);
  return resultOf(command, ended, survivor, limitMs, joinEnds(ends.map((end) => end.text())));
}

type CheckEnd =
  | { kind: "late" }
  | { kind: "error"; message: string }
  | { kind: "exit"; code: number | null; signal: NodeJS.Signals | null };

function resultOf(
  command: readonly string[],
  ended: Exclude<CheckEnd, { kind: "error" }>,
  survivor: string | null,
  limitMs: number,
  output: string,
): CheckResult {
  const left = survivor === null ? "" : `; ${survivor} could not be ended`;
  if (ended.kind === "late") {
    const text = `${shown(command)} did not finish within ${formatDuration(limitMs)} and was ended${left}`;
    return { verification: "unverified", text, output };
  }
  // Ended from outside, such as by the kernel for its memory: that says nothing about the work.
  if (ended.signal === "SIGKILL" || ended.signal === "SIGTERM")
    return { verification: "unverified", text: `${shown(command)} was ended by ${ended.signal}${left}`, output };
  if (ended.code === 0) return { verification: "verified", text: `${shown(command)} passed${left}`, output };
  const how = ended.signal === null ? `exited with ${ended.code}` : `ended by ${ended.signal}`;
  return { verification: "contradicted", text: `${shown(command)} ${how}${left}`, output };
}

const notRun = (text: string): CheckResult => ({
  verification: "unverified",
  text: sanitize(redact(text), 600),
  output: "",
});

function checkFolder(folder: string | null): string | null {
  if (folder === null)
    return "the task has no workspace to run its check in; set one with `rouse task edit ID --workspace`";
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return null;
  return found === undefined ? `the workspace ${folder} does not exist` : `the workspace ${folder} is not a folder`;
}

const shown = (command: readonly string[]): string =>
  `\`${sanitize(redact(command.join(" ")), 200).replaceAll("`", "'")}\``;

/** Without what marks the processes of an agent or points git to another repository. */
function environment(mark: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(GIT_|ROUSE_(SESSION|TASK|AGENT)|NOTIFY_SOCKET$)/.test(name),
  );
  return { ...Object.fromEntries(kept), [MARK]: mark };
}

/** The end of each stream: the order between two streams is unknown, and one must not push the other out. */
function joinEnds([out = "", err = ""]: readonly string[]): string {
  const half = OUTPUT_KEPT / 2;
  const kept = out.slice(-Math.max(half, OUTPUT_KEPT - err.length - 1));
  return [kept, err.slice(-Math.max(half - 1, OUTPUT_KEPT - kept.length - 1))].filter((text) => text !== "").join("\n");
}

/** Keeps the end of what was written. */
class OutputEnd {
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(pipe: Readable | null) {
    pipe?.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes > 2 * OUTPUT_MAX) this.#cut();
    });
  }

  text(): string {
    this.#cut();
    const lines = redact(this.#chunks[0]?.toString("utf8") ?? "")
      .split(/\r?\n/)
      .map((line) => sanitize(line.slice(line.lastIndexOf("\r") + 1), 1_000));
    return lines.join("\n").trim();
  }

  #cut(): void {
    const all = Buffer.concat(this.#chunks).subarray(-OUTPUT_MAX);
    this.#chunks = [Buffer.from(all)];
    this.#bytes = all.length;
  }
}

async function closed(child: ChildProcess): Promise<void> {
  const isClosed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const grace = new AbortController();
  await Promise.race([isClosed, sleep(OUTPUT_GRACE_MS, undefined, { signal: grace.signal }).catch(() => {})]);
  grace.abort();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Ends what an interrupted check left; a process that only has the same pid by now is left alone. */
export async function endLeftCheck({ pid, start, mark }: CheckLeader): Promise<void> {
  await endAll(identityOf(pid) === start ? pid : null, mark);
}

/**
 * Ends a process group and every process that carries the mark, until none is left. Returns a process that survived as text, or
 * null. The group is signalled only while it exists without a gap, so it cannot belong to another program.
 */
async function endAll(leader: number | null, mark: string): Promise<string | null> {
  const until = performance.now() + END_WITHIN_MS;
  let group = leader;
  for (;;) {
    if (group !== null && !kill(-group)) group = null;
    const left = await members(group, mark);
    if (left.length === 0) return null;
    if (performance.now() > until) return `process ${left.join(", ")}`;
    for (const pid of left) kill(pid);
    await sleep(END_POLL_MS);
  }
}

/** The leader began a session, so its id is that of the group. A process that waits to be collected has ended. */
async function members(group: number | null, mark: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const table = await readProcesses();
  return [...(table?.rows.values() ?? [])].flatMap(({ pid, sid, state }) =>
    state !== "Z" && pid !== process.pid && isOwn(pid) && (sid === group || readEnviron(pid)?.get(MARK) === mark)
      ? [pid]
      : [],
  );
}

/** False if no such process or group exists. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
