import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askHost } from "../../src/cli/host-client.js";
import { makePrivateFolder, rousePaths } from "../../src/config/paths.js";
import { type FoundSession, findSession, listSessions } from "../../src/terminal/registry.js";
import { FakeDaemon } from "../support/fake-daemon.js";
import {
  closeHome,
  type Home,
  makeHome,
  processesOf,
  rouse,
  rouseInTerminal,
  TestTerminal,
  until,
} from "../support/hosts.js";

const TEXTS = process.env.ROUSE_FULL === "1" ? 10_000 : 20;
const PANES = process.env.ROUSE_FULL === "1" ? 8 : 2;

let home: Home;

beforeEach(() => {
  home = makeHome();
});

afterEach(async () => {
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

const paths = () => rousePaths(home.env);

async function spawnAgent(script: string, ...options: string[]): Promise<string> {
  const file = join(home.path, `agent-${readdirSync(home.path).length}.sh`);
  writeFileSync(file, script);
  const { stdout, stderr, status } = await rouse(home, ["spawn", ...options, "--", "sh", file]);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.trim();
}

const logs = async (name: string): Promise<string> => (await rouse(home, ["logs", name])).stdout;
const stop = (name: string, grace = "5") => rouse(home, ["stop", name, "--grace", grace, "--json"]);

describe("rouse spawn", () => {
  it("runs an agent detached, prints its name, and keeps a record that needs no daemon", async () => {
    const name = await spawnAgent(
      "echo up; tty; sleep 100",
      "--tag",
      "a",
      "--tag",
      "b",
      "--task",
      "T1",
      "--kind",
      "codex",
    );
    expect(name).toBe("sh");
    await until("the output", async () => /up\n\/dev\/pts\/\d+/.test(await logs(name)));
    const found = findSession(paths(), name);
    expect(found).toMatchObject({
      kind: "codex",
      tags: ["a", "b"],
      task: "T1",
      origin: "spawn",
      isAlive: true,
      endedAt: null,
    });
    expect(statSync(found?.hostSocket ?? "").mode & 0o777).toBe(0o600);
    expect(statSync(paths().runtime).mode & 0o777).toBe(0o700);
    const ended = JSON.parse((await stop(name)).stdout);
    expect(ended).toMatchObject({ stopped: true, killed: false, leftovers: [] });
    await until("the record of the exit", () => findSession(paths(), name)?.endedAt !== null);
    expect(findSession(paths(), name)).toMatchObject({
      isAlive: false,
      exit: { code: null, signal: 15 },
      leftBy: "human",
    });
    expect(await logs(name)).toContain("up\n");
  });

  it("gives each of many agents that start at once a unique name", async () => {
    const names = await Promise.all(Array.from({ length: 4 }, () => spawnAgent("sleep 100")));
    expect([...names].sort()).toEqual(["sh", "sh-2", "sh-3", "sh-4"]);
    for (const name of names) await stop(name);
    expect(await spawnAgent("sleep 100")).toBe("sh");
    await stop("sh");
  });

  it("refuses a name that is in use, and accepts it when its agent has ended", async () => {
    await spawnAgent("sleep 100", "--name", "api");
    const second = await rouse(home, ["spawn", "--name", "api", "--", "sleep", "1"]);
    expect([second.status, second.stderr]).toEqual([
      1,
      expect.stringContaining("an agent named api is already running"),
    ]);
    const host = processesOf(home).find(({ argv }) => argv.includes("host.js"));
    process.kill(host?.pid ?? 0, "SIGKILL");
    await until("the host to end", () => findSession(paths(), "api")?.isAlive === false);
    await until("its agent to be hung up", () => processesOf(home).length === 0);
    expect(await spawnAgent("echo second", "--name", "api")).toBe("api");
    await until("its end", () => listSessions(paths()).every((session) => !session.isAlive));
    // The second host removes its socket; that of the killed one remains.
    await until("one socket to be left", () => readdirSync(paths().runtime).length === 1);
    for (const socket of readdirSync(paths().runtime)) rmSync(join(paths().runtime, socket));
  });

  it("answers the three queries that programs wait for once each, and no other", async () => {
    const name = await spawnAgent(
      "stty raw -echo; printf 'one\\r\\ntwo\\033[6n\\033[c\\033]7501;?\\033\\\\\\033[?2026$p\\033[>q\\033]11;?\\007\\033[18t\\033P$qm\\033\\\\\\033[5n'; head -c 23 | od -An -v -tx1; sleep 0.3; stty min 0 time 1; head -c 1 | wc -c; sleep 100",
    );
    await until("the rest to be counted", async () => /\b0\s*$/.test(await logs(name)));
    const hex = (await logs(name))
      .replace(/^one\n *two/, "")
      .replace(/\s*0\s*$/, "")
      .replace(/[^0-9a-f]/g, "");
    expect(Buffer.from(hex, "hex").toString()).toBe("\u001b[2;4R\u001b[?1;2c\u001b]7501;?\u001b\\");
    await stop(name);
  });
});

describe("rouse stop", () => {
  it("kills an agent that ignores SIGTERM, with all its descendants, and no other process", async () => {
    const other = await spawnAgent("sleep 100", "--name", "other");
    const name = await spawnAgent(
      "trap '' TERM; (trap '' TERM; sh -c \"trap '' TERM; sleep 301\" & setsid sh -c \"trap '' TERM; sleep 302\" & wait) & echo up; while :; do sleep 0.1; done",
    );
    await until("all of them to run", () =>
      ["sleep 301", "sleep 302"].every((argv) => processesOf(home).some((p) => p.argv.trim() === argv)),
    );
    const started = Date.now();
    const { stdout, status } = await stop(name, "0.5");
    expect(Date.now() - started).toBeGreaterThanOrEqual(500);
    expect([JSON.parse(stdout), status]).toEqual([
      expect.objectContaining({ stopped: true, killed: true, leftovers: [] }),
      0,
    ]);
    const left = processesOf(home).map(({ argv }) => argv.trim());
    expect(left.filter((argv) => argv.includes("301") || argv.includes("302") || argv.includes("0.1"))).toEqual([]);
    expect(findSession(paths(), other)?.isAlive).toBe(true);
    await stop(other);
  });

  it("without waiting says what follows", async () => {
    const name = await spawnAgent("trap 'echo asked' TERM; echo up; while :; do sleep 0.1; done");
    await until("it to run", async () => (await logs(name)).includes("up"));
    const stopping = rouseInTerminal(home, ["stop", name, "--grace", "4"]);
    await until("the queries to be answered", async () => (await logs(name)).includes("asked"));
    stopping.write("\u0003");
    expect(await stopping.exited).toEqual({ code: 130, signal: null });
    expect(stopping.text).toMatch(
      /rouse: SIGTERM was already sent to sh; it is killed in [1-4] s if it is still running/,
    );
    await until("its end", () => findSession(paths(), name)?.isAlive === false);
  });

  it("lets an agent that handles the signal end by itself", async () => {
    const name = await spawnAgent("trap 'echo farewell; exit 0' TERM; echo up; while :; do sleep 0.05; done");
    await until("it to run", async () => (await logs(name)).includes("up"));
    expect(JSON.parse((await stop(name)).stdout)).toMatchObject({ stopped: true, killed: false });
    await until("its record", () => findSession(paths(), name)?.endedAt !== null);
    expect(findSession(paths(), name)?.exit).toEqual({ code: 0, signal: null });
    expect((await logs(name)).match(/farewell/g)).toHaveLength(1);
  });

  it("does not signal another process that got the number of an agent", async () => {
    const name = await spawnAgent("sleep 100", "--name", "old");
    await stop(name);
    await until("its end", () => findSession(paths(), name)?.endedAt !== null);
    const bystander = new TestTerminal(home, ["sleep", "100"]);
    const record = findSession(paths(), name);
    const file = join(paths().sessions, `${record?.id}.json`);
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), pid: bystander.pty.pid, endedAt: null }),
    );
    const { status, stderr } = await stop(name);
    expect([status, stderr]).toEqual([1, "rouse: old is no longer running\n"]);
    process.kill(bystander.pty.pid, 0);
    process.kill(bystander.pty.pid, "SIGKILL");
    await bystander.exited;
  });
});

