import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hexOf, parsePeer, parseTcp, peerProcess } from "./peer.js";

const hasSs = ((): boolean => {
  try {
    execFileSync("ss", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

let folder: string;
let server: Server;
let client: ChildProcess | null = null;
beforeEach(() => {
  // A path with characters that `ss` takes for a pattern.
  folder = mkdtempSync(join(tmpdir(), "rouse-peer-[a]*"));
  server = createServer();
});
afterEach(async () => {
  client?.kill("SIGKILL");
  client = null;
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** Another process connects and stays; returns its pid and our end. */
async function connected(listen: string | number): Promise<{ socket: Socket; pid: number }> {
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  await new Promise<void>((resolve) => {
    if (typeof listen === "string") server.listen(listen, resolve);
    else server.listen(listen, "127.0.0.1", resolve);
  });
  const address = server.address();
  const to = typeof address === "object" && address ? { port: address.port, host: address.address } : { path: listen };
  const code = "require('net').connect(JSON.parse(process.argv[1])); setInterval(() => {}, 1000)";
  client = spawn(process.execPath, ["-e", code, JSON.stringify(to)], { stdio: "ignore" });
  const socket = await accepted;
  socket.on("error", () => {});
  return { socket, pid: client.pid as number };
}

describe("the process at the other end of a connection", () => {
  it.skipIf(!hasSs)("of a Unix socket is the one that opened it", async () => {
    const path = join(folder, "daemon.sock");
    const { socket, pid } = await connected(path);
    expect(await peerProcess(socket, path)).toBe(pid);
    socket.destroy();
  });

  it("of a loopback connection is the one that opened it", async () => {
    const { socket, pid } = await connected(0);
    expect(await peerProcess(socket, null)).toBe(pid);
    socket.destroy();
  });

  it.skipIf(!hasSs)("is found although the first list of sockets misses it", async () => {
    const path = join(folder, "daemon.sock");
    const { socket, pid } = await connected(path);
    const { PATH } = process.env;
    const seen = join(folder, "seen");
    const script = `#!/bin/sh\n[ -e '${seen}' ] || { : > '${seen}'; exit 0; }\nPATH='${PATH}' exec ss "$@"\n`;
    writeFileSync(join(folder, "ss"), script, { mode: 0o755 });
    process.env.PATH = `${folder}:${PATH}`;
    try {
      expect(await peerProcess(socket, path)).toBe(pid);
      expect(existsSync(seen)).toBe(true);
    } finally {
      process.env.PATH = PATH;
    }
    socket.destroy();
  });

  it.skipIf(!hasSs)("is unknown once either end is closed", async () => {
    const path = join(folder, "daemon.sock");
    const { socket, pid } = await connected(path);
    process.kill(pid, "SIGKILL");
    await new Promise((resolve) => client?.once("exit", resolve));
    expect(await peerProcess(socket, path)).toBe("unknown");
    socket.destroy();
    expect(await peerProcess(socket, path)).toBe("unknown");
  });
});

describe("the list of Unix sockets", () => {
  const line = (own: number, peer: number): string => `u_str ESTAB 0      0      /run/daemon.sock ${own} * ${peer}   `;

  it("names the peer of exactly this socket", () => {
    const text = [line(11, 12), line(117, 118), line(17, 18)].join("\n");
    const peerOf = (inode: string, path = "/run/daemon.sock"): string => parsePeer(text, path, inode);
    expect(peerOf("17")).toBe("18");
    expect(peerOf("7")).toBe("unknown");
    expect(peerOf("17", "/run/other.sock")).toBe("unknown");
    expect(parsePeer("", "/run/daemon.sock", "7")).toBe("unknown");
  });
});

describe("a client that hides its end of a Unix socket", () => {
  const line = (peer: string): string => `u_str ESTAB 0      0      /run/daemon.sock 17 ${peer}`;

  it.each([
    ["by giving it a path, is unknown", line("/tmp/own.sock 18"), "unknown"],
    [
      "by giving it a path that looks like a line, is unknown",
      line("/tmp/x\nu_str ESTAB 0 0 /run/daemon.sock 17 * 99"),
      "unknown",
    ],
    ["by giving it a path that looks like the rest of a line, is unknown", line("* 99\nx 18"), "unknown"],
    ["by closing it, is unknown", line("* 0"), "unknown"],
  ])("%s", (_, text, expected) => {
    expect(parsePeer(text, "/run/daemon.sock", "17")).toBe(expected);
  });
});

describe("the list of TCP connections", () => {
  const row = (from: string, to: string, inode: number): string =>
    `   1: ${from} ${to} 01 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000 20 4 30 10 -1`;

  it("names the socket between two ends, seen from the client", () => {
    expect(hexOf("127.0.0.1", 17_687)).toBe("0100007F:4517");
    expect(hexOf("::ffff:127.0.0.1", 80)).toBe("0100007F:0050");
    expect(hexOf("::1", 80)).toBe("00000000000000000000000001000000:0050");
    expect(hexOf("2001:db8::1", 80)).toBeNull();
    const text = [row("0100007F:4517", "0100007F:0050", 5), row("0100007F:0050", "0100007F:4517", 6)].join("\n");
    expect(parseTcp(text, "0100007F:0050", "0100007F:4517")).toEqual({ inode: "6", uid: 1000 });
    expect(parseTcp(text, "0100007F:0051", "0100007F:4517")).toBeNull();
  });

  it("leaves out a connection that no process holds any more", () => {
    expect(parseTcp(row("0100007F:0050", "0100007F:4517", 0), "0100007F:0050", "0100007F:4517")).toBeNull();
  });
});
