/** Bytes received by the sockets of each process, by `ss`. Only this shows a hung stream, which receives none. */
import { execFile } from "node:child_process";

export interface SocketBytes {
  /** Names one connection of one process. */
  key: string;
  local: string;
  peer: string;
  received: number;
  /** Its program sent the last bytes: the other end owes an answer. */
  asks: boolean;
  /** The other end opened it: the program is its server. */
  isServed: boolean;
}

/** One run serves all agents: 6 ms with few sockets, so it runs a few times a minute at most. */
const TIMEOUT_MS = 2000;
const LINE_MAX = 4096;
const SOCKETS_MAX = 20_000;
const RECEIVED = / bytes_received:(\d{1,16})/;
const SENT = / bytes_sent:(\d{1,16})/;
/** Milliseconds since the last bytes in each direction. */
const LAST_SENT = / lastsnd:(\d{1,16})/;
const LAST_RECEIVED = / lastrcv:(\d{1,16})/;
/**
 * A program chooses its own name, of up to 15 characters, and the name may imitate an entry of another process. A
 * greedy match for the name leaves the pid that the system wrote.
 */
const OWNER = /\(".{0,15}",pid=(\d{1,9}),fd=(\d{1,9})\)/g;

/** One end may be shown as an IPv4 address, the other as the same address mapped to IPv6. */
const MAPPED = /^\[::ffff:([\d.]{7,15})\]/;

/** Null without `ss`, or if it took too long. */
export function readSockets(command = "ss"): Promise<Map<number, SocketBytes[]> | null> {
  const limits = { encoding: "utf8", timeout: TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile(command, ["-tinpOH", "state", "established", "state", "listening"], limits, (error, stdout) =>
      resolve(error ? null : parseSs(stdout)),
    );
  });
}

export function parseSs(text: string): Map<number, SocketBytes[]> {
  const lines = text
    .split("\n")
    .slice(0, SOCKETS_MAX)
    .map((line) => line.slice(0, LINE_MAX));
  const served = new Set(lines.flatMap((line) => (LISTENS.test(line) ? portOf(endsOf(line).local) : [])));
  const sockets = new Map<number, SocketBytes[]>();
  for (const line of lines) {
    if (LISTENS.test(line)) continue;
    const { local, peer } = endsOf(line);
    // A connection that has not received anything has no such field.
    const received = numberIn(line, RECEIVED);
    const [sentAgo, receivedAgo] = [numberIn(line, LAST_SENT), numberIn(line, LAST_RECEIVED)];
    const asks = numberIn(line, SENT) > 0 && (sentAgo < receivedAgo || (sentAgo === receivedAgo && received === 0));
    for (const [, pid = "", fd = ""] of line.matchAll(OWNER)) {
      const key = `${pid} ${fd} ${local} ${peer}`;
      const entry = { key, local, peer, received, asks, isServed: served.has(portOf(local)) };
      const known = sockets.get(Number(pid));
      if (known) known.push(entry);
      else sockets.set(Number(pid), [entry]);
    }
  }
  return sockets;
}

const LISTENS = /^ {0,8}LISTEN /;
const portOf = (address: string): string => address.slice(address.lastIndexOf(":") + 1);
const numberIn = (line: string, field: RegExp): number => Number(field.exec(line)?.[1] ?? 0);

/** With several states, each line begins with its own. */
function endsOf(line: string): { local: string; peer: string } {
  const words = line
    .slice(0, 200)
    .trim()
    .split(/ {1,40}/, 5);
  if (/^[A-Z]/.test(words[0] ?? "")) words.shift();
  const [, , local = "", peer = ""] = words.map((word) => word.replace(MAPPED, "$1"));
  return { local, peer };
}

/** Connections of these processes to others: traffic among them does not come from a server. */
export function outwardSockets(sockets: readonly SocketBytes[]): SocketBytes[] {
  const ends = new Set(sockets.map(({ local, peer }) => `${local} ${peer}`));
  return sockets.filter(({ local, peer }) => !ends.has(`${peer} ${local}`));
}