describe("rouse type", () => {
  it("types exactly the text, without control bytes, and one Enter", async () => {
    const file = join(home.path, "typed");
    const name = await spawnAgent(`stty raw -echo; echo ready; exec cat >${file}`);
    await until("it to read", async () => (await logs(name)).includes("ready"));
    const hostile = [
      "$(touch x)",
      "`id`",
      "-n --help",
      "C-c Enter",
      "a\u001b[201~b",
      "x\ny",
      "\u0003\u0004",
      "ünï😀",
      "'\"\\",
      "--",
    ];
    expect(await rouse(home, ["type", name, "--", "-n", "--help"])).toMatchObject({ status: 0, stderr: "" });
    let wanted = `-n --help\r${await typeAll(name, hostile)}`;
    await rouse(home, ["type", "--no-enter", name, "two", "words"]);
    wanted += "two words";
    await until("all of it to arrive", () => Buffer.byteLength(wanted) <= statSync(file).size);
    expect(readFileSync(file, "utf8")).toBe(wanted);
    expect(readdirSync(home.path)).not.toContain("x");
    await stop(name);
  });

  it(`types ${TEXTS} texts of arbitrary bytes into ${PANES} agents at once, and starts nothing with them`, {
    timeout: 1_200_000,
  }, async () => {
    const texts = fc
      .sample(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), { numRuns: TEXTS, seed: 7 })
      .filter((text) => !text.includes("\0") && Buffer.from(text).toString() === text);
    const agents = await Promise.all(
      Array.from({ length: PANES }, async (_, pane) => {
        const file = join(home.path, `typed-${pane}`);
        const own = texts.filter((_text, n) => n % PANES === pane);
        const name = await spawnAgent(`stty raw -echo; echo ready; exec cat >${file}`, "--name", `pane-${pane}`);
        await until("it to read", async () => (await logs(name)).includes("ready"));
        return { file, own, name };
      }),
    );
    const before = processesOf(home).length;
    await Promise.all(
      agents.map(async ({ file, own, name }) => {
        const wanted = await typeAll(name, own);
        await until("all of it to arrive", () => Buffer.byteLength(wanted) <= statSync(file).size);
        expect(readFileSync(file, "utf8")).toBe(wanted);
      }),
    );
    expect(processesOf(home).length).toBe(before);
    for (const { name } of agents) await stop(name);
  });
});

