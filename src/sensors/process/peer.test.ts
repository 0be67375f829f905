import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hexOf, parsePeer, parseTcp, peerProcesses } from "./peer.js";

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
async function connected(
  listen: string | number,
  code = "require('net').connect(JSON.parse(process.argv[1])); setInterval(() => {}, 1000)",
): Promise<{ socket: Socket; pid: number }> {
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  await new Promise<void>((resolve) => {
    if (typeof listen === "string") server.listen(listen, resolve);
    else server.listen(listen, "127.0.0.1", resolve);
  });
  const address = server.address();
  const to = typeof address === "object" && address ? { port: address.port, host: address.address } : { path: listen };
  client = spawn(process.execPath, ["-e", code, JSON.stringify(to)], { stdio: ["ignore", "pipe", "ignore"] });
  const socket = await accepted;
  socket.on("error", () => {});
  return { socket, pid: client.pid as number };
}

/** Another program of this name, or none, in place of `ss`. */
async function withSs<T>(script: string | null, run: () => Promise<T>): Promise<T> {
  const { PATH } = process.env;
  const programs = join(folder, "programs");
  mkdirSync(programs);
  if (script !== null) writeFileSync(join(programs, "ss"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  process.env.PATH = script === null ? programs : `${programs}:${PATH}`;
  try {
    return await run();
  } finally {
    process.env.PATH = PATH;
  }
}

describe("the other end of a connection", () => {
  it.skipIf(!hasSs)("of a Unix socket is held by the process that opened it", async () => {
    const path = join(folder, "daemon.sock");
    const { socket, pid } = await connected(path);
    expect(await peerProcesses(socket, path)).toEqual([pid]);
    socket.destroy();
  });

  it("on the loopback address is held by the process that opened it", async () => {
    const { socket, pid } = await connected(0);
    expect(await peerProcesses(socket, null)).toEqual([pid]);
    socket.destroy();
  });

  it.skipIf(!hasSs)("is found although the first list of sockets misses it", async () => {
    const path = join(folder, "daemon.sock");
    const { socket, pid } = await connected(path);
    const seen = join(folder, "seen");
    const script = `[ -e '${seen}' ] || { : > '${seen}'; exit 0; }\nPATH='${process.env.PATH}' exec ss "$@"`;
    expect(await withSs(script, () => peerProcesses(socket, path))).toEqual([pid]);
    expect(existsSync(seen)).toBe(true);
    socket.destroy();
  });

  it.each([
    ["fails", "exit 1"],
    ["prints without end", "yes u_str ESTAB"],
  ])("is unknown, and never taken for the user, if the list of sockets %s", async (_, script) => {
    const path = join(folder, "daemon.sock");
    const { socket } = await connected(path);
    expect(await withSs(script, () => peerProcesses(socket, path))).toBe("unknown");
    socket.destroy();
  });

  it("cannot be told on a system without `ss`", async () => {
    const path = join(folder, "daemon.sock");
    const { socket } = await connected(path);
    expect(await withSs(null, () => peerProcesses(socket, path))).toBeNull();
    socket.destroy();
  });

  it.skipIf(!hasSs)(
    "is held by all processes that share it, also after the one that opened it has exited",
    async () => {
      const path = join(folder, "daemon.sock");
      const forks = `
      const socket = require("net").connect(JSON.parse(process.argv[1]), () => {
        const stdio = ["ignore", "ignore", "ignore", socket];
        const start = () => require("child_process").spawn("sleep", ["60"], { stdio, detached: true });
        for (const child of [start(), start()]) { console.log(child.pid); child.unref(); }
        process.exit();
      });`;
      const { socket } = await connected(path, forks);
      const printed: Buffer[] = [];
      client?.stdout?.on("data", (chunk: Buffer) => printed.push(chunk));
      await new Promise((resolve) => client?.once("close", resolve));
      const pids = Buffer.concat(printed).toString().trim().split("\n").map(Number);
      expect(pids).toHaveLength(2);
      expect(await peerProcesses(socket, path)).toEqual(pids.toSorted((a, b) => b - a));
      for (const pid of pids) process.kill(pid, "SIGKILL");
      socket.destroy();
    },
  );

  it.skipIf(!hasSs)("is unknown once either end is closed", async () => {
    const path = join(folder, "daemon.sock");
    const { socket, pid } = await connected(path);
    process.kill(pid, "SIGKILL");
    await new Promise((resolve) => client?.once("exit", resolve));
    expect(await peerProcesses(socket, path)).toBe("unknown");
    socket.destroy();
    expect(await peerProcesses(socket, path)).toBe("unknown");
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
