/** Stops and starts of the daemon: by a user, by a signal, slow to start; and a host that is stopped. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askHost } from "../../src/cli/host-client.js";
import { makePrivateFolder, rousePaths } from "../../src/config/paths.js";
import type { SessionView } from "../../src/daemon/views/view.js";
import type { WhyView } from "../../src/daemon/views/why.js";
import { openJournal } from "../../src/store/journal.js";
import { type FoundSession, findSession, listSessions } from "../../src/terminal/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { spawnFake } from "../support/fake-agent.js";
import {
  BIN,
  closeHome,
  type Home,
  makeHome,
  processesOf,
  rouse,
  rouseInTerminal,
  TestTerminal,
  until,
} from "../support/hosts.js";

const TIMEOUT_MS = 240_000;
/** Longer than a tick may be late. */
const STOPPED_MS = 18_000;

let home: Home;
let daemon: TestDaemon;

beforeEach(() => {
  home = makeHome("on");
  daemon = new TestDaemon(home);
});

afterEach(async () => {
  for (const { name, isAlive } of listSessions(paths())) if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  await daemon.kill();
  const { processes } = await closeHome(home);
  expect(processes).toEqual([]);
});

const paths = () => rousePaths(home.env);
const daemons = () => processesOf(home).filter(({ argv }) => argv.includes("up --foreground"));
const works = { steps: [{ do: "pulse", perSecond: 30 }, { do: "stream" }] };
const info = (name: string): Promise<Record<string, unknown>> =>
  askHost(findSession(paths(), name) as FoundSession & { hostSocket: string }, { op: "info" }, "info");
const isConnected = async (name: string): Promise<boolean> => (await info(name)).isConnected === true;
const says = async (name: string): Promise<string | undefined> =>
  (await daemon.ask<SessionView>(`/v1/agents/${name}`))?.state;