/** Returns the text that must arrive. */
async function typeAll(name: string, texts: readonly string[]): Promise<string> {
  const found = findSession(paths(), name) as FoundSession & { hostSocket: string };
  let wanted = "";
  for (const text of texts) {
    await askHost(found, { op: "type", text }, "typed");
    const line = text.replace(/\r\n|[\r\n\t\u0085\u2028\u2029]/g, " ").replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
    wanted += `${line}\r`;
  }
  return wanted;
}

describe("rouse attach and rouse logs", () => {
  it("show two viewers the same, take the keys of both, and continue without them", async () => {
    const name = await spawnAgent("printf '\\033[?2004hhello\\r\\n'; while read line; do echo \"<$line>\"; done");
    const viewers = [0, 1].map(() => rouseInTerminal(home, ["attach", name]));
    const [first, second] = viewers as [TestTerminal, TestTerminal];
    await Promise.all(viewers.map((viewer) => viewer.shows("hello")));
    first.write("from one\r");
    await Promise.all(viewers.map((viewer) => viewer.shows("<from one>")));
    second.write("from two\r");
    await Promise.all(viewers.map((viewer) => viewer.shows("<from two>")));
    first.write("\u001c");
    expect(await first.exited).toEqual({ code: 0, signal: null });
    expect(first.text).toContain("[detached from sh]");
    expect(first.text).toContain("\u001b[?2004l");
    second.write("still there\r");
    await second.shows("<still there>");
    await stop(name);
    expect(await second.exited).toEqual({ code: 0, signal: null });
    expect(second.text).toContain("[sh ended]");
  });

  it("refuse to attach to an agent from inside it", async () => {
    const name = await spawnAgent("sleep 100", "--name", "outer");
    const { id: session } = findSession(paths(), name) as FoundSession;
    const inner = { ...home, env: { ...home.env, ROUSE_SESSION: session } };
    const viewer = rouseInTerminal(inner, ["attach", name]);
    expect(await viewer.exited).toEqual({ code: 1, signal: null });
    expect(viewer.text).toContain("rouse: refused inside of the watched agent outer");
    await stop(name);
  });

  it("give the agent the size of the smallest viewer", async () => {
    const name = await spawnAgent("trap 'stty size' WINCH; echo up; while :; do sleep 0.05; done");
    await until("it to run", async () => (await logs(name)).includes("up"));
    const large = rouseInTerminal(home, ["attach", name], { cols: 140, rows: 50 });
    await large.shows("50 140");
    const small = rouseInTerminal(home, ["attach", name], { cols: 90, rows: 60 });
    await small.shows("50 90");
    small.write("\u001c");
    await small.exited;
    await until(
      "the size of the remaining viewer",
      () => large.text.lastIndexOf("50 140") > large.text.lastIndexOf("50 90"),
    );
    await stop(name);
    await large.exited;
  });

  it("keep a viewer's terminal from answering queries of the agent", async () => {
    const file = join(home.path, "typed");
    const name = await spawnAgent(`stty raw -echo; echo ready; exec cat >${file}`);
    await until("it to read", async () => (await logs(name)).includes("ready"));
    const viewer = rouseInTerminal(home, ["attach", name]);
    await viewer.shows("ready");
    viewer.write(
      "a\u001b[?62;22c\u001b[24;80R\u001b]11;rgb:0000/0000/0000\u001b\\\u001bP>|xterm(380)\u001b\\\u001b[?2026;2$yb\u001b[1;2Rc",
    );
    await until("the keys", () => statSync(file).size >= 9);
    expect(readFileSync(file, "latin1")).toBe("ab\u001b[1;2Rc");
    await stop(name);
    await viewer.exited;
  });

  it("follow the output as text until the end, without a control byte", async () => {
    const name = await spawnAgent(
      "printf 'first\\033]52;c;eA==\\007 \\033[31mred\\033[0m\\n'; read x; printf 'last\\n'; exit 0",
    );
    const following = rouse(home, ["logs", "-f", name]);
    await until("the first line", async () => (await logs(name)).includes("first red"));
    await until("a follower", () => processesOf(home).some(({ argv }) => argv.includes("logs -f")));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await rouse(home, ["type", name, "go"]);
    expect((await following).stdout).toBe("first red\ngo\nlast\n");
  });
});

