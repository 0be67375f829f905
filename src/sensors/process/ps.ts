/**
 * Processes by `ps`, for macOS. The parser is tested with the `ps` of Linux, not yet on a Mac. There, the working
 * directory, environment, open files and received bytes of other processes are not readable.
 */
import { execFile, execFileSync } from "node:child_process";
import { type ProcessRow, ProcessTable } from "./process-table.js";

const FORMAT = ["pid=", "ppid=", "sess=", "state=", "time=", "lstart=", "tty=", "comm="];
const ARGUMENTS = FORMAT.flatMap((column) => ["-o", column]);
const LIMITS = {
  encoding: "utf8",
  timeout: 5000,
  maxBuffer: 16 * 1024 * 1024,
  env: { ...process.env, LC_ALL: "C" },
} as const;

/** pid, parent, session, state, CPU time, five words of a date, terminal, name. */
const LINE =
  /^\s{0,9}(\d{1,9})\s{1,9}(\d{1,9})\s{1,20}(\w{1,18})\s{1,9}(\S{1,9})\s{1,20}(\S{1,20})\s{1,20}(\w{3} \w{3} [\d ]\d [\d:]{8} \d{4})\s{1,9}(\S{1,40})\s{1,20}(.{0,1000})/;

export function readPsTable(): Promise<ProcessTable | null> {
  return new Promise((resolve) => {
    execFile("ps", ["-ax", ...ARGUMENTS], LIMITS, (error, stdout) => resolve(error ? null : parsePs(stdout)));
  });
}

export function readPsRow(pid: number): ProcessRow | null {
  try {
    return parsePs(execFileSync("ps", [...ARGUMENTS, "-p", String(pid)], LIMITS)).rows.get(pid) ?? null;
  } catch {
    return null;
  }
}

/** Whether its group is in the foreground: the state contains `+`. Null if unknown. */
export function hasTerminalByPs(pid: number): boolean | null {
  try {
    const state = execFileSync("ps", ["-o", "state=", "-p", String(pid)], LIMITS).trim();
    return state.includes("+") && !state.startsWith("T");
  } catch {
    return null;
  }
}

function parsePs(text: string): ProcessTable {
  const rows = new Map<number, ProcessRow>();
  for (const line of text.split("\n")) {
    const found = LINE.exec(line.slice(0, 2000));
    if (!found) continue;
    const [, pid = "", ppid = "", sid = "", state = "", time = "", date = "", tty = "", comm = ""] = found;
    rows.set(Number(pid), {
      pid: Number(pid),
      ppid: Number(ppid),
      // macOS prints an address instead of a number.
      sid: Number(sid) || 0,
      tty: tty.startsWith("?") ? null : tty.startsWith("/") ? tty : `/dev/${tty}`,
      state: state.slice(0, 1),
      start: date,
      startedAt: Date.parse(date) || 0,
      cpuMs: cpuMs(time),
      comm,
    });
  }
  return new ProcessTable(rows);
}

/** `[[days-]hours:]minutes:seconds[.hundredths]` */
function cpuMs(time: string): number {
  const [days, clock] = time.includes("-") ? time.split("-", 2) : ["0", time];
  const seconds = (clock ?? "").split(":").reduce((sum, part) => sum * 60 + (Number(part) || 0), 0);
  return Math.round(((Number(days) || 0) * 86_400 + seconds) * 1000);
}
