/**
 * A few bytes of output that kept the emulator busy for hours, let it take all memory or made it throw: what an agent
 * prints must freeze neither its host, nor the terminal of `rouse run`, nor the daemon, nor a replay.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callOperation } from "../../src/api/remote.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { askHostProcess } from "../../src/terminal/ask.js";
import { type FoundSession, findSession } from "../../src/terminal/registry.js";
import { BIN, closeHome, type Home, makeHome, rouse, rouseInTerminal, until } from "../support/hosts.js";

const TIMEOUT_MS = 90_000;
/** Of a whole process; each of these sequences took 20 s to hours. Starting a host takes about one. */
const CPU_MAX_MS = 10_000;
const MEMORY_MAX_MB = 256;

/** Sequences for `printf`. */
const FREEZING: readonly (readonly [string, string])[] = [
  ["inserts 2^31 lines", "\\033[2147483647L"],
  ["deletes 2^31 lines", "\\033[2147483647M"],
  ["scrolls up 2^31 lines", "\\033[2147483647S"],
  ["scrolls down 2^31 lines", "\\033[2147483647T"],
  ["moves over 2^31 tabs", "\\033[2147483647I"],
  ["moves back over 2^31 tabs", "x\\033[2147483647Z"],
  ["repeats a character 2^29 times", "a\\033[536870912b"],
  ["inserts 2^31 lines by a C1 control", "\\302\\2332147483647L"],
];

let home: Home;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

/** User and system time of a process, in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const peakMb = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;

type Running = FoundSession & { hostSocket: string };

async function spawnAgent(name: string, script: string): Promise<Running> {
  const { stderr, status } = await rouse(home, ["spawn", "--name", name, "--", "bash", "-c", script]);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return findSession(rousePaths(home.env), name) as Running;
}

/** The host reads all output so far before it answers. */
const readByHost = ({ hostSocket }: Running) => askHostProcess(hostSocket, { op: "check" }, "check");
const logs = async (name: string): Promise<string> => (await rouse(home, ["logs", name])).stdout;
const read = (agent: string) => callOperation(rousePaths(home.env).daemonSocket, "read_pane", { agent, lines: 10 });
const daemonPid = async (): Promise<number> =>
  ((await askDaemon(rousePaths(home.env).daemonSocket, "GET", "/v1/health")) as { pid: number }).pid;

describe("an agent that", { timeout: TIMEOUT_MS }, () => {
  it.each(FREEZING)("%s freezes neither its host nor `rouse logs` nor `rouse stop`", async (_what, bytes) => {
    const agent = await spawnAgent("csi", `echo start; printf '${bytes}'; while sleep 0.2; do echo line; done`);
    await until("the output", async () => (await logs("csi")).includes("line"));
    expect(await readByHost(agent)).toMatchObject({ kind: "answer" });
    expect(await logs("csi")).toContain("line");
    expect(cpuMs(agent.hostPid)).toBeLessThan(CPU_MAX_MS);
    expect(peakMb(agent.hostPid)).toBeLessThan(MEMORY_MAX_MB);
    const stopped = await rouse(home, ["stop", "csi", "--grace", "1"]);
    expect(stopped).toMatchObject({ status: 0, stdout: expect.stringContaining("none left") });
  });

  it.each(FREEZING)(
    "%s does not freeze the terminal of `rouse run`, which shows its bytes unchanged",
    async (_, bytes) => {
      const script = `echo start; sleep 1; printf '${bytes}'; for n in 1 2 3; do sleep 0.4; echo tick $n; done; echo END; read`;
      const terminal = rouseInTerminal(home, ["run", "--name", "csi", "--", "bash", "-c", script]);
      await terminal.shows("END");
      const agent = findSession(rousePaths(home.env), "csi") as Running;
      expect(await readByHost(agent)).toMatchObject({ kind: "answer" });
      const printed = spawnSync("bash", ["-c", `printf '${bytes}'`]).stdout;
      expect(
        terminal.bytes.includes(Buffer.concat([Buffer.from("start\r\n"), printed, Buffer.from("tick 1\r\n")])),
      ).toBe(true);
      expect(cpuMs(terminal.pty.pid)).toBeLessThan(CPU_MAX_MS);
      terminal.write("\u0003");
      expect(await terminal.exited).toEqual({ code: null, signal: 2 });
    },
  );

  it.each([...FREEZING, ["erases up to the last cell", "\\033[40;120H\\033[1J"] as const])(
    "%s does not stop the daemon when its terminal is read, running or ended",
    async (_what, bytes) => {
      home.env.ROUSE_DAEMON = "on";
      await rouse(home, ["up"]);
      const pid = await daemonPid();
      const agent = await spawnAgent("csi", `printf '${bytes}'; printf '\\033[2J\\033[Hlast words'; read`);
      await until("the output", async () => (await logs("csi")).includes("last words"));
      const before = cpuMs(pid);
      expect((await read("csi")).lines.at(-1)).toBe("last words");
      await rouse(home, ["stop", "csi", "--grace", "1"]);
      await until("its end", () => findSession(rousePaths(home.env), "csi")?.endedAt !== null);
      expect((await read(agent.id)).lines.at(-1)).toBe("last words");
      expect(cpuMs(pid) - before).toBeLessThan(CPU_MAX_MS);
      expect(await daemonPid()).toBe(pid);
    },
  );

  it("repeats a character 200 million times takes no more memory than any other", async () => {
    const agent = await spawnAgent("rep", "printf 'a\\033[200000000b'; echo; echo done; read");
    await until("the output", async () => (await logs("rep")).includes("done"));
    await readByHost(agent);
    expect(peakMb(agent.hostPid)).toBeLessThan(MEMORY_MAX_MB);
    await rouse(home, ["stop", "rep", "--grace", "1"]);
  });
});

describe("`rouse stop`", () => {
  it("ends an agent whose host does not answer", { timeout: TIMEOUT_MS }, async () => {
    const agent = await spawnAgent("mute", "trap '' TERM; while :; do sleep 0.1; done");
    process.kill(agent.hostPid, "SIGSTOP");
    const stopped = await rouse(home, ["stop", "mute", "--grace", "0"]);
    process.kill(agent.hostPid, "SIGCONT");
    expect(stopped).toMatchObject({ status: 0, stdout: expect.stringContaining("none left") });
    await until("the host to end", () => findSession(rousePaths(home.env), "mute")?.isAlive === false);
  });
});

describe("a recording that contains such output", () => {
  const replayed = (args: readonly string[]) =>
    spawnSync(process.execPath, [BIN, ...args], { encoding: "utf8", timeout: 60_000, env: home.env });

  it("is judged by replay and eval", { timeout: 2 * TIMEOUT_MS }, () => {
    const folder = join(home.path, "cases", "csi");
    mkdirSync(folder, { recursive: true });
    const bytes = "\u001b[2147483647L\u001b[2147483647S\u001b[2147483647Ia\u001b[536870912b\u009b2147483647M";
    const events = [bytes, "x", bytes].map((text, n) => JSON.stringify([n + 1, "o", text]));
    const header = '{"version":2,"width":120,"height":40,"timestamp":1767614400}';
    writeFileSync(join(folder, "session.cast"), `${[header, ...events].join("\n")}\n`);
    writeFileSync(join(folder, "meta.json"), '{"agent":"claude","t_end":5,"timeline":[[0,"working"]]}');
    expect(replayed(["replay", "--json", folder])).toMatchObject({ status: 0, signal: null });
    expect(replayed(["eval", "--json", join(home.path, "cases")])).toMatchObject({ status: 0, signal: null });
  });
});