describe("a flood of output", () => {
  it("keeps the host small and quick to answer, and unread output is counted", async () => {
    const name = await spawnAgent("yes 'a line of a program that has gone mad and writes without an end'");
    const found = findSession(paths(), name) as FoundSession & { hostSocket: string };
    let info: Record<string, unknown> = {};
    await until("the flood to be seen", async () => {
      info = await askHost(found, { op: "info" }, "info");
      return (info.outputBytes as number) > 20_000_000 && (info.skippedBytes as number) > 0;
    });
    expect(info.residentBytes).toBeLessThan(200_000_000);
    expect(info.isWatching).toBe(true);
    const viewer = rouseInTerminal(home, ["attach", name]);
    await viewer.shows("gone mad");
    viewer.write("\u001c");
    expect(await viewer.exited).toEqual({ code: 0, signal: null });
    expect(JSON.parse((await stop(name, "2")).stdout)).toMatchObject({ stopped: true });
  });
});

describe("a host that cannot write", () => {
  it("watches anyway, reports it, and is found as soon as there is room", async () => {
    makePrivateFolder(paths().state);
    symlinkSync("/dev/full", join(paths().state, "host.log"));
    writeFileSync(paths().sessions, "");
    const { stdout, stderr, status } = await rouse(home, ["spawn", "--name", "full", "--", "sleep", "100"]);
    expect({ stdout, status }).toEqual({ stdout: "full\n", status: 0 });
    expect(stderr).toMatch(/^rouse: cannot write to .*\n$/);
    rmSync(paths().sessions);
    await until("the record", () => findSession(paths(), "full")?.isAlive === true);
    const found = findSession(paths(), "full") as FoundSession & { hostSocket: string };
    expect(await askHost(found, { op: "info" }, "info")).toMatchObject({ isWatching: true });
    expect(JSON.parse((await stop("full")).stdout)).toMatchObject({ stopped: true });
  });
});

describe("a host and its daemon", () => {
  it("continues without a daemon and delivers everything when one appears", { timeout: 150_000 }, async () => {
    const name = await spawnAgent('while read line; do echo "<$line>"; done');
    await rouse(home, ["type", name, "one"]);
    await until("the answer", async () => (await logs(name)).includes("<one>"));
    const daemon = new FakeDaemon();
    await daemon.listen(paths().daemonSocket);
    await until("the signals", () => daemon.kinds.includes("input") && daemon.kinds.includes("screen"));
    expect(daemon.sessions[0]).toMatchObject({ name, origin: "spawn", endedAt: null });
    expect(daemon.acked).toBe(daemon.signals.size);
    await daemon.close();
    await rouse(home, ["type", name, "two"]);
    await until("the answer", async () => (await logs(name)).includes("<two>"));
    daemon.failures = [500, 503];
    await daemon.listen(paths().daemonSocket);
    // The host waits up to ten seconds between attempts, and two of them fail.
    await until("the second text", () => daemon.kinds.filter((kind) => kind === "input").length >= 4, 60_000);
    await stop(name);
    await until("the exit", () => daemon.kinds.includes("exit"));
    await until("the end of the session", () => typeof daemon.sessions.at(-1)?.endedAt === "number");
    expect(daemon.acked).toBe(daemon.signals.size);
    await daemon.close();
    rmSync(paths().daemonSocket, { force: true });
  });
});
