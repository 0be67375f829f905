import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { describe, expect, it } from "vitest";
import { parseStat, readArgv, readCwd, readEnviron, readsTerminal } from "./proc.js";
import { outwardSockets, parseSs } from "./sockets.js";

const REST = "1 42 42 34817 42 4194560 1 2 3 4 10 20 30 40 20 0 11 0 12345 1000 200";

describe("parseStat", () => {
  it.each(["claude", "a) R 9 9 9 (b", "((", "x y z", ""])("parses the line of a process called %j", (comm) => {
    expect(parseStat(`77 (${comm}) S ${REST}`)).toMatchObject({
      pid: 77,
      ppid: 1,
      sid: 42,
      state: "S",
      cpuMs: 1000,
      comm,
      tty: "/dev/pts/1",
    });
  });

  it.each(["", "(", "77 claude S", "x (y) S 1"])("returns null for %j", (text) => {
    expect(parseStat(text)).toBeNull();
  });
});

/** Other users' processes, and on hardened systems those that are no descendants, do not show their system calls. */
const showsSyscalls = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/syscall`, "utf8") !== "";
  } catch {
    return false;
  }
};

describe.skipIf(process.platform !== "linux")("a read from a terminal", () => {
  it("is seen in a real process that waits for input, and not in one that waits for a pipe or sleeps", async () => {
    const asking = spawnInTerminal("sh", ["-c", "read answer"], { cols: 80, rows: 24 });
    const sleeping = spawnInTerminal("sleep", ["30"], { cols: 80, rows: 24 });
    const piped = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
    try {
      if (!showsSyscalls(asking.pid)) return;
      for (let n = 0; n < 100 && !readsTerminal(asking.pid); n++) await setTimeout(50);
      expect([asking.pid, sleeping.pid, piped.pid ?? 0, 0].map(readsTerminal)).toEqual([true, false, false, false]);
    } finally {
      asking.kill("SIGKILL");
      sleeping.kill("SIGKILL");
      piped.kill("SIGKILL");
    }
  });
});

describe.skipIf(process.platform !== "linux")("the facts of a process in /proc", () => {
  it("include its arguments, folder and environment", () => {
    expect(readArgv(process.pid)?.[0]).toContain("node");
    expect(readCwd(process.pid)).toBe(process.cwd());
    expect(readEnviron(process.pid)?.get("PATH")).toBeDefined();
  });

  it("are empty for a process that does not exist", () => {
    expect([readArgv(2 ** 22 + 1), readCwd(2 ** 22 + 1), readEnviron(2 ** 22 + 1)]).toEqual([null, null, null]);
  });
});

describe("parseSs", () => {
  const line = (users: string, info: string) =>
    `0      0      10.0.0.2:42668     160.79.104.10:443  users:(${users}) cubic ${info} segs_out:3`;

  it("adds up bytes per process", () => {
    const sockets = parseSs(
      [
        line('("claude",pid=10,fd=20)', "bytes_received:4243"),
        line('("claude",pid=10,fd=21),("node",pid=11,fd=21)', "bytes_acked:1"),
      ].join("\n"),
    );
    expect(sockets.get(10)?.map((s) => s.received)).toEqual([4243, 0]);
    expect(sockets.get(11)).toHaveLength(1);
    expect(new Set(sockets.get(10)?.map((s) => s.key)).size).toBe(2);
  });

  it.each(['x",pid=1,fd=2', 'x",pid=1,fd=2)', '("a",pid=1,fd=2'])(
    "assigns the bytes of a process called %j to no other process",
    (comm) => {
      expect([...parseSs(line(`("${comm.slice(0, 15)}",pid=10,fd=20)`, "bytes_received:9")).keys()]).toEqual([10]);
    },
  );

  it("distinguishes outside connections from connections of a program to itself", () => {
    const own = (ends: string, pid: number): string =>
      `0 0 ${ends} users:(("codex",pid=${pid},fd=9)) cubic bytes_received:9`;
    const sockets = parseSs(
      [
        own("127.0.0.1:40033 127.0.0.1:40662", 10),
        own("[::ffff:127.0.0.1]:40662 [::ffff:127.0.0.1]:40033", 11),
        own("127.0.0.1:35304 127.0.0.1:44105", 10),
      ].join("\n"),
    );
    expect(outwardSockets([...sockets.values()].flat()).map(({ peer }) => peer)).toEqual(["127.0.0.1:44105"]);
    expect(outwardSockets(sockets.get(11) ?? [])).toHaveLength(1);
  });

  it("tells who owes an answer, and which connections others opened", () => {
    const of = (state: string, ends: string, info: string): string =>
      `${state}  0      0      ${ends} users:(("node",pid=10,fd=9)) bbr ${info} segs_out:3`;
    const sockets = parseSs(
      [
        of("LISTEN", "127.0.0.1:8080 0.0.0.0:*", ""),
        of("ESTAB ", "127.0.0.1:40001 127.0.0.1:9000", "bytes_sent:900 bytes_received:263 lastsnd:80 lastrcv:90"),
        of("ESTAB ", "127.0.0.1:40002 127.0.0.1:9000", "bytes_sent:900 lastsnd:80 lastrcv:80"),
        of("ESTAB ", "127.0.0.1:40003 127.0.0.1:9000", "bytes_sent:900 bytes_received:263 lastsnd:90 lastrcv:80"),
        of("ESTAB ", "127.0.0.1:40004 127.0.0.1:9000", "lastsnd:80 lastrcv:80"),
        of("ESTAB ", "127.0.0.1:8080 127.0.0.1:40005", "bytes_sent:900 bytes_received:9 lastsnd:80 lastrcv:90"),
      ].join("\n"),
    );
    const found = sockets.get(10) ?? [];
    expect(found.map(({ asks }) => asks)).toEqual([true, true, false, false, true]);
    expect(found.map(({ isServed }) => isServed)).toEqual([false, false, false, false, true]);
    expect(found[0]).toMatchObject({ local: "127.0.0.1:40001", peer: "127.0.0.1:9000", received: 263 });
  });

  it("returns nothing for noise", () => {
    expect(parseSs(`\n\n${"(".repeat(10_000)}\nusers:((\n`).size).toBe(0);
  });
});
