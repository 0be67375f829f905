import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { identityOf, ProcessSensor } from "./process-sensor.js";
import { type ProcessRow, ProcessTable } from "./process-table.js";
import { readPsTable } from "./ps.js";
import { readSockets, type SocketBytes } from "./sockets.js";

const hasSs = (await readSockets()) !== null;
const started: ChildProcess[] = [];

interface Started {
  pid: number;
  /** The first line that the process printed. */
  up: Promise<unknown>;
}

function start(code: string, ...args: string[]): Started {
  const child = spawn(process.execPath, ["-e", code, ...args], { stdio: ["ignore", "pipe", "ignore"], detached: true });
  started.push(child);
  return { pid: child.pid as number, up: once(child.stdout, "data") };
}

afterEach(() => {
  for (const child of started.splice(0)) {
    try {
      // The group belongs to the test: the child was started as its leader.
      process.kill(-(child.pid as number), "SIGKILL");
    } catch {
      // Already ended.
    }
  }
});

async function until<T>(ask: () => Promise<T | null | false>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("did not happen");
}

const PARENT = `
  const child = require("child_process").spawn("sleep", ["60"], { stdio: "ignore" });
  console.log(child.pid);
  setInterval(() => {}, 1000);
`;

describe("identityOf", () => {
  it("returns the same text at each call for a running process, and null for one that has ended", async () => {
    const child = start(PARENT);
    await child.up;
    const identity = identityOf(child.pid);
    expect(identity).not.toBeNull();
    expect(identityOf(child.pid)).toBe(identity);
    expect(identityOf(process.pid)).not.toBe(identity);
    process.kill(child.pid, "SIGKILL");
    await until(async () => identityOf(child.pid) === null);
  });
});

