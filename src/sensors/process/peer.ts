/**
 * The processes at the other end of a connection, as the system reports it: a client can claim any pid. Node.js has no
 * SO_PEERCRED. For a Unix socket `ss` names the other end, for a loopback connection `/proc/net/tcp`; the processes are those
 * that hold this end open, several if a client has forked.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isIPv4, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Youngest first. `unknown`: the system could tell, but none was found, for example because it has closed its end already. */
export type PeerProcesses = readonly number[] | "unknown";

const TIMEOUT_MS = 2000;
/** Reading the descriptors of one process takes about 50 µs: this many block the event loop for about 3 ms. */
const SLICE = 64;
const DESCRIPTORS_MAX = 4096;
/** A list of sockets that is read while others come and go can miss one, 2 to 6 in 1,000 with 4,000 connections a second: read it again. */
const AGAIN_MS = [0, 20, 200];

/** `path`: of the Unix socket that was connected to. Null if this system does not tell, and for other machines and users. */
export async function peerProcesses(socket: Socket, path: string | null): Promise<PeerProcesses | null> {
  if (process.platform !== "linux") return null;
  for (const ms of AGAIN_MS) {
    if (ms > 0) await sleep(ms);
    const found = await findPeers(socket, path);
    if (found !== "unknown" || socket.destroyed) return found;
  }
  return "unknown";
}

async function findPeers(socket: Socket, path: string | null): Promise<PeerProcesses | null> {
  const inode = path === null ? tcpPeer(socket) : await unixPeer(socket, path);
  if (inode === null || inode === "unknown") return inode;
  const found = await holdersOf(inode);
  return found.length === 0 ? "unknown" : found;
}

async function unixPeer(socket: Socket, path: string): Promise<string | null> {
  // Only sockets with this path are listed: the path of another one could imitate a line. `ss` knows no escapes.
  const list = await listSockets(path.replaceAll(/[\\*?[\]]/g, "?"));
  if ("failure" in list) return list.failure === "no ss" ? null : "unknown";
  const inode = ownInode(socket);
  return inode === null ? "unknown" : parsePeer(list.text, path, inode);
}

/** The descriptor is not part of Node's interface, and -1 or missing once the socket is closed. */
function ownInode(socket: Socket): string | null {
  const { fd } = (socket as { _handle?: { fd?: number } | null })._handle ?? {};
  return fd === undefined || fd < 0
    ? null
    : (/^socket:\[(\d{1,20})\]$/.exec(linkAt(`/proc/self/fd/${fd}`) ?? "")?.[1] ?? null);
}

/** `u_str ESTAB 0 0 /run/daemon.sock 117334 * 117333`: our inode, then the one of the peer. */
export function parsePeer(text: string, path: string, inode: string): string {
  const own = ` ${path} ${inode} `;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [line, ...others] = lines.filter((one) => one.includes(own));
  // A client may give its end a path of any text, which no honest client does: then nothing here can be trusted.
  if (line === undefined || others.length > 0 || lines.some((one) => !one.startsWith("u_str "))) return "unknown";
  const peer = /^\* (\d{1,20}) *$/.exec(line.slice(line.indexOf(own) + own.length))?.[1] ?? "0";
  return peer === "0" ? "unknown" : peer;
}

/** A program that only fails, on a starved machine or because a client made the list too long, must not lead to trust. */
function listSockets(path: string): Promise<{ text: string } | { failure: "no ss" | "failed" }> {
  const limits = { encoding: "utf8", timeout: TIMEOUT_MS, maxBuffer: 4 * 1024 * 1024, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile("ss", ["-xnOH", "src", path], limits, (error, stdout) =>
      resolve(error ? { failure: error.code === "ENOENT" ? "no ss" : "failed" } : { text: stdout }),
    );
  });
}

function tcpPeer({ remoteAddress, remotePort, localAddress, localPort }: Socket): string | null {
  if (!remoteAddress || !localAddress || remotePort === undefined || localPort === undefined) return "unknown";
  const [theirs, ours] = [hexOf(remoteAddress, remotePort), hexOf(localAddress, localPort)];
  if (theirs === null || ours === null) return null;
  const text = ["/proc/net/tcp", "/proc/net/tcp6"].map(readText).join("\n");
  const row = parseTcp(text, theirs, ours);
  if (row === null) return isLoopback(remoteAddress) ? "unknown" : null;
  return row.uid === process.getuid?.() ? row.inode : null;
}

const isLoopback = (address: string): boolean => address === "::1" || /^(::ffff:)?127\./.test(address);

/** The socket between these two ends, seen from the first; null if there is none on this machine. */
export function parseTcp(text: string, local: string, remote: string): { inode: string; uid: number } | null {
  for (const line of text.split("\n")) {
    const [, from, to, , , , , uid, , inode] = line.trim().split(/ {1,20}/, 10);
    // An IPv4 address may be listed as one that is mapped to IPv6. A closed connection has the inode 0.
    if (inode !== undefined && inode !== "0" && from?.endsWith(local) && to?.endsWith(remote))
      return { inode, uid: Number(uid) };
  }
  return null;
}

const LOOPBACK_6 = "00000000000000000000000001000000";

/** As the kernel writes it: bytes in reverse order. Null for another IPv6 address: only another machine has one. */
export function hexOf(address: string, port: number): string | null {
  const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0");
  if (address === "::1") return `${LOOPBACK_6}:${hex(port, 4)}`;
  const ip = address.replace(/^::ffff:/, "");
  if (!isIPv4(ip)) return null;
  const bytes = ip.split(".").reverse();
  return `${bytes.map((byte) => hex(Number(byte), 2)).join("")}:${hex(port, 4)}`;
}

async function holdersOf(inode: string): Promise<number[]> {
  const target = `socket:[${inode}]`;
  const pids = numbersIn("/proc").sort((a, b) => b - a);
  const found: number[] = [];
  for (let from = 0; from < pids.length; from += SLICE) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    found.push(...pids.slice(from, from + SLICE).filter((pid) => holds(pid, target)));
  }
  return found;
}

function holds(pid: number, target: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return numbersIn(folder)
    .slice(0, DESCRIPTORS_MAX)
    .some((fd) => linkAt(`${folder}/${fd}`) === target);
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).flatMap((name) => (/^\d{1,9}$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}
