/** Processes of Linux, from `/proc`. Everything in it may vanish or be forbidden between two reads. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs";
import { type ProcessRow, ProcessTable } from "./process-table.js";

/** Kernel ticks are 10 ms on every Linux that Node.js is built for. */
const TICK_MS = 10;
/** Reading one `stat` takes about 15 µs: this many block the event loop for about 4 ms. */
const SLICE = 256;
const PROCESSES_MAX = 65_536;
const TEXT_MAX = 64 * 1024;

let boot: { id: string; at: number } | null = null;

function bootOf(): { id: string; at: number } {
  if (boot === null) {
    const seconds = /^btime (\d{1,15})$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1];
    boot = { id: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), at: Number(seconds ?? 0) * 1000 };
  }
  return boot;
}

/** Id of this boot; null without `/proc`. */
export function bootId(): string | null {
  try {
    return bootOf().id;
  } catch {
    return null;
  }
}

/** The whole table, read in slices so that the event loop is not blocked long. Null if there is no `/proc`. */
export async function readProcTable(): Promise<ProcessTable | null> {
  let names: string[];
  try {
    bootOf();
    names = readdirSync("/proc").filter(isNumber);
  } catch {
    return null;
  }
  const rows = new Map<number, ProcessRow>();
  for (let from = 0; from < Math.min(names.length, PROCESSES_MAX); from += SLICE) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const name of names.slice(from, from + SLICE)) {
      const row = readProcRow(Number(name));
      if (row) rows.set(row.pid, row);
    }
  }
  return new ProcessTable(rows);
}

/** Longer than any `stat`: 52 numbers and a name of up to 64 characters. */
const STAT = Buffer.allocUnsafe(2048);

/** Takes a third less time than `readFileSync`, which also queries a size that these files do not have. */
export function readProcRow(pid: number): ProcessRow | null {
  let handle: number;
  try {
    handle = openSync(`/proc/${pid}/stat`, "r");
  } catch {
    return null;
  }
  try {
    return parseStat(STAT.toString("latin1", 0, readSync(handle, STAT, 0, STAT.length, 0)));
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}

/** Whether its group is in the foreground: false for a stopped job and below a shell; null if unknown. */
export function hasTerminal(pid: number): boolean | null {
  const text = readHead(`/proc/${pid}/stat`);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, , group, , , foreground] = fields;
  return group !== undefined && group === foreground && state !== "T" && state !== "t";
}

/** The name is in brackets and may contain brackets and spaces, so fields are counted from the last closing bracket. */
export function parseStat(text: string): ProcessRow | null {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open < 0 || close < open) return null;
  const fields = text.slice(close + 2).split(" ");
  const field = (number: number): string => fields[number - 3] ?? "";
  const pid = Number(text.slice(0, open));
  const ticks = Number(field(22));
  if (!Number.isInteger(pid) || !Number.isFinite(ticks)) return null;
  const { id, at } = bootOf();
  return {
    pid,
    ppid: Number(field(4)),
    sid: Number(field(6)),
    tty: field(7) === "0" ? null : ttyName(Number(field(7))),
    state: field(3),
    start: `${id}:${field(22)}`,
    startedAt: at + ticks * TICK_MS,
    cpuMs: [14, 15, 16, 17].reduce((sum, number) => sum + (Number(field(number)) || 0), 0) * TICK_MS,
    comm: text.slice(open + 1, close),
  };
}

/** Unix98 terminals have the majors 136 to 143; any other is given by its number. */
function ttyName(device: number): string {
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  return major >= 136 && major <= 143 ? `/dev/pts/${(major - 136) * 256 + minor}` : `${major}:${minor}`;
}

/** Expensive to read, so only for a few processes. Null if not readable for this user. */
export function readArgv(pid: number): string[] | null {
  const text = readHead(`/proc/${pid}/cmdline`);
  if (text === null || text === "") return null;
  // A program that sets its title overwrites its arguments, followed by spaces or zeros.
  const argv = text.replace(/\0{1,65536}$/, "").split("\0");
  return argv.length === 1 ? (argv[0] ?? "").split(" ").filter((word) => word !== "") : argv;
}

export function readEnviron(pid: number): Map<string, string> | null {
  const text = readHead(`/proc/${pid}/environ`);
  if (text === null) return null;
  const pairs = text.split("\0").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : [];
  });
  return new Map(pairs);
}

export function readCwd(pid: number): string | null {
  return readLink(`/proc/${pid}/cwd`);
}

export function readExe(pid: number): string | null {
  return readLink(`/proc/${pid}/exe`);
}

/** Real paths of the open files of a process. */
export function readOpenFiles(pid: number): string[] {
  let names: string[];
  try {
    names = readdirSync(`/proc/${pid}/fd`).slice(0, 1024);
  } catch {
    return [];
  }
  return names.flatMap((name) => readLink(`/proc/${pid}/fd/${name}`) ?? []).filter((path) => path.startsWith("/"));
}

/** The numbers of `read` in `/proc/PID/syscall`: they differ by architecture. */
const READ_SYSCALL: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: "0", arm64: "63" };

/** Whether the process waits inside a read from a terminal; false if that is not visible to this user. */
export function readsTerminal(pid: number): boolean {
  const [number, file] = readHead(`/proc/${pid}/syscall`)?.split(" ", 2) ?? [];
  if (number === undefined || file === undefined || number !== READ_SYSCALL[process.arch]) return false;
  return /^\/dev\/(?:pts\/\d|tty)/.test(readLink(`/proc/${pid}/fd/${Number(file)}`) ?? "");
}

const IO = /^(?:rchar|wchar): (\d{1,18})$/gm;

/** Bytes that a process has read and written, terminals and pipes included. Null if not readable for this user. */
export function readIoBytes(pid: number): number | null {
  const text = readHead(`/proc/${pid}/io`);
  if (text === null) return null;
  return [...text.matchAll(IO)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

export function isOwn(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`).uid === process.getuid?.();
  } catch {
    return false;
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** `cmdline` and `environ` have no size and may hold megabytes. */
function readHead(path: string): string | null {
  let handle: number;
  try {
    handle = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    const buffer = Buffer.allocUnsafe(TEXT_MAX);
    let length = 0;
    for (let got = -1; got !== 0 && length < TEXT_MAX; length += got) {
      got = readSync(handle, buffer, length, TEXT_MAX - length, null);
    }
    return buffer.toString("utf8", 0, length);
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}

function isNumber(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}