describe("ProcessSensor on this machine", () => {
  it("reports a child, a stop and the end of a process", async () => {
    const sensor = new ProcessSensor({ socketsEveryMs: 0 });
    const child = start(PARENT);
    await child.up;
    const target = { pid: child.pid, start: identityOf(child.pid) };
    const sample = async () => {
      await sensor.refresh(Date.now());
      return sensor.sample(target, Date.now());
    };
    const first = await sample();
    expect(first).toMatchObject({ kind: "process", source: "process", alive: true, children: 1 });
    expect(Math.abs((first.newestChildAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(first.stopped).toBeUndefined();
    process.kill(child.pid, "SIGSTOP");
    await until(async () => (await sample()).stopped === true);
    process.kill(child.pid, "SIGCONT");
    await until(async () => (await sample()).stopped === undefined);
    process.kill(child.pid, "SIGKILL");
    // The child that it left stays in the session and in the family.
    expect(
      await until(async () => {
        const now = await sample();
        return now.alive === false && now;
      }),
    ).toMatchObject({ children: 1 });
  });

  it("counts the work of the whole tree", async () => {
    const sensor = new ProcessSensor({ socketsEveryMs: 0 });
    const child = start(`
      require("child_process").spawn(process.execPath, ["-e", "for (;;) {}"], { stdio: "ignore" });
      setInterval(() => {}, 1000);
      console.log("up");
    `);
    await child.up;
    const target = { pid: child.pid, start: null };
    const worked = await until(async () => {
      await sensor.refresh(Date.now());
      const signal = sensor.sample(target, Date.now());
      return signal.cpuMs > 100 && signal;
    });
    expect(worked.children).toBe(1);
  });

  it("treats a process with another start time as another process", async () => {
    const sensor = new ProcessSensor({ socketsEveryMs: 0 });
    await sensor.refresh(0);
    const signal = sensor.sample({ pid: process.pid, start: "an earlier boot:1" }, 0);
    expect(signal).toMatchObject({ alive: false, children: 0, cpuMs: 0 });
  });

  it.skipIf(!hasSs)("counts received bytes, and a closed connection takes none away", async () => {
    const server = createServer((socket) => socket.on("error", () => {}).write("x".repeat(5000)));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const child = start(`
      const socket = require("net").connect(${port}, "127.0.0.1").resume();
      setTimeout(() => socket.write("a request"), 300);
      setTimeout(() => socket.destroy(), 5000);
      setInterval(() => {}, 1000);
    `);
    try {
      const sensor = new ProcessSensor({ socketsEveryMs: 1 });
      const target = { pid: child.pid, start: null };
      let at = 0;
      const sample = async () => {
        at += 10;
        await sensor.refresh(at);
        return sensor.sample(target, at);
      };
      await sample();
      await until(async () => {
        const now = await sample();
        return now.receivedBytes === 5000 && now.sockets === 1 && now.connection === "asks";
      });
      const closed = await until(async () => {
        const now = await sample();
        return now.sockets === 0 && now;
      });
      expect(closed.receivedBytes).toBe(5000);
    } finally {
      server.close();
    }
  });

  it("finds the same family with ps", async () => {
    const child = start(PARENT);
    await child.up;
    const sensor = new ProcessSensor({ socketsEveryMs: 0, readTable: readPsTable });
    await sensor.refresh(0);
    expect(sensor.sample({ pid: child.pid, start: null }, 0)).toMatchObject({ alive: true, children: 1 });
    expect(sensor.table?.ancestors(child.pid)[0]?.pid).toBe(process.pid);
  });
});

describe("ProcessSensor", () => {
  const row = (pid: number, ppid: number, cpuMs: number, state = "S"): ProcessRow => ({
    pid,
    ppid,
    sid: 1,
    tty: null,
    state,
    start: "a",
    startedAt: 1000 + pid,
    cpuMs,
    comm: "x",
  });
  const tableOf = (...rows: ProcessRow[]) => new ProcessTable(new Map(rows.map((r) => [r.pid, r])));

  it("counts what its descendants use, apart from the process itself", async () => {
    const row = (pid: number, ppid: number, cpuMs: number): ProcessRow => ({
      pid,
      ppid,
      sid: 1,
      tty: null,
      state: "S",
      start: String(pid),
      startedAt: 0,
      cpuMs,
      comm: "sh",
    });
    let rows = [row(10, 1, 0), row(11, 10, 500)];
    let io = 1000;
    const sensor = new ProcessSensor({
      socketsEveryMs: 0,
      readTable: async () => new ProcessTable(new Map(rows.map((one) => [one.pid, one]))),
      readIo: () => io,
    });
    const sample = async (at: number) => {
      await sensor.refresh(at);
      return sensor.sample({ pid: 10, start: "10" }, at);
    };
    expect(await sample(0)).toMatchObject({ childCpuMs: 0, childIoBytes: 0 });
    rows = [row(10, 1, 9000), row(11, 10, 800)];
    io = 6000;
    expect(await sample(10_000)).toMatchObject({ childCpuMs: 300, childIoBytes: 5000 });
  });

  it("reports unknown, not dead, if the system shows no processes", async () => {
    const sensor = new ProcessSensor({ socketsEveryMs: 0, readTable: async () => null });
    expect(sensor.sample({ pid: 5, start: null }, 1).alive).toBeNull();
    await sensor.refresh(1);
    expect(sensor.sample({ pid: 5, start: null }, 1).alive).toBeNull();
  });

  it("treats a zombie as dead", async () => {
    const sensor = new ProcessSensor({ socketsEveryMs: 0, readTable: async () => tableOf(row(5, 1, 0, "Z")) });
    await sensor.refresh(1);
    expect(sensor.sample({ pid: 5, start: "a" }, 1).alive).toBe(false);
  });

  it("never decreases the CPU time when a process leaves the tree", async () => {
    const tables = [tableOf(row(5, 1, 100), row(6, 5, 900)), tableOf(row(5, 1, 100)), tableOf(row(5, 1, 160))];
    const sensor = new ProcessSensor({ socketsEveryMs: 0, readTable: async () => tables.shift() ?? null });
    const counts: number[] = [];
    for (let at = 0; at < 3; at++) {
      await sensor.refresh(at);
      counts.push(sensor.sample({ pid: 5, start: "a" }, at).cpuMs);
    }
    expect(counts).toEqual([0, 0, 60]);
  });

  it("reports the connection of the youngest process, unless that process serves it", async () => {
    const socket = (pid: number, more: Partial<SocketBytes>): SocketBytes => {
      const [local, peer] = [`10.0.0.1:${4000 + pid}`, "10.0.0.2:443"];
      return { key: `${pid} 9 ${local} ${peer}`, local, peer, received: 5, asks: false, isServed: false, ...more };
    };
    const connectionOf = async (...sockets: SocketBytes[]) => {
      const sensor = new ProcessSensor({
        socketsEveryMs: 1,
        readTable: async () => tableOf(row(5, 1, 0), row(6, 5, 0)),
        readSockets: async () =>
          new Map([5, 6].map((pid) => [pid, sockets.filter(({ key }) => key.startsWith(`${pid} `))])),
      });
      const target = { pid: 5, start: null };
      sensor.sample(target, 0);
      await sensor.refresh(1);
      return sensor.sample(target, 1).connection;
    };
    expect(await connectionOf(socket(6, { asks: true }))).toBe("asks");
    expect(await connectionOf(socket(6, {}), socket(5, { asks: true }))).toBe("open");
    expect(await connectionOf(socket(5, { asks: true }))).toBeUndefined();
    expect(await connectionOf(socket(6, { asks: true, isServed: true }))).toBeUndefined();
  });

  it("ends on a cycle of parents", async () => {
    const table = tableOf(row(5, 6, 0), row(6, 5, 0));
    expect(table.descendants(5).map((r) => r.pid)).toEqual([6]);
    expect(table.ancestors(5).map((r) => r.pid)).toEqual([6]);
  });

  it("reads the processes once for concurrent calls", async () => {
    let checks = 0;
    const sensor = new ProcessSensor({
      socketsEveryMs: 0,
      readTable: async () => {
        checks++;
        return tableOf();
      },
    });
    await Promise.all([sensor.refresh(1), sensor.refresh(1), sensor.refresh(1)]);
    expect(checks).toBe(1);
  });
});