describe("the daemon", { timeout: TIMEOUT_MS }, () => {
  it("can stop and start again while status --watch runs, which reports it and continues", async () => {
    expect(await rouse(home, ["up"])).toMatchObject({ status: 0 });
    const terminal = rouseInTerminal(home, ["status", "--watch"]);
    await terminal.shows("No agents");
    await rouse(home, ["down"]);
    await terminal.shows("the daemon has not answered for");
    await rouse(home, ["up"]);
    const goneUntil = () => terminal.text.lastIndexOf("the daemon has not answered for");
    await until("a screen without the note", () => terminal.text.lastIndexOf("No agents") > goneUntil());
    terminal.write("\u0003");
    expect(await terminal.exited).toEqual({ code: 130, signal: null });
    expect(terminal.text.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
  });

  it("is shown at the size of the terminal, even if that changed while status --watch was suspended", async () => {
    expect(await rouse(home, ["up"])).toMatchObject({ status: 0 });
    for (const name of ["one", "two", "three"]) await spawnFake(home, name, works);
    const shell = new TestTerminal(home, ["bash", "--norc", "--noprofile", "-i"]);
    shell.write(`${process.execPath} ${BIN} status --watch\r`);
    await shell.shows("three");
    shell.write("\u001a");
    await shell.shows("Stopped");
    shell.pty.resize(100, 3);
    shell.write("fg\r");
    await shell.shows("and 2 more lines");
    shell.write("\u0003");
    shell.write("exit\r");
    await shell.exited;
  });

  it("keeps watching if its log cannot be written", async () => {
    makePrivateFolder(paths().state);
    symlinkSync("/dev/full", join(paths().state, "daemon.log"));
    expect(await rouse(home, ["up"])).toMatchObject({ status: 0, stdout: "Started the daemon.\n" });
    expect((await rouse(home, ["status"])).status).toBe(0);
  });

  it("is restarted by a host after a kill, and stays down after a user stopped it", async () => {
    daemon.start();
    await daemon.judges();
    await spawnFake(home, "one", works);
    await until("one to be connected", () => isConnected("one"));
    await daemon.kill("SIGKILL");
    await until("a daemon started by the host", () => daemons().length === 1, 60_000);
    await until("one to be connected again", () => isConnected("one"), 60_000);
    // This host always had a daemon: only the user's stop keeps it from starting one.
    await spawnFake(home, "two", works);
    await until("two to be connected", () => isConnected("two"));
    const down = await rouse(home, ["down"]);
    expect(down.stdout).toMatch(/^Stopped the daemon; agents keep running\. The next `rouse up`, `run`/);
    await until("both to be disconnected", async () => !(await isConnected("one")) && !(await isConnected("two")));
    await sleep(2000);
    expect(daemons()).toEqual([]);
    expect((await rouse(home, ["up"])).stdout).toBe("Started the daemon.\n");
    await until(
      "both to be judged again",
      async () => (await says("one")) === "working" && (await says("two")) === "working",
      60_000,
    );
    for (const name of ["one", "two"]) expect(await info(name)).toMatchObject({ droppedSignals: 0, isWatching: true });
  });

  it("stays down after a SIGTERM, as from a service manager, until an agent is started", async () => {
    daemon.start();
    await daemon.judges();
    await spawnFake(home, "one", works);
    await until("one to be connected", () => isConnected("one"));
    await daemon.kill("SIGTERM");
    await until("one to be disconnected", async () => !(await isConnected("one")));
    await sleep(1000);
    expect(daemons()).toEqual([]);
    await spawnFake(home, "two", works);
    await until(
      "both to be judged",
      async () => (await says("one")) === "working" && (await says("two")) === "working",
      60_000,
    );
  });

  it("reports no agent as stuck for time in which the daemon itself was stopped, and stores the gap", async () => {
    home.env.ROUSE_DAEMON = "off";
    daemon.start();
    await daemon.judges();
    await spawnFake(home, "one", works);
    await until("one to work", async () => (await says("one")) === "working");
    await daemon.kill("SIGSTOP");
    await sleep(STOPPED_MS);
    await daemon.kill("SIGCONT");
    const { ticks } = await daemon.judges();
    await until("further rounds", async () => (await daemon.judges()).ticks > ticks + 2);
    const why = (await daemon.ask<WhyView>("/v1/agents/one/why")) as WhyView;
    expect(why).toMatchObject({ state: "working", unobserved: null });
    expect(why.timeline.map(({ state }) => state).filter((state) => !/starting|idle|working/.test(state))).toEqual([]);
    await daemon.kill("SIGTERM");
    const { journal } = openJournal(paths().journal);
    const gaps = [...journal.read(findSession(paths(), "one")?.id ?? "")].flatMap(({ signal }) =>
      signal.kind === "gap" && signal.to - signal.from > STOPPED_MS / 2 ? [signal] : [],
    );
    journal.close();
    expect(gaps).toMatchObject([{ source: "observer", graceMs: expect.any(Number) }]);
  });

  it("notifies systemd and a dead man's switch only after finished rounds", async () => {
    const log = join(home.path, "notified");
    const bin = join(home.path, "bin");
    mkdirSync(bin);
    const script = `#!${process.execPath}\nrequire("fs").appendFileSync(${JSON.stringify(log)}, process.argv.slice(2).join(" ") + "\\n")\n`;
    writeFileSync(join(bin, "systemd-notify"), script, { mode: 0o755 });
    const words = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : []);
    let fetched = 0;
    const server = createServer((_request, response) => {
      fetched++;
      response.writeHead(fetched === 1 ? 200 : 500).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    daemon.start({
      PATH: `${bin}:${process.env.PATH}`,
      NOTIFY_SOCKET: join(home.path, "none"),
      WATCHDOG_USEC: "2000000",
      ROUSE_DAEMON_DEAD_MAN_URL: `http://127.0.0.1:${port}/secret`,
      ROUSE_DAEMON_DEAD_MAN_INTERVAL_SECS: "5",
    });
    await until("some notifications", () => words().length >= 4, 60_000);
    await until("a fetch", () => fetched >= 1, 60_000);
    await daemon.kill("SIGSTOP");
    // Signals sent before may still arrive; then none does.
    let reported = [words().length, fetched];
    const isStill = async (): Promise<boolean> => {
      const before = reported;
      await sleep(3000);
      reported = [words().length, fetched];
      return String(before) === String(reported);
    };
    await until("silence", isStill);
    expect(await isStill()).toBe(true);
    await daemon.kill("SIGCONT");
    await until("notifications again", () => words().length > (reported[0] as number), 60_000);
    const problem = `127.0.0.1:${port} answered 500`;
    const status = async () => (await rouse(home, ["status"])).stdout;
    await until("the failure to be shown", async () => (await status()).includes(problem), 60_000);
    expect(await status()).not.toContain("secret");
    expect((await rouse(home, ["doctor"])).stdout).toMatch(/FAIL {2}daemon heartbeat .*answered 500/);
    await daemon.kill("SIGTERM");
    await until("the stop notification", () => words().at(-1) === "STOPPING=1");
    expect(words()[0]).toBe("READY=1 WATCHDOG=1");
    expect(new Set(words().slice(1, -1))).toEqual(new Set(["WATCHDOG=1"]));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.runIf(process.env.ROUSE_FULL)("cannot see an agent whose host is stopped, until the host continues", async () => {
    home.env.ROUSE_DAEMON = "off";
    daemon.start();
    await daemon.judges();
    await spawnFake(home, "one", works);
    await until("one to work", async () => (await says("one")) === "working");
    const host = findSession(paths(), "one")?.hostPid as number;
    process.kill(host, "SIGSTOP");
    await until("rouse to report that it cannot see the agent", async () => (await says("one")) === "unknown", 120_000);
    const { stdout } = await rouse(home, ["status"]);
    expect(stdout).toMatch(/^one: unobserved for \d+ s: the process that holds its terminal is silent/m);
    expect((await rouse(home, ["doctor"])).stdout).toMatch(/FAIL {2}agent one .*cannot see it/);
    process.kill(host, "SIGCONT");
    await until("rouse to see the agent again", async () => (await says("one")) === "working", 60_000);
    expect((await rouse(home, ["status"])).stdout).not.toContain("unobserved");
  });
});

describe("a daemon that replays a long journal", { timeout: TIMEOUT_MS }, () => {
  it("is waited for as long as it makes progress, and other requests are answered with a request to retry", async () => {
    const { daemonSocket, runtime } = paths();
    makePrivateFolder(runtime);
    let left = 20;
    const server = createServer((request, response) => {
      const isHealth = request.url === "/v1/health";
      if (isHealth) left--;
      const body = isHealth
        ? left > 0
          ? { starting: { folded: 100 - left, of: 100 } }
          : { ok: true }
        : { error: "it is starting" };
      response.writeHead(isHealth ? 200 : 503, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(daemonSocket, resolve));
    expect(await rouse(home, ["status"])).toMatchObject({ status: 75, stderr: "rouse: it is starting\n" });
    expect(await rouse(home, ["report", "working"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Stored: /),
    });
    expect(await rouse(home, ["up"])).toMatchObject({ status: 0, stdout: "Started the daemon.\n" });
    expect(left).toBeLessThanOrEqual(0);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
